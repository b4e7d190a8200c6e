#!/usr/bin/python3
"""Measures how many mistakes the tests detect: draws places for a mistake, makes it, and runs the tests.

mutants.py [--seed N] [--count N] [--jobs N] [--tests FILTER] [--list] [PATH...]

It draws COUNT (300) mutants from the files of TARGETS below PATH (all of them), by SEED, which it prints. It makes them
in a clone of the last commit, in .build/mutants: one build has all mutants that touch different lines, each behind
a switch, the variable MUTANT. A mutant that does not compile does not count, and the next one drawn replaces it. The
tests run for JOBS (2) mutants at a time, the nearest tests first, until one fails or exceeds its time.

Exits with 1 if fewer mutants are killed than GOALS require. --list only prints the mutants of the draw. With --tests only
the tests that match FILTER run: it shows what these tests find alone.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import operators

ROOT = Path(__file__).resolve().parents[2]
CLONE = ROOT / ".build/mutants"
# The tests that can detect a mistake in a target: the quickest first, each group only if the one before it passes.
TARGETS = {
    "MemoryPressure": ["MemoryPressureTests", "WarningPolicyTests|SimulatorTests|MemwarnSettingsTests", "MemwarnctlTests"],
    "MemwarnProtocol": ["MemwarnProtocolTests", "WarningPolicyTests", r"MemwarndTests\.(Door|Connections|Page|Observer)"],
    "WarningPolicy": ["WarningPolicyTests", "SimulatorTests|MemwarnSettingsTests", "MemwarnctlTests"],
    "ResourceManager": ["ResourceManagerTests", "ResourceArchivesTests"],
    "ResourceArchives": ["ResourceArchivesTests"],
}
# Tests that depend on the machine's other work.
SKIPPED = r"\.Real|/real\(|ApplyTests"
# The required percentage of killed mutants, in total and in the parts that matter most.
GOALS = [
    ("all", 85, r""),
    ("level machine", 95, r"MemoryPressure/Levels/"),
    ("frames", 95, r"MemwarnProtocol/(Frames/|Frame\.swift)"),
    ("operations", 95, r"ResourceManager/Operations/"),
    ("limits", 95, r"MemoryPressure/Limits/|/ArchiveLimits\.swift"),
    ("state lock", 95, r"/StateLock\.swift"),
]


def read_sources(paths):
    """The texts of the files from which mutants are drawn, by name."""
    texts = {}
    for target in TARGETS:
        for path in sorted((CLONE / "Sources" / target).rglob("*.swift")):
            name = str(path.relative_to(CLONE))
            if not paths or any(name.startswith(part.rstrip("/")) for part in paths):
                texts[name] = path.read_text()
    return texts


def clone():
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
    if not CLONE.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(CLONE)], check=True)
    subprocess.run(["git", "fetch", "--quiet", "origin", head], cwd=CLONE, check=True)
    subprocess.run(["git", "reset", "--quiet", "--hard", head], cwd=CLONE, check=True)
    subprocess.run(["git", "clean", "--quiet", "-fd", "Sources"], cwd=CLONE, check=True)


# MARK: Builds


class Batch:
    """Mutants of files with these texts. No two of them touch the same line."""

    def __init__(self, texts):
        self.texts = texts
        self.mutants = {}
        self.symbols = {}

    def take(self, number, mutant):
        if any(shares_lines(mutant, other) for other in self.mutants.values()):
            return False
        # Box-drawing characters, and the characters after them up to U+2775, are operators in Swift.
        self.symbols[number] = chr(0x2500 + len(self.symbols))
        self.mutants[number] = mutant
        return True

    def write(self):
        """Writes the mutants into the clone."""
        files = dict(self.texts)
        declarations = {target: "" for target in TARGETS}
        for number, mutant in sorted(self.mutants.items(), key=lambda item: -item[1].start):
            target = mutant.path.split("/")[1]
            words = {"mutant": f"mutantOf{target}({number})", "symbol": self.symbols[number]}
            text = files[mutant.path]
            files[mutant.path] = text[:mutant.start] + mutant.both.format(**words) + text[mutant.end:]
            declarations[target] += mutant.declares.format(**words)
        for target, text in declarations.items():
            switch = f"public func mutantOf{target}(_ number: Int) -> Bool {{ number == switchedOn }}\n"
            read = 'private let switchedOn = getenv("MUTANT").map { Int(atoi($0)) } ?? -1\n'
            files[f"Sources/{target}/Mutants.swift"] = "internal import CLinux\n" + read + switch + text
        for name, text in files.items():
            path = CLONE / name
            # A file that is written again is compiled again.
            if not path.exists() or path.read_text() != text:
                path.write_text(text)

    def build(self):
        """Builds the clone; removes the mutants that do not compile, and returns their numbers."""
        stillborn = set()
        while self.mutants:
            self.write()
            command = [os.environ.get("SWIFT", "swift"), "build", "--build-tests", "--package-path", str(CLONE)]
            result = subprocess.run(command, capture_output=True, text=True, errors="replace")
            if result.returncode == 0:
                return stillborn
            wrong = self.blamed(result.stdout + result.stderr)
            if not wrong:
                sys.exit("mutants: the clone does not build:\n" + (result.stdout + result.stderr)[-3000:])
            stillborn |= wrong
            for number in wrong:
                del self.mutants[number]
        return stillborn

    def blamed(self, output):
        """The mutants on whose lines there is an error, or on which the compiler has crashed; otherwise the nearest ones."""
        exact, near = set(), set()
        places = [(file, int(line), int(line)) for file, line in re.findall(r"^(/\S+?\.swift):(\d+):\d+: error:", output, re.M)]
        # The last statement of a stack dump is the innermost one.
        crashes = re.findall(r"statement at \[(/\S+?\.swift):(\d+):\d+ - line:(\d+):\d+\]", output)
        places += [(file, int(first), int(last)) for file, first, last in crashes[-1:]]
        for file, first, last in places:
            here = {n: mutant for n, mutant in self.mutants.items() if str(CLONE / mutant.path) == file}
            exact |= {n for n, mutant in here.items() if mutant.line <= last and first < mutant.line + mutant.lines}
            if here:
                near.add(min(here, key=lambda n: abs(here[n].line - first)))
        return exact or near


def shares_lines(one, other):
    if one.path != other.path:
        return False
    return one.line < other.line + other.lines and other.line < one.line + one.lines


# MARK: Tests


def run(tests, number, limit):
    """Runs tests with a mutant switched on; returns the test that failed, "crash", "timeout" or None, and the seconds."""
    command = [str(CLONE / ".build/debug/memwarndPackageTests.xctest"), "--testing-library", "swift-testing", "--no-parallel"]
    command += ["--filter", tests, "--skip", SKIPPED]
    environment = dict(os.environ, MUTANT=str(number), SWIFT_BACKTRACE="enable=no", NO_COLOR="1")
    start = time.monotonic()
    process = subprocess.Popen(
        command, cwd=CLONE, env=environment, start_new_session=True, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    # The first failure is enough. The processes that the tests have started are killed with them.
    watchdog = subprocess.Popen(["sh", "-c", f"sleep {limit}; kill -9 -{process.pid}"], start_new_session=True)
    failed = None
    for line in process.stdout:
        if match := re.search(r"✘.*?Test (.*?) (?:with .*? )?recorded an issue", line):
            failed = match[1]
            break
    seconds = time.monotonic() - start
    for group in (process.pid, watchdog.pid):
        try:
            os.killpg(group, 9)
        except ProcessLookupError:
            pass
    process.stdout.close()
    watchdog.wait()
    code = process.wait()
    if failed:
        return failed, seconds
    if seconds >= limit:
        return "timeout", seconds
    return None if code == 0 else "crash", seconds


class Times:
    """The time that tests take without a mutant; they have to pass."""

    def __init__(self):
        self.seconds = {}

    def measure(self, mutants):
        for mutant in mutants:
            for tests in TARGETS[mutant.path.split("/")[1]]:
                if tests in self.seconds:
                    continue
                failure, seconds = run(tests, -1, 1_200)
                if failure:
                    sys.exit(f"mutants: without one, {tests} fail: {failure}")
                self.seconds[tests] = seconds

    def limit(self, tests):
        # Other tests run at the same time.
        return int(6 * self.seconds[tests] + 20)


def kill(number, mutant, times):
    """The test that detected a mutant, or None."""
    for tests in TARGETS[mutant.path.split("/")[1]]:
        failure, _ = run(tests, number, times.limit(tests))
        if failure:
            return failure
    return None


# MARK: A draw


def report(results):
    """Prints the table; returns whether all goals are reached."""
    print(f"\n{'':32}{'drawn':>6}{'killed':>7}{'%':>6}{'goal':>6}")
    reached = True

    def row(name, some, goal=None):
        nonlocal reached
        if not some:
            return
        killed = sum(1 for _, killer in some if killer)
        share = 100 * killed / len(some)
        reached = reached and (goal is None or share >= goal)
        print(f"{name:32}{len(some):6}{killed:7}{share:6.0f}{goal or '':>6}")

    for name, goal, pattern in GOALS:
        row(name, [result for result in results if re.search(pattern, result[0].path)], goal)
    for target in TARGETS:
        row("  " + target, [result for result in results if result[0].path.startswith(f"Sources/{target}/")])
    for operator in sorted({mutant.operator for mutant, _ in results}):
        row("  " + operator, [result for result in results if result[0].operator == operator])
    survivors = [mutant for mutant, killer in results if not killer]
    if survivors:
        print("\nsurvivors:")
    for mutant in survivors:
        print(mutant)
    return reached


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tests")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("paths", nargs="*", metavar="PATH")
    arguments = parser.parse_args()

    if arguments.tests:
        TARGETS.update({target: [arguments.tests] for target in TARGETS})
    clone()
    texts = read_sources(arguments.paths)
    drawn = [mutant for name, text in texts.items() for mutant in operators.find(name, text)]
    places = len(drawn)
    random.Random(arguments.seed).shuffle(drawn)
    # At most as many operators are available.
    count = min(arguments.count, places, 450)
    print(f"seed {arguments.seed}: {count} of {places} mutants", flush=True)
    if arguments.list:
        for mutant in drawn[:count]:
            print(mutant)
        return
    results, times = [], Times()
    waiting = list(enumerate(drawn))
    while waiting and len(results) < count:
        batch, later = Batch(texts), []
        for number, mutant in waiting:
            # With some spare: one in five does not compile.
            fits = len(batch.mutants) < 1.3 * (count - len(results)) and batch.take(number, mutant)
            if not fits:
                later.append((number, mutant))
        waiting = later
        stillborn = batch.build()
        for number in sorted(stillborn):
            print(f"does not compile: {drawn[number]}", flush=True)
        chosen = list(batch.mutants.items())[:count - len(results)]
        times.measure(mutant for _, mutant in chosen)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            under_way = {pool.submit(kill, number, mutant, times): mutant for number, mutant in chosen}
            for done in as_completed(under_way):
                mutant, killer = under_way[done], done.result()
                print(f"{'killed' if killer else 'SURVIVED'} {mutant}{f'; by {killer}' if killer else ''}", flush=True)
                results.append((mutant, killer))
    sys.exit(0 if report(results) else 1)


if __name__ == "__main__":
    main()
