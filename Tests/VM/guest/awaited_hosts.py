"""awaited_hosts.py COUNT [PID]: waits until another process than PID is the daemon, and has COUNT hosts.

Prints how many it had at the first look and after how many ms, and after how many it had them all, since it started: by its own
record, which all daemons of version 1 of the protocol give. Exits with 1 after two minutes.
"""
import socket
import struct
import sys
import time

QUERY = struct.pack("<BBHIQBQ", 1, 16, 0, 25, 1, 0, 0)  # the daemon's record
count = int(sys.argv[1])
earlier = int(sys.argv[2]) if len(sys.argv) > 2 else 0


def ask():
    """The daemon's pid, its age in ms and the number of its hosts; None where none answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        # While it is replaced its socket stays, and connections wait for the next daemon or end.
        connection.settimeout(30)
        try:
            connection.connect("/run/memwarnd/memwarnd.sock")
            connection.send(QUERY)
            record = connection.recv(4096)
        except OSError:
            return None
    return struct.unpack_from("<IQxI", record, 16) if len(record) > 45 else None


deadline = time.monotonic() + 120
first = None
while time.monotonic() < deadline:
    answer = ask()
    if answer and answer[0] != earlier:
        _, age, hosts = answer
        first = first or f"{hosts} after {age} ms"
        if hosts >= count:
            print(f"{first}, {hosts} after {age} ms")
            sys.exit(0)
    time.sleep(0.1)
print(f"not {count}, but {answer}, with {first}")
sys.exit(1)
