"""Checks whether commands could be run: their syntax, and the options that they give to memwarnd."""

import functools
import re
import shlex
import subprocess

from markdown import ROOT
from session import exchanges

MEMWARND = ROOT / ".build/release/memwarnd"


def commands(block):
    """Returns the commands of a block of shell code."""
    if block.language == "console":
        return "".join(command for command, _ in exchanges(block.text))
    return block.text


def syntax(text):
    """Returns the shell's error message about commands; empty if there is none."""
    result = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
    return result.stderr.strip()


def memwarnd(text):
    """Yields the errors in the calls of memwarnd among commands: subcommands and options that do not exist."""
    text = re.sub(r"<<-?'?(\w+)'?(.*\n)[\s\S]*?\n\s*\1\n", r"\2", text.replace("\\\n", " "))
    for line in text.splitlines():
        for words in calls(line):
            if problem := refusal(words):
                yield f"{' '.join(['memwarnd', *words])}: {problem}"


def calls(line):
    """Returns the words after each memwarnd in a line, up to the end of the command or of memwarnd's own options."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # a quotation that continues in the next line
        return []
    found, call, is_start = [], None, True
    for word in words:
        if set(word) <= set("();<>|&") or word == "--":
            call, is_start = None, True
        elif call is not None:
            call.append(word)
        elif is_start and re.fullmatch(r"(.*/)?memwarnd", word):
            call = []
            found.append(call)
        elif word not in ("sudo", "exec", "then", "do", "if", "until", "while", "!") and not re.match(r"\w+=", word):
            is_start = False
    return found


def refusal(words):
    """Returns the reason why memwarnd would not accept these words, or None."""
    path = []
    while words and words[0] in help_of(*path)[0]:
        path.append(words[0])
        words = words[1:]
    subcommands, options = help_of(*path)
    # VERB stands for any subcommand.
    if subcommands and words and not words[0].startswith("-") and words[0] != "VERB":
        return f"there is no command {words[0]}"
    for word in words:
        option = word.split("=")[0]
        if re.match(r"--?[a-z]", option) and option not in options:
            return f"there is no option {option}"
    return None


@functools.cache
def help_of(*path):
    """Returns the subcommands and the options in the help of a command."""
    text = subprocess.run([MEMWARND, *path, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.split(r"\n(?:SUBCOMMANDS|[A-Z ]+COMMANDS):\n", text)
    subcommands = [name for part in listed[1:] for name in re.findall(r"^  ([a-z]+)", part, re.M)]
    return subcommands, set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))
