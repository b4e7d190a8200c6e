"""awaited_hosts.py COUNT [PID]: waits until the daemon is a process other than PID, and has COUNT hosts.

Prints the number of hosts at the first query, and the daemon's age in ms then and when it had them all. The age comes from its
own record, which all daemons with version 1 of the protocol send. Exits with 1 after two minutes.
"""
import socket
import struct
import sys
import time

QUERY = struct.pack("<BBHIQBQ", 1, 16, 0, 25, 1, 0, 0)  # the daemon's record
count = int(sys.argv[1])
earlier = int(sys.argv[2]) if len(sys.argv) > 2 else 0


def ask():
    """The daemon's pid, its age in ms and the number of its hosts; None if no daemon answers."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        # While the daemon is replaced its socket stays, and connections wait for the next daemon or end.
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
