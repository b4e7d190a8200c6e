#!/usr/bin/env python3
"""Asks a thumbnails service on this machine for thumbnails, as clients that come and go would, and says how it did.

load.py [--port N] [--requests N] [--rate N] [--clients N] [--photos N] [--active N] [--stay SECONDS] [--seed N]

Sends REQUESTS requests in all, RATE a second whether or not the earlier ones were answered, all to 127.0.0.1. At any time
ACTIVE of the CLIENTS are active; every STAY seconds the one that was active for longest leaves and the next one comes.
Photos and widths are random, the same for each run with the same seed. A request counts as failed if it was not answered
with a picture within 10 s from when it was due. Prints one line of JSON: requests, served, failed; p50, p99 and longest
in milliseconds of those that were served, counted from when they were due.
"""

import argparse
import asyncio
import json
import random
import sys
import time

TIMEOUT = 10
CONNECTIONS = 32
WIDTHS = [80, 120, 160, 240, 320, 480, 640, 800]


class Pool:
    """Connections that are kept; a service that was killed and is there again gets new ones."""

    def __init__(self, port):
        self.port = port
        self.idle = []
        self.slots = asyncio.Semaphore(CONNECTIONS)

    async def get(self, path):
        async with self.slots:
            reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection("127.0.0.1", self.port)
            try:
                body = await self.exchange(reader, writer, path)
                self.idle.append((reader, writer))
                return body
            except BaseException:
                writer.close()
                raise

    async def exchange(self, reader, writer, path):
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        body = await reader.readexactly(int(fields["content-length"]))
        if " 200 " not in lines[0] + " " or not body.startswith(b"\xff\xd8"):
            raise ValueError(f"{path}: {lines[0]}")
        return body


def plan(options):
    """When, and what: the same for all clients."""
    chance = random.Random(options.seed)
    for number in range(options.requests):
        due = number / options.rate
        newest = int(due / options.stay) + options.active - 1
        client = (newest - chance.randrange(options.active)) % options.clients
        photo = chance.randrange(options.photos)
        width = chance.choice(WIDTHS)
        yield due, f"/clients/{client}/photos/{photo}?width={width}"


async def ask(pool, start, due, path, times, failures):
    try:
        left = start + due + TIMEOUT - time.monotonic()
        await asyncio.wait_for(pool.get(path), max(left, 0))
        times.append(time.monotonic() - start - due)
    except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError) as failure:
        failures.append(failure)


async def run(options):
    pool = Pool(options.port)
    times, failures, tasks = [], [], []
    start = time.monotonic()
    for due, path in plan(options):
        await asyncio.sleep(max(0, start + due - time.monotonic()))
        tasks.append(asyncio.create_task(ask(pool, start, due, path, times, failures)))
    await asyncio.gather(*tasks)
    times.sort()

    def quantile(share):
        return round(times[min(len(times) - 1, int(share * len(times)))] * 1000) if times else None

    print(
        json.dumps(
            {
                "requests": options.requests,
                "served": len(times),
                "failed": len(failures),
                "p50": quantile(0.5),
                "p99": quantile(0.99),
                "longest": quantile(1),
            }
        )
    )
    if failures:
        print(f"load: the last failure: {failures[-1]!r}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=50)
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--photos", type=int, default=4)
    parser.add_argument("--active", type=int, default=6)
    parser.add_argument("--stay", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
