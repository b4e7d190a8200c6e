#!/usr/bin/env python3
"""A controller host in Python: registers with memwarnd and drops its cache when memory is short.

Written from docs/PROTOCOL.md alone, with nothing but the standard library.
"""
import argparse
import os
import random
import socket
import struct
import time

HELLO, WELCOME, WARNING, ACKNOWLEDGEMENT, ERROR = 1, 2, 3, 4, 5
LEVELS = ("normal", "warning", "critical")
SYSTEM = "/run/memwarnd/memwarnd.sock"
USER = os.environ.get("XDG_RUNTIME_DIR", "/run") + "/memwarnd/memwarnd.sock"


def say(line):
    print(line, flush=True)


def frame(kind, sequence, payload):
    return struct.pack("<BBHIQ", 1, kind, 0, 16 + len(payload), sequence) + payload


def text(data, offset):  # ascii() escapes: what comes from elsewhere must not steer a terminal
    (count,) = struct.unpack_from("<H", data, offset)
    return ascii(data[offset + 2 : offset + 2 + count].decode())


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def connect(connection):
    named = os.environ.get("MEMWARND_SOCKET")
    for path in [named] if named else [SYSTEM, USER]:
        error = connection.connect_ex(path)
        if error == 0:
            return
    raise OSError(error, os.strerror(error), path)


def serve(connection, name, mib, wait):
    """Registers and answers until the daemon closes; returns the longest wait before the next attempt."""
    cache = [bytearray(1 << 20) for _ in range(mib)]
    connection.send(frame(HELLO, 1, struct.pack("<BQH", 128, mib << 20, len(name)) + name))
    while data := connection.recv(4096):
        received = time.monotonic()
        version, kind, reserved, length, sequence = struct.unpack_from("<BBHIQ", data)
        if (version, reserved, length) != (1, 0, len(data)):
            raise ValueError("not a frame of version 1")
        if kind == WELCOME:
            host, level = struct.unpack_from("<QB", data, 16)
            say(f"registered as {host} in {text(data, 34)}, level {LEVELS[level]}")
            wait = 0.5
        elif kind == WARNING:
            level, flags, _, figure, _, wanted, _ = struct.unpack_from("<BBBIIQI", data, 16)
            say(f"round {sequence}: {LEVELS[level]} in {text(data, 39)}, {figure / 100:g} %, {wanted} bytes wanted")
            if flags & 2:
                before, released = resident(), len(cache) << 20
                cache.clear()
                after, took = resident(), int((time.monotonic() - received) * 1_000_000)
                connection.send(frame(ACKNOWLEDGEMENT, sequence, struct.pack("<5Q", released, before, after, took, 0)))
                say(f"round {sequence}: released {released} bytes, resident {before} -> {after}")
        elif kind == ERROR:
            (code,) = struct.unpack_from("<H", data, 16)
            say(f"error {code}: {text(data, 18)}")
            wait = 30 if code in (1, 2, 3, 5) else wait
    return wait


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--name", default="python", help="what to be called, 1 to 64 bytes")
    options.add_argument("--mib", type=int, default=64, help="size of the cache to drop")
    arguments, wait = options.parse_args(), 0.5
    while True:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            try:
                connect(connection)
                wait = serve(connection, arguments.name.encode(), arguments.mib, wait)
                say("the daemon closed the connection")
            except (OSError, ValueError, IndexError, struct.error) as problem:
                say(f"no connection: {problem}")
        time.sleep(random.uniform(0, wait))  # at random, as every other host comes back at the same time
        wait = min(wait * 2, 30)


if __name__ == "__main__":
    main()
