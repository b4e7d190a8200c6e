"""Whether what documents refer to is there: links, files, targets of make, names in the code."""

import functools
import os
import re
from pathlib import Path

from markdown import ROOT, Document

FOLDERS = r"(?:\.ci|Benchmarks|Examples|Snippets|Sources|Tests|docs|packaging)"
# In these each name in code is one of the code's.
NAMING = {"docs/ARCHITECTURE.md", "SECURITY.md"}
# What was there once.
HISTORY = {"CHANGELOG.md"}


def problems(document):
    """What is wrong: (line, sentence)."""
    for line, target in document.links():
        if not re.match(r"[a-z]+:", target):
            if problem := missing(document, target):
                yield line, problem
    if document.name in HISTORY:
        return
    for line, code in document.code():
        if re.fullmatch(rf"{FOLDERS}/[\w.+*/{{}},-]*", code) and not exists(code):
            yield line, f"there is no {code}"
        if (make := re.match(r"make ([a-z][a-z-]*)", code)) and make[1] not in targets():
            yield line, f"there is no target {make[1]}"
        is_name = re.fullmatch(r"[A-Z]\w*(\+[A-Z]\w*)?", code) and re.search("[a-z]", code) and "_" not in code
        if document.name in NAMING and is_name and code not in words():
            yield line, f"nothing in the code is called {code}"


def missing(document, target):
    path, _, anchor = target.partition("#")
    file = (document.path.parent / path).resolve() if path else document.path
    if not file.exists():
        return f"the link to {target} leads nowhere"
    if anchor and file.suffix == ".md" and anchor not in Document(file.relative_to(ROOT)).anchors:
        return f"there is no heading for {target}"


def exists(pattern):
    if braces := re.search(r"\{([^}]*)\}", pattern):
        return all(exists(pattern.replace(braces[0], part, 1)) for part in braces[1].split(","))
    # What a build makes is not there in a clean clone, wherever it is here.
    return ".build" not in pattern and any(ROOT.glob(pattern.rstrip("/")))


@functools.cache
def targets():
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M))


@functools.cache
def words():
    """All words of the code, and the names of its files and folders."""
    found = {path.name for path in ROOT.iterdir()}
    for top in ("Sources", "Tests", "Examples", "packaging"):
        for folder, folders, files in os.walk(ROOT / top):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found |= {name.split(".")[0] for name in [*folders, *files]}
            for name in files:
                if name.endswith((".swift", ".h", ".conf", ".service")):
                    found |= set(re.findall(r"\w+", Path(folder, name).read_text(errors="replace")))
    return found
