"""Checks whether the commands in the manual pages could be run."""

import re

import commands
from markdown import ROOT


def problems(counts):
    """Yields the errors in their examples: (place, sentence)."""
    for page in sorted((ROOT / "packaging").glob("man/*.[1-8]")):
        counts["manual pages"] += 1
        for line, command in examples(page):
            for problem in filter(None, [commands.syntax(command), *commands.memwarnd(command)]):
                yield f"{page.relative_to(ROOT)}:{line}", problem


def examples(page):
    """Yields the commands among the literal lines: (line, command)."""
    literal, begun = False, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if re.match(r"\.(Bd -literal|Bd -unfilled|nf|EX)", line):
            literal = True
        elif re.match(r"\.(Ed|fi|EE)", line):
            literal = False
        elif line.startswith(".Dl ") or literal:
            text = begun + line.removeprefix(".Dl ").replace("\\-", "-").strip()
            # A backslash, which is written \e, continues the command in the next line.
            begun = text.removesuffix("\\e") if text.endswith("\\e") else ""
            if not begun and (command := re.match(r"[$#] (.*)|((?:sudo )?memwarnd .*)", text)):
                yield number, command[1] or command[2]
