"""flood.py KIND SECONDS: what a hostile local user can do to the daemon without a privilege, for this time.

KIND is one of:
  nothing      uses as much processor time, without the daemon, for comparison
  hellos       registers a host and leaves, as often as the daemon permits
  records      asks for all records over 16 connections, and reads none of them
  readers      asks for all records over 16 connections, and reads them
  simulations  warns each of 16 hosts of its own, without a pause
  watchers     opens as many connections as it gets, and subscribes on each
  answers      registers 400 hosts, and answers rounds that there are not

Prints `flooding` when it begins, and at the end how often it acted.
"""
import os
import socket
import struct
import sys
import time

HELLO, ACKNOWLEDGEMENT, QUERY, SIMULATE, SUBSCRIBE = 1, 4, 16, 17, 18


def frame(kind, body=b""):
    return struct.pack("<BBHIQ", 1, kind, 0, 16 + len(body), 1) + body


def text(word):
    return struct.pack("<H", len(word)) + word


def hello(name):
    return frame(HELLO, struct.pack("<BQ", 128, 0) + text(name))


def connect():
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.setblocking(False)
    try:
        connection.connect(os.environ.get("MEMWARND_SOCKET", "/run/memwarnd/memwarnd.sock"))
    except OSError:
        connection.close()
        return None
    return connection


def send(connection, packet):
    """Whether the connection could take the packet now, or at least is open."""
    try:
        connection.send(packet)
        return True
    except BlockingIOError:
        return False
    except OSError:
        connection.close()
        return None


def hellos():
    connection = connect()
    if not connection:
        return 0
    send(connection, hello(b"churn"))
    connection.close()
    return 1


def read(connection):
    try:
        while connection.recv(4096):
            pass
    except OSError:
        pass


def kept(number, packets, reads=False):
    """Sends packets over `number` connections, which it opens again when the daemon closes them."""
    connections = {}

    def act():
        done = 0
        for index in range(number):
            connection = connections.get(index) or connect()
            if not connection:
                continue
            if index not in connections and packets in (simulate, answer):
                send(connection, hello(b"h%d" % index))
            connections[index] = connection
            if reads:
                read(connection)
            sent = send(connection, packets(index))
            if sent is None:
                del connections[index]
            done += bool(sent)
        return done

    return act


def simulate(index):
    # One host by its name, at critical, with a deadline of ten seconds.
    return frame(SIMULATE, struct.pack("<BBIQI", 2, 1, 0, 0, 10_000) + text(b"h%d" % index))


def answer(index):
    return frame(ACKNOWLEDGEMENT, bytes(40))


def query(index):
    return frame(QUERY, struct.pack("<BQ", 1 + index % 3, 0))


ACTS = {
    "nothing": lambda: 1,
    "hellos": hellos,
    "records": kept(16, query),
    "readers": kept(16, query, reads=True),
    "simulations": kept(16, simulate),
    "answers": kept(400, answer),
    "watchers": kept(500, lambda index: frame(SUBSCRIBE)),
}

act = ACTS[sys.argv[1]]
end = time.monotonic() + float(sys.argv[2])
count = act()
print("flooding", flush=True)
while time.monotonic() < end:
    done = act()
    count += done
    if not done:
        time.sleep(0.01)
print(f"acted {count} times", flush=True)
