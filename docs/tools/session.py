"""A shell in which the blocks of one document are run, from top to bottom as a reader would."""

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
OUTPUT_SECONDS = 30  # for what a program in the background says


class Failed(Exception):
    """A block did not do what the document says."""


class Session:
    """The folder that it runs in looks like a checkout, and is thrown away with all that was left in it."""

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
        """Runs commands to their end; returns the file that their output goes to."""
        self.count += 1
        script, output = self.folder / f"tmp/{self.count}.sh", self.folder / f"tmp/{self.count}.out"
        script.write_text(text)
        self._say(f'. "{script}" >"{output}" 2>&1 </dev/null; echo done >&$REPORTS')
        end = time.monotonic() + BLOCK_SECONDS
        while time.monotonic() < end:
            # The end of the shell is not that of the pipe, which programs in the background have as well.
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
                # A program in the background may still be about to say it; others have had their say.
                if "&" not in command or time.monotonic() > end:
                    raise Failed(f"$ {command}says\n{said}\nand not\n{expected}")
                time.sleep(0.05)

    def close(self):
        """Ends everything that was started; returns what was not run because CI runs it by itself."""
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
    """The commands of a console block, and the output after each."""
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
    """A pattern for output: any number may stand for a number, any blanks for blanks, and … for anything."""
    pattern = re.escape(text.rstrip("\n"))
    pattern = re.sub(r"\d+(\\\.\d+)?", r"\\d+(?:\\.\\d+)?", pattern)
    # Columns are as wide as their figures.
    pattern = re.sub(r"(\\ )+", r" +", pattern)
    return pattern.replace("…", r"[\s\S]*")
