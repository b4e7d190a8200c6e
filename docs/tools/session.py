"""Runs the blocks of one document in a shell, from top to bottom as a reader would."""

import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from markdown import ROOT

HERE = Path(__file__).resolve().parent
BLOCK_SECONDS = 120  # the longest block plays a course of warnings for half a minute
OUTPUT_SECONDS = 30  # the time for the output of a program in the background


class Failed(Exception):
    """The result of a block differs from the document."""


class Session:
    """A shell in a folder that looks like a checkout. The folder is deleted at the end with all its contents."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="docs."))
        for entry in ROOT.iterdir():
            if entry.name != ".git":
                (self.folder / entry.name).symlink_to(entry)
        for entry in (HERE / "stage").iterdir():
            (self.folder / entry.name).symlink_to(entry)
        scratch = self.folder / "tmp"
        scratch.mkdir()
        self.count = 0
        self.elsewhere = self.folder / "elsewhere"
        self.elsewhere.touch()
        reports, write = os.pipe()
        self.reports = reports
        keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        path = f"{ROOT}/.build/release:{ROOT}/.build/debug:{keep['PATH']}"
        self.shell = subprocess.Popen(
            ["bash", "--norc"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=keep | {"PATH": path, "TMPDIR": str(scratch), "REPORTS": str(write), "ROOT": str(ROOT),
                        "ELSEWHERE": str(self.elsewhere), "MEMWARND_SOCKET": f"{scratch}/memwarnd.sock"},
            pass_fds=[write],
            start_new_session=True,
        )
        os.close(write)
        self.run((HERE / "prelude.sh").read_text())

    def run(self, text):
        """Runs commands to their end; returns the file with their output."""
        self.count += 1
        script, output = self.folder / f"tmp/{self.count}.sh", self.folder / f"tmp/{self.count}.out"
        script.write_text(text)
        self._say(f'. "{script}" >"{output}" 2>&1 </dev/null; echo done >&$REPORTS')
        end = time.monotonic() + BLOCK_SECONDS
        while time.monotonic() < end:
            # The shell's end does not close the pipe, since programs in the background have it open too.
            ready, _, _ = select.select([self.reports], [], [], 0.2)
            report = os.read(self.reports, 4096).decode().strip() if ready else ""
            if report == "done":
                return output
            if report or self.shell.poll() is not None:
                raise Failed(f"{report or 'the shell has ended'}\n{output.read_text()}")
        raise Failed(f"it takes longer than {BLOCK_SECONDS} s\n{output.read_text()}")

    def converse(self, text):
        """Runs the commands of a console block, each with the output that the document shows."""
        for command, expected in exchanges(text):
            output = self.run(command)
            pattern = re.compile(expectation(expected))
            end = time.monotonic() + OUTPUT_SECONDS
            while not pattern.fullmatch(said := output.read_text().rstrip("\n")):
                # A program in the background may still print the output; without one, the output is complete.
                if "&" not in command or time.monotonic() > end:
                    raise Failed(f"$ {command}says\n{said}\nand not\n{expected}")
                time.sleep(0.05)

    def close(self):
        """Ends all processes that were started; returns the commands that were not run because CI runs them itself."""
        skipped = self.elsewhere.read_text().splitlines()
        try:
            os.killpg(self.shell.pid, signal.SIGTERM)
            time.sleep(0.2)
            os.killpg(self.shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.shell.wait()
        os.close(self.reports)
        shutil.rmtree(self.folder)
        return skipped

    def _say(self, line):
        try:
            self.shell.stdin.write(line.encode() + b"\n")
            self.shell.stdin.flush()
        except BrokenPipeError:
            raise Failed("the shell has ended") from None


def exchanges(text):
    """Returns the commands of a console block, and the output after each."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:] + "\n", ""])
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1][0] += line[2:] + "\n"
        elif found:
            found[-1][1] += line + "\n"
    return found


def expectation(text):
    """Returns a pattern for output: any number matches a number, any blanks match blanks, and … matches anything."""
    pattern = re.escape(text.rstrip("\n"))
    pattern = re.sub(r"\d+(\\\.\d+)?", r"\\d+(?:\\.\\d+)?", pattern)
    # The widths of columns depend on their figures.
    pattern = re.sub(r"(\\ )+", r" +", pattern)
    return pattern.replace("…", r"[\s\S]*")
