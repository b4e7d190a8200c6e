"""Does what systemd specifies for programs that follow $MEMORY_PRESSURE_WATCH, with memwarnd's socket."""
import socket

connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
connection.connect("/run/memwarnd/pressure.sock")
connection.send(b"some 200000 2000000\0")
while connection.recv(64):
    print("warned")
print("closed")
