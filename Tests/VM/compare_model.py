#!/usr/bin/env python3
"""Compares a kernel and its model after the same scripts: compare_model.py KERNEL MODEL, the folders of their observations.

A row is marked if only one of them has it, if the times differ by more than a second and a quarter of the time since
the script's first step, if a count or a total differs threefold, or if the least headroom differs by ten points.
"""
import os
import sys


def fields(words):
    return dict(word.split("=") for word in words if "=" in word)


class Seen:
    """The figures of a script: for each the text to show, and the value to compare."""

    def __init__(self, path):
        self.firsts, self.numbers, self.levels = {}, {}, {}
        # A counter starts at its first value, and starts again after it was switched off and on.
        start, least = {}, {}
        fired = {}
        with open(path) as file:
            for line in file:
                time, verb, name, *rest = line.split()
                time, values = float(time), fields(rest)
                if verb == "sample":
                    for key in "some", "full":
                        if values[key] == "-":
                            start.pop((name, key), None)
                            continue
                        total = int(values[key]) / 1e6
                        begin = start.setdefault((name, key), total)
                        if total - begin > 0.01:
                            self.first(f"{name} stalls ({key})", time)
                        self.numbers[f"{name} {key}, s"] = total
                    if values["left"] != "-":
                        left = float(values["left"])
                        least[name] = min(least.get(name, 100), left)
                elif verb == "events":
                    for key, value in values.items():
                        if int(value):
                            self.first(f"{name} {key}", time)
                            self.numbers[f"{name} {key}, count"] = int(value)
                elif verb == "fired":
                    self.first(f"trigger {name} fires", time)
                    fired[name] = fired.get(name, 0) + 1
                elif verb == "level":
                    self.first(f"{name} is {rest[0]}", time)
                    self.levels.setdefault(name, []).append(f"{rest[0][0].upper()}{time:.1f}")
                elif verb in ("dead", "killed"):
                    self.first(f"{'trigger ' if verb == 'dead' else ''}{name} is {verb}", time)
        for name, count in fired.items():
            self.numbers[f"trigger {name}, events"] = count
        for name, left in least.items():
            self.numbers[f"{name} left at least, %"] = left

    def first(self, what, time):
        self.firsts.setdefault(what, time)


def differs(kernel, model):
    return abs(kernel - model) > 1 + 0.25 * max(0, min(kernel, model) - 1)


def compare(name, kernel, model):
    rows, marked = [], 0
    for what in sorted({*kernel.firsts, *model.firsts}, key=lambda what: (kernel.firsts | model.firsts)[what]):
        left, right = kernel.firsts.get(what), model.firsts.get(what)
        mark = left is None or right is None or differs(left, right)
        rows.append((what, *("" if time is None else f"{time:.1f} s" for time in (left, right)), mark))
    for what in sorted({*kernel.numbers, *model.numbers}):
        left, right = kernel.numbers.get(what, 0), model.numbers.get(what, 0)
        if what.endswith("%"):
            mark = abs(left - right) > 10
        else:
            mark = abs(left - right) > (0.5 if what.endswith(", s") else 2) and max(left, right) > 3 * min(left, right)
        rows.append((what, f"{left:.3g}", f"{right:.3g}", mark))
    for what in sorted({*kernel.levels, *model.levels}):
        rows.append((f"levels of {what}", *(" ".join(seen.levels.get(what, [])) for seen in (kernel, model)), False))
    print(f"\n### {name}\n\n| | kernel | model | |\n| --- | ---: | ---: | --- |")
    for what, left, right, mark in rows:
        marked += mark
        print(f"| {what} | {left} | {right} | {'differs' if mark else ''} |")
    shared = [what for what in kernel.firsts if what in model.firsts]
    for one in shared:
        for other in shared:
            if kernel.firsts[one] + 0.5 < kernel.firsts[other] and model.firsts[other] + 0.5 < model.firsts[one]:
                print(f"\nOrder: {one} before {other} in the kernel, after it in the model.")
                marked += 1
    return marked


kernel, model = sys.argv[1:3]
with open(f"{kernel}/kernel") as file:
    print(f"Linux {file.read().strip()}")
counts = {name: compare(name, Seen(f"{kernel}/{name}"), Seen(f"{model}/{name}")) for name in sorted(os.listdir(model))}
print(f"\n{sum(counts.values())} differences: {', '.join(f'{name} {count}' for name, count in counts.items())}")
