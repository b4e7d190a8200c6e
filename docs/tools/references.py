#!/usr/bin/python3
"""Checks whether the targets of references in documents exist: links, files, targets of make, names in the code.

Needs no build, so that a change of words is checked at once.
"""

import functools
import os
import re
import sys
from pathlib import Path

from markdown import ROOT, Document, articles, documents

FOLDERS = r"(?:\.ci|Benchmarks|Examples|Snippets|Sources|Tests|docs|packaging)"
# In these documents each name in code has to exist in the repository's code.
NAMING = {"docs/ARCHITECTURE.md", "SECURITY.md"}
# In these documents each name in code has to be public in the library, or in LOCAL.
SPECIFYING = {"docs/RULES.md"}
LIBRARY = ("ResourceManager", "ResourceCaches", "ObjectCache", "ResourceArchives")
# Names of a service's own code in examples, and of the language.
LOCAL = {"MyViewController", "MyView", "Controller", "Sendable", "self", "nil", "true", "false", "isolated", "deinit"}
# Documents about former states.
HISTORY = {"CHANGELOG.md"}


def problems(document):
    """Yields the errors: (line, sentence)."""
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
        if document.name in SPECIFYING and not is_declared(code):
            yield line, f"the library declares no {code}"
    for line, text in document.prose if document.name in SPECIFYING else []:
        for name in re.findall(r"\b[a-z]+[A-Z]\w*", re.sub(r"`[^`]*`", "", text)):
            if name != "iOS" and not is_declared(name):
                yield line, f"the library declares no {name}"


def links_of_docc(article):
    """Yields the links that lead nowhere on a page of the repository. DocC needs them in its lists."""
    for line, text in article.prose:
        if re.search(r"<doc:|\(doc:", text) and not text.startswith("- <doc:"):
            yield line, "link the file; make docs turns that into a link of DocC"


def is_declared(code):
    """Returns whether the library declares the names in code, and a call with its labels; true for files and modules."""
    if code in LIBRARY or re.match(r"/|memory\.|docs/|Tests/", code):
        return True
    names, calls = declarations()
    if call := re.fullmatch(r"(\w+)\(((?:\w+:)*)\)", code):
        return (call[1], call[2]) in calls
    code = re.sub(r":<\w+>$", "", code)  # the subject of a fault
    return all(name in LOCAL or name in names for name in re.findall(r"[A-Za-z_]\w*", code))


@functools.cache
def declarations():
    """Returns what is public in the library: names, and calls with their labels, with and without those that have a default."""
    # A case, and a requirement of a protocol, are as public as their type.
    public = r"(?:^ *case|^    func|^    var|\b(?:public|open)\b[^\n={]*?\b(?:func|var|let|class|struct|enum|protocol))"
    start = rf"(?:{public} (\w+)|\b(?:public|open)\b[^\n={{]*?\b(init))(?:<[^>]*>)?\("
    names, calls = set(), set()
    for path in (path for module in LIBRARY for path in (ROOT / "Sources" / module).rglob("*.swift")):
        source = path.read_text()
        names |= set(re.findall(rf"{public} `?(\w+)", source, re.M))
        for call in re.finditer(start, source, re.M):
            found = parameters(source[call.end() : call.end() + 2000])
            for chosen in (found, [each for each in found if "=" not in each]):
                calls.add((call[1] or call[2], "".join(f"{each.split()[0].rstrip(':')}:" for each in chosen)))
    return names, calls


def parameters(source):
    """Returns the parameters of a declaration, after its first parenthesis."""
    found, depth = [""], 0
    for character in source.replace("->", ""):
        depth += (character in "([{<") - (character in ")]}>")
        if depth < 0:
            break
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [each for each in found if each.strip()]


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
    # A clean clone has no results of a build, even if this clone has them.
    return ".build" not in pattern and any(ROOT.glob(pattern.rstrip("/")))


@functools.cache
def targets():
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.M))


@functools.cache
def words():
    """Returns all words of the code, and the names of its files and folders."""
    found = {path.name for path in ROOT.iterdir()}
    for top in ("Sources", "Tests", "Examples", "packaging"):
        for folder, folders, files in os.walk(ROOT / top):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found |= {name.split(".")[0] for name in [*folders, *files]}
            for name in files:
                if name.endswith((".swift", ".h", ".conf", ".service")):
                    found |= set(re.findall(r"\w+", Path(folder, name).read_text(errors="replace")))
    return found


def main():
    pages = list(articles())
    found = [(each, *problem) for each in [*documents(), *pages] for problem in problems(each)]
    found += [(each, *problem) for each in pages for problem in links_of_docc(each)]
    for document, line, text in found:
        print(f"{document.name}:{line}: {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
