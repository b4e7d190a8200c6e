"""Parses the documents of this repository, as far as the tools need it."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Block:
    """A fenced block of code."""

    document: str
    line: int  # of its first line of code
    language: str
    text: str
    excuse: str = ""  # the reason why it is not run: <!-- check: REASON -->
    before: str = ""  # the commands to run before it: <!-- check after: COMMANDS -->

    @property
    def place(self):
        return f"{self.document}:{self.line}"


class Document:
    """A Markdown file: its blocks of code, and its text without them."""

    def __init__(self, path):
        self.path = ROOT / path
        self.name = str(path)
        self.blocks = []
        self.prose = []  # (line number, line)
        self._read()

    def _read(self):
        block, fence, marks = None, "", {}
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            opening = re.match(r"( *)(```+)(\S*)$", line)
            if block is not None:
                if line.strip() == fence:
                    block = None
                else:
                    block.text += line.removeprefix(indent) + "\n"
            elif opening:
                indent, fence, language = opening.groups()
                excuse, before = marks.get("check", ""), marks.get("check after", "")
                block = Block(self.name, number + 1, language, "", excuse, before)
                self.blocks.append(block)
                marks = {}
            elif mark := re.match(r"\s*<!-- (check|check after): (.*) -->$", line):
                marks[mark[1]] = mark[2]
            else:
                if line.strip():
                    marks = {}
                self.prose.append((number, line))
        if block is not None:
            raise ValueError(f"{block.place}: the block has no end")

    @property
    def anchors(self):
        """The possible targets of links in it, by GitHub's rule for headings."""
        return {slug(line.lstrip("#")) for _, line in self.prose if re.match(r"#+ ", line)}

    def links(self):
        """Yields the targets of its links: (line, target)."""
        for number, line in self.prose:
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                yield number, target

    def code(self):
        """Yields the code in its text: (line, code)."""
        for number, line in self.prose:
            for code in re.findall(r"`([^`]+)`", line):
                yield number, code


def slug(heading):
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def library_page(inside):
    """Returns the place of an article of the library's catalogues on the site; None for other files."""
    if inside.parent.suffix == ".docc" and inside.suffix == ".md":
        module, name = inside.parent.stem.lower(), inside.stem.lower()
        return f"library/documentation/{module}/" + ("" if name == module else f"{name}/")


def articles():
    """Returns the articles of the library's catalogues; DocC checks the symbols in them."""
    return [Document(path.relative_to(ROOT)) for path in sorted(ROOT.glob("Sources/*/*.docc/*.md"))]


def documents():
    """Returns all documents except the articles of the library's catalogues."""
    patterns = ["*.md", "docs/*.md", "Examples/*/*.md", "packaging/**/*.md", "Tests/**/*.md"]
    paths = {path.relative_to(ROOT) for pattern in patterns for path in ROOT.glob(pattern)}
    # A package inside this one has its build in a hidden folder, with the documents of other packages.
    paths = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    return [Document(path) for path in sorted(paths, key=lambda path: (len(path.parts) > 1, path))]
