#!/usr/bin/env python3
"""Shows what a fleet would have announced with various settings: simulate.py MEMWARND [--machines N] [--seed S].

Composes a day of each machine from pieces of the recordings in Tests/Recordings, replays all days with each setting, and
prints a table. The composition of the days is an assumption (see MIX); their pressure was real, on one machine.
"""
import argparse
import concurrent.futures
import json
import os
import random
import statistics
import subprocess
import tempfile
from dataclasses import replace

import recordings
from recordings import CALM, FULL, LIMIT, MARK, SAMPLE, SOME, USED, Record

FOLDER = os.path.join(os.path.dirname(__file__), "..", "Recordings")
DAY = 24 * 3600
# Kinds of machines: their share, and the number of times a day that each event happens on them.
MIX = [
    # share; storms; reads of files beyond the limit and a compiler; the same with more work than CPUs
    ("calm", 0.70, {"storm": 0.1, "calm": 12, "busy": 0}),
    ("at work", 0.25, {"storm": 0.5, "calm": 96, "busy": 0}),
    ("short of CPUs", 0.05, {"storm": 0.5, "calm": 12, "busy": 24}),
]
SETTINGS = [
    [],
    ["levels.warning=5"],
    ["levels.critical-full=5"],
    ["levels.critical-full=20"],
    ["levels.critical-full=30", "levels.warning=25"],
    ["levels.dwell=2s"],
    ["levels.dwell=60s"],
]
PARTS = 50  # recordings per process


def pieces():
    """The header, the interval, and the pieces of days by name: the limit, its use at the start, and the records."""
    header, interval, storms = recordings.read(f"{FOLDER}/storms.memrec")
    found = {"storm": []}
    starts = [i for i, record in enumerate(storms) if record.kind == MARK and record.code == 1]
    for start, end in zip(starts, starts[1:] + [len(storms)]):
        used = sum(record.changes.get(USED, 0) for record in storms[:start])
        found["storm"].append((storms[0].changes[LIMIT], used, storms[start:end]))
    for name in ("calm", "busy"):
        _, other, records = recordings.read(f"{FOLDER}/{name}.memrec")
        assert other == interval, "the recordings have different intervals"
        found[name] = [(records[0].changes[LIMIT], records[0].changes[USED], records[1:])]
    for limit, _, records in (piece for each in found.values() for piece in each):
        assert not any(LIMIT in record.changes for record in records), "the limit changes within a recording"
    return header, interval, found


def scaled(records, factor, interval):
    """Records whose stalls are longer by this factor, as far as there is time for them."""

    def change(record, bit):
        value = record.changes[bit]
        return min(int(value * factor), interval * 1000 * (record.calm + 1)) if bit in (SOME, FULL) else value

    return [replace(record, changes={bit: change(record, bit) for bit in record.changes}) for record in records]


def day(kind, rng, header, interval, found):
    """A machine's day, and the number of its storms."""
    times = []
    for name, rate in kind.items():
        at = 0.0
        while rate and (at := at + rng.expovariate(rate / DAY)) < DAY:
            times.append((at, name))
    limit, used, _ = found["calm"][0]
    out = [Record(0, SAMPLE, changes={LIMIT: limit, USED: used})]
    total, storms, whole = 1, 0, DAY * 1000 // interval
    for at, name in sorted(times):
        limit, used, piece = rng.choice(found[name])
        calm = int(at * 1000 / interval) - total
        length = recordings.samples(piece)
        # At least a minute after the previous piece, and not into the next day.
        if calm * interval < 60_000 or total + calm + 1 + length > whole:
            continue
        # The totals of the recording do not matter: they continue from here.
        out.append(Record(calm, SAMPLE, changes={LIMIT: limit, USED: used}))
        out += scaled(piece, rng.lognormvariate(0, 0.3), interval)
        total += calm + 1 + length
        storms += name == "storm"
    out.append(Record(whole - total, CALM))
    return recordings.write(header, out), storms


def replay(memwarnd, settings, files):
    command = [memwarnd, "replay", "--json", *(word for s in settings for word in ("--set", s)), *files]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("memwarnd")
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    header, interval, found = pieces()
    with tempfile.TemporaryDirectory() as folder:
        files, kinds, storms = [], [], 0
        for index in range(options.machines):
            share = (index + 0.5) / options.machines
            name, _, kind = next(m for i, m in enumerate(MIX) if share < sum(m[1] for m in MIX[: i + 1]) + 1e-9)
            data, count = day(kind, rng, header, interval, found)
            kinds.append(name)
            storms += count
            files.append(f"{folder}/{index}.memrec")
            open(files[-1], "wb").write(data)
        size = statistics.mean(os.path.getsize(file) for file in files)
        print(f"{options.machines} machine-days, {storms} storms in them; {size:.0f} bytes a recorded day\n")
        parts = [files[i : i + PARTS] for i in range(0, len(files), PARTS)]
        names = [name for name, _, _ in MIX]
        print(f"| settings | rises | repeats | false alarms: {', '.join(names)} | missed | first warning | minutes |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
        for settings in SETTINGS:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                days = [d for part in pool.map(lambda part: replay(options.memwarnd, settings, part), parts) for d in part]
            print(line(settings, days, kinds), flush=True)


def line(settings, days, kinds):
    """Rises, repeats, false alarms and minutes that are not normal are for one machine and day."""
    counts = {key: 0 for key in ("risesToWarning", "risesToCritical", "repeats", "warningTime", "criticalTime")}
    false, missed, late = {name: [] for name, _, _ in MIX}, 0, []
    for each, kind in zip(days, kinds):
        # Each sample is a little late, so a day is a few minutes longer.
        assert each["ending"] == "whole" and abs(each["seconds"] - DAY) < 600, each["file"]
        for key in counts:
            counts[key] += sum(scope[key] for scope in each["scopes"])
        verdict = each.get("verdict")
        # On a day without a storm every rise is a false alarm.
        rises = sum(announcement["change"] == "rises" for announcement in each["announcements"])
        false[kind].append(len(verdict["falseAlarms"]) if verdict else rises)
        if verdict:
            missed += len(verdict["missed"])
            late += verdict["warningLateness"]
    late.sort()
    lateness = f"{late[len(late) // 2] / 1000:.1f} s, {late[-1] / 1000:.1f} s at worst" if late else "–"
    cells = [
        "`" + "`, `".join(settings) + "`" if settings else "defaults",
        f"{(counts['risesToWarning'] + counts['risesToCritical']) / len(days):.2f}",
        f"{counts['repeats'] / len(days):.2f}",
        ", ".join(f"{statistics.mean(found):.2f}" for found in false.values() if found),
        f"{missed}",
        lateness,
        f"{(counts['warningTime'] + counts['criticalTime']) / 60000 / len(days):.2f}",
    ]
    return "| " + " | ".join(cells) + " |"

main()
