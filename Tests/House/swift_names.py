"""The names that a Swift file declares and uses, read from its words alone, without a compiler or types of expressions."""

import re
from dataclasses import dataclass, field

TYPES = {"struct", "class", "enum", "protocol", "actor", "typealias"}
MODIFIERS = {"public", "package", "internal", "private", "fileprivate", "open", "final", "indirect", "static", "class"}
MODIFIERS |= {"mutating", "nonmutating", "consuming", "borrowing", "nonisolated", "lazy", "override", "unowned", "weak"}
TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>//[^\n]*)|(?P<block>/\*)|(?P<quote>#*(?:\"{3}|\"))"
    r"|(?P<word>`\w+`|[A-Za-z_]\w*)|(?P<number>\d\w*(?:\.\d\w*)?)|(?P<operator>[./=\-+!*%<>&|^~?]+)|(?P<mark>.)"
)


@dataclass
class Token:
    text: str
    line: int
    is_word: bool = False

    @property
    def is_dot(self):
        """Whether a member's name follows: `.`, `?.`, `!.`, but not `...`."""
        return self.text[-1] == "." and ".." not in self.text


@dataclass
class Declaration:
    """A type, or another name that is declared in a type, in an extension or outside of them."""

    name: str
    owner: str  # the type around it as written: Cgroup or Cgroup.Event; empty outside of types
    line: int
    is_type: bool
    is_private: bool  # to its file
    extends: bool  # is in an extension

    @property
    def path(self):
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass
class Use:
    """A use of a name; for a type with the parts before and after it: Cgroup.Event."""

    name: str
    owner: str  # the type around it, as in a declaration
    line: int
    is_type: bool
    follows_dot: bool


@dataclass
class Scope:
    owner: str
    is_body: bool = False  # of a type or an extension
    extends: bool = False


@dataclass
class Names:
    declarations: list = field(default_factory=list)
    uses: list = field(default_factory=list)


def tokens(text):
    """The words, operators and other marks of the code, including interpolations; without comments and texts."""
    found, line, position, depth = [], 1, 0, 0
    quotes = []  # the literals around an interpolation: (the end of the literal, depth of parentheses)
    while position < len(text):
        token = TOKEN.match(text, position)
        kind, position = token.lastgroup, token.end()
        if kind == "block":
            nested = 1
            while nested:
                end = re.compile(r"/\*|\*/").search(text, position)
                nested += 1 if end[0] == "/*" else -1
                line += text.count("\n", position, end.end())
                position = end.end()
        elif kind == "quote" or token[0] == ")" and quotes and quotes[-1][1] == depth:
            if kind == "quote":
                sharps = token[0].count("#")
                end = token[0][sharps:] + "#" * sharps
            else:
                end, _ = quotes.pop()
                depth -= 1
            begin = position
            position, is_interpolation = skip_text(text, position, end)
            line += text.count("\n", begin, position)
            if is_interpolation:
                depth += 1
                quotes.append((end, depth))
        elif kind in ("word", "number", "operator", "mark"):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            found.append(Token(token[0].strip("`"), line, kind == "word"))
        line += token[0].count("\n")
    return found


def skip_text(text, position, end):
    """The position after the end of a literal's text or the beginning of an interpolation, and whether it is an interpolation."""
    escape = "\\" + "#" * end.count("#")
    while not text.startswith(end, position):
        if text.startswith(escape, position):
            position += len(escape) + 1
            if text[position - 1] == "(":
                return position, True
        else:
            position += 1
    return position + len(end), False


def read(text):
    """The names in the text of a Swift file."""
    return Reader(tokens(text)).names


class Reader:
    def __init__(self, code):
        self.code = code
        self.names = Names()
        self.scopes = [Scope("", is_body=True)]
        self.next_scope = None  # the scope of the next body, and the depth of parentheses at which it was announced
        self.depth = 0
        self.generics = set()
        self.position = 0
        while self.position < len(code):
            self.step()
        self.names.uses = [use for use in self.names.uses if use.name.split(".")[0] not in self.generics]

    def at(self, offset):
        position = self.position + offset
        return self.code[position] if 0 <= position < len(self.code) else Token(";", 0)

    def step(self):
        token = self.at(0)
        if token.is_word and not self.at(-1).is_dot:
            self.word(token)
        elif token.is_word:
            self.use(token, follows_dot=True)
        else:
            self.mark(token.text)
        self.position += 1

    def mark(self, text):
        if text in "([":
            self.depth += 1
        elif text in ")]":
            self.depth -= 1
        elif text == "{":
            announced = self.next_scope and self.next_scope[1] == self.depth
            self.scopes.append(self.next_scope[0] if announced else Scope(self.scopes[-1].owner))
            self.next_scope = None if announced else self.next_scope
        elif text == "}":
            self.scopes.pop()

    def word(self, token):
        following = self.at(1)
        if token.text == "import":
            while self.at(1).line == token.line:
                self.position += 1
        elif token.text in TYPES and following.is_word and following.text[0].isupper():
            self.declare(is_type=True)
            if token.text != "typealias":
                self.announce(Scope(self.names.declarations[-1].path, is_body=True))
        elif token.text == "extension":
            self.extension()
        elif token.text in ("func", "var", "let", "case") and following.is_word and self.scopes[-1].is_body:
            self.declare(is_type=False)
        elif token.text in ("init", "subscript") or token.text == "func" and following.is_word:
            self.position += token.text == "func"
            self.take_generics()
        else:
            self.use(token, follows_dot=False)

    def declare(self, is_type):
        """Records the next name as a declaration."""
        before = [self.at(-1)]
        while before[-1].text in MODIFIERS:
            before.append(self.at(-1 - len(before)))
        is_private = any(token.text in ("private", "fileprivate") for token in before)
        self.position += 1
        name, scope = self.at(0), self.scopes[-1]
        declaration = Declaration(name.text, scope.owner, name.line, is_type, is_private, scope.extends)
        self.names.declarations.append(declaration)
        self.take_generics()

    def take_generics(self):
        """Records the names of the generic parameters that follow, which are not declared types."""
        offset = 1
        if not self.at(offset).text.startswith("<"):
            return
        depth, is_name = 0, True
        while depth or offset == 1:
            token = self.at(offset)
            if token.is_word and is_name:
                self.generics.add(token.text)
            bare = token.text.replace("->", "")
            depth += bare.count("<") - bare.count(">")
            is_name = depth == 1 and token.text in (",", "<", "each", "let")
            offset += 1

    def extension(self):
        written, offset = [], 1
        while self.at(offset).text not in (":", "where", "{"):
            written.append(self.at(offset).text)
            offset += 1
        name = re.sub(r"<.*", "", "".join(written))
        self.announce(Scope(name, is_body=True, extends=True))

    def announce(self, scope):
        self.next_scope = scope, self.depth

    def use(self, token, follows_dot):
        is_type = token.text[0].isupper()
        name, line = token.text, token.line
        if is_type:
            while self.at(1).text == "." and self.at(2).is_word and self.at(2).text[0].isupper():
                self.position += 2
                name += "." + self.at(0).text
        elif not follows_dot and self.at(1).text == ":" and self.at(-1).text in ("(", ","):
            return  # an argument label
        owner = self.scopes[-1].owner
        if name == "Self" or name.startswith("Self."):
            name = owner + name.removeprefix("Self")
        if name:
            self.names.uses.append(Use(name, owner, line, is_type, follows_dot))
