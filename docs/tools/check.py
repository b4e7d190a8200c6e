#!/usr/bin/python3
"""Checks documents: check.py [DOCUMENT...]. Without arguments it checks all documents.

Runs the blocks of commands from top to bottom in one shell for each document, in a folder that looks like a checkout, and
compares the output of console blocks with the output in the document. A block after <!-- check: REASON --> is not run, but
its syntax and the options that it gives to memwarnd are checked. <!-- check after: COMMANDS --> runs commands before the
block that the reader does not see. Also checks formats of other blocks. references.py checks links and names.
"""

import sys
from collections import Counter

import commands
import formats
import manuals
from markdown import ROOT, Document, documents
from session import Failed, Session

SHELL = {"sh", "console"}


class Report:
    """The problems, and the blocks that were not run with the reasons."""

    def __init__(self):
        self.problems = []
        self.counts = Counter()
        self.excused = []
        self.elsewhere = []

    def problem(self, place, text):
        self.problems.append(f"{place}: {text}")

    def show(self):
        for place, reason in self.excused:
            print(f"not run: {place}: {reason}")
        for name, line in sorted(set(self.elsewhere)):
            print(f"{self.reason(line)}: {name}: {line}")
        print(", ".join(f"{count} {what}" for what, count in self.counts.items()))
        for problem in self.problems:
            print(f"wrong: {problem}")

    @staticmethod
    def reason(line):
        if line.startswith("swift build") or line == "make release":
            return "done before"
        # A step may make several targets, in continued lines.
        steps = (ROOT / ".ci/run").read_text().replace("\\\n", " ").splitlines()
        done = any(set(line.split()) <= set(step.split()) for step in steps if step.startswith(("step ", "begin ")))
        return "run by CI itself" if done else "not run, but there is such a target"


def check(document, report):
    report.counts["documents"] += 1
    for line, code in document.code():
        for problem in commands.memwarnd(code):
            report.problem(f"{document.name}:{line}", problem)
    for block in document.blocks:
        if block.language not in SHELL:
            check_format(block, report)
            continue
        text = commands.commands(block)
        for problem in filter(None, [commands.syntax(text), *commands.memwarnd(text)]):
            report.problem(block.place, problem)
    run([block for block in document.blocks if block.language in SHELL], document, report)


def check_format(block, report):
    report.counts["other blocks"] += 1
    try:
        if problem := formats.problem(block):
            report.problem(block.place, problem)
    except KeyError:
        report.problem(block.place, f"nobody knows how to check a block of “{block.language}”")


def run(blocks, document, report):
    for block in blocks:
        if block.excuse:
            report.excused.append((block.place, block.excuse))
    report.counts["blocks not run"] += sum(1 for block in blocks if block.excuse)
    blocks = [block for block in blocks if not block.excuse]
    if not blocks:
        return
    session = Session()
    try:
        for block in blocks:
            try:
                if block.before:
                    session.run(block.before)
                session.converse(block.text) if block.language == "console" else session.run(block.text)
            except Failed as failure:
                # Later blocks may need the results of the failed one.
                report.problem(block.place, str(failure))
                return
            report.counts["blocks run"] += 1
    finally:
        report.elsewhere += [(document.name, line) for line in session.close()]


def main():
    report = Report()
    chosen = [Document(name) for name in sys.argv[1:]] or documents()
    for document in chosen:
        check(document, report)
    if not sys.argv[1:]:
        for place, text in manuals.problems(report.counts):
            report.problem(place, text)
    report.show()
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
