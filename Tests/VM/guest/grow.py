"""grow.py MIB RATE SECONDS: takes MIB of memory, RATE MiB a second, and holds it for SECONDS."""
import sys
import time

size, rate, seconds = map(int, sys.argv[1:4])
held = []
for _ in range(size):
    # Writes to the memory, so that it is really allocated.
    held.append(bytearray(b"\xa5") * (1 << 20))
    time.sleep(1 / rate)
print("has grown", flush=True)
time.sleep(seconds)
