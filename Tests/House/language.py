#!/usr/bin/python3
"""Finds wording that is hard to read, in the comments and messages of the sources and in the documents.

language.py [FOLDER], that of the repository by default. Prints file, line, the words found and a better wording. Exits with
1 if it finds any. A few patterns also match good sentences, which need another wording then.

In Sources, Examples, Snippets, Tests and Benchmarks it reads comments and string literals; in documents everything except blocks of
code. It skips code in backticks and interpolations.
"""

import re
import sys
from pathlib import Path

CODE = ["Sources", "Examples", "Snippets", "Tests", "Benchmarks"]
DOCUMENTS = ["*.md", "docs/*.md", "Examples/*/*.md", "Tests/*/*.md", "packaging/**/*.md", "Sources/**/*.docc/**/*.md", "packaging/man/*.[1-8]"]

PEOPLE = r"(?:users?|people|persons?|administrators?|operators?|maintainers?|readers?|developers?|authors?)"
START = r"(?:^|(?<=[.:;?!] ))"  # of a sentence
QUESTION = r"(?:[Hh]ow|[Ww]hat|[Ww]hether|[Ww]here|[Ww]hy)"
VERB = r"is|are|was|were|has|have|had|can|may|must|would|does|did|comes?|goes|stays|leaves|left|waits|lies|happens|happened|remains"
VERB += r"|needs|keeps|takes|took|makes|holds|stands|runs|belongs|became|becomes|reads|writes|ends|ended|knows|lives|sends"

# (the wording to find, the better wording), each after its reason.
PATTERNS = [
    # Processes, threads and values are the actors. A person is an actor only if a person acts.
    (r"\b(?:[Ww]ho|[Ww]hom|[Ww]hoever)\b", "name the thing that acts"),
    (r"\b(?:[Nn]obody|[Ss]omebody|[Aa]nybody|[Ee]verybody|[Ss]omeone|[Nn]o one)\b", "name the thing that acts"),
    # Without a noun before them, "whose" and "one" refer to nothing.
    (rf"{START}Whose\b", "name the owner"),
    (rf"{START}Ones? (?:that|which)\b", "repeat the noun"),
    # The words mean to follow, to use or to disappear.
    (r"\b(?:go|goes|going|gone|went) by\b", "follows, uses, is removed"),
    # The subject comes after the verb.
    (r"\b[Ii]t is (?:the|a|an|this|these) (?:[\w'-]+ ){1,4}(?:that|which)\b", "begin with the subject"),
    # "What" as the actor, where a noun would name the thing. A question may begin with it.
    (rf"(?:{START}What|\b(?:and|but|or) what) (?:{VERB})\b(?![^.?]*\?)", "a noun: the bytes that …, the state of …"),
    (r"\bwhat of\b", "name the part"),
    # German word order: the object before the verb and the subject after it.
    (rf"\b{QUESTION} \w+ [^.,:;?]{{0,60}}\b(?:says?|tells?|decides?|shows?|defines?) (?:`|the\b|its\b)", "the subject first: X says how …"),
    (rf"{START}(?:Of|To|For|With) [^.,:;]{{1,40}} (?:says?|tells?|counts?|knows?|decides?|asks?) (?:the|an?|`)", "the subject first"),
    # The noun that it refers to is far away.
    (r"\bof which\b", "whose, or a new sentence"),
    # The reader has to search for the object of the comparison.
    (r"\b[Ss]uch an?\b(?! way)", "this …, or a noun of its own"),
    (r"\bso (?:many|much|few)\b(?! that\b)", "that number of, up to that many"),
    (r"\bas \w+ as\b[^.;]*\bas \w+ as\b", "two sentences, or than"),
    (r"\b[Tt]he (?:more|less|fewer|longer) [^.;,]*,? the (?:more|less|fewer|longer)\b", "X grows with Y"),
    # Words and phrases of other centuries or languages.
    (r"\b(?:anew|thereof|whereof|whereby|wherein)\b", "again, of it, with it, in it"),
    (r"\b(?:called|named) (?:alike|like)\b", "has the same name as, is named after"),
    (r", be (?:it|they|that)\b", "whether … or …"),
]
PATTERNS = [(re.compile(pattern), instead) for pattern, instead in PATTERNS]
FRACTION = r"(?:some|all|both|each|most|none|one|two|three|any|either|neither|many)"
ALLOWED = re.compile(rf"\b{PEOPLE},? who\b|\b{FRACTION} of which\b", re.IGNORECASE)

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|#*"""(?:.*?)"""#*|"(?:\\.|[^"\\\n])*"', re.S)


class Text:
    """Pieces of lines that make one text: a sentence may continue on the next line."""

    def __init__(self):
        self.text = ""
        self.lines = []  # (position in the text, line number)

    def add(self, number, piece):
        self.text += " " if self.text else ""
        self.lines.append((len(self.text), number))
        self.text += piece

    def findings(self):
        """(line number, words, what to write instead)."""
        text = re.sub(r"``?[^`]*``?", lambda code: "`" + "_" * (len(code[0]) - 2) + "`", self.text)
        text = ALLOWED.sub(lambda allowed: "_" * len(allowed[0]), text)
        for pattern, instead in PATTERNS:
            for found in pattern.finditer(text):
                line = max(number for position, number in self.lines if position <= found.start())
                yield line, self.text[found.start() : found.end()], instead


def prose(lines):
    """The texts of Markdown, of a comment or of a manual page: takes (line number, line), yields Text."""
    text, is_code = Text(), False
    for number, line in lines:
        line = line.strip()
        is_fence = line.startswith("```")
        is_code ^= is_fence
        is_empty = not line or is_fence or is_code or line.startswith((".", "'\\\""))
        if is_empty or re.match(r"[-*|#>] |\d+\. |\|", line):
            yield text
            text = Text()
        if line.startswith("|"):
            for cell in line.split("|"):
                text.add(number, cell.strip())
                yield text
                text = Text()
        elif not is_empty:
            text.add(number, re.sub(r"^[-*#>]+ |^\d+\. ", "", line))
    yield text


def swift(source):
    """The texts of a Swift or C file: its comments and its string literals."""
    comment, last = [], 0
    for token in TOKEN.finditer(source):
        number = source.count("\n", 0, token.start()) + 1
        if token[0].startswith("//"):
            is_alone = not source[source.rfind("\n", 0, token.start()) + 1 : token.start()].strip()
            if number != last + 1 or not is_alone:
                yield from prose(comment)
                comment = []
            comment.append((number, token[0].lstrip("/")))
            last = number if is_alone else 0
        else:
            for offset, line in enumerate(token[0].split("\n")):
                text = Text()
                text.add(number + offset, re.sub(r"\\\([^)]*\)", "_", line).strip(' #"/*'))
                yield text
    yield from prose(comment)


def findings(path):
    source = path.read_text()
    is_code = path.suffix in (".swift", ".h", ".c")
    texts = swift(source) if is_code else prose(enumerate(source.split("\n"), 1))
    return sorted({finding for text in texts for finding in text.findings()})


def main(top):
    code = sorted(path for folder in CODE for kind in ("swift", "h", "c") for path in (top / folder).rglob(f"*.{kind}"))
    # Excludes the files that a package's own build has fetched or made.
    code = [path for path in code if not any(part.startswith(".") for part in path.relative_to(top).parts)]
    documents = sorted({path for pattern in DOCUMENTS for path in top.glob(pattern)})
    failed = False
    for path in code + documents:
        for line, words, instead in findings(path):
            print(f"{path.relative_to(top)}:{line}: “{words}”: {instead}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2]))
