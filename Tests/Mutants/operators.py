"""Finds the places in Swift code where a mistake could be, by the words of the code alone, and the text of each mistake.

A mutant replaces a part of the code by text with both forms: the correct code, and the code with the mistake. A switch
selects one at run time, so many mutants need only one build. No replacement adds or removes a line.

The operators are fixed: comparisons changed, guards, statements and early returns removed, constants ±1, booleans inverted, two
calls swapped. A place that they miss, such as a statement of several lines, is never drawn.
"""

import re
from dataclasses import dataclass

COMPARISON = re.compile(r"(?<!func) (===|!==|==|!=|<=|>=|<|>) ")
TURNED = {
    "==": ["!="], "!=": ["=="], "===": ["!=="], "!==": ["==="],
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"],
}
NUMBER = re.compile(r"(?<![\w.$])\d[\d_]*(?![\w.]|\.\d)")
# The number of a case has to be a literal.
RAW_VALUE = re.compile(r"^ *case \w+ = \d+$", re.M)
BOOLEAN = re.compile(r"(?<![\w.])(true|false)(?!\w)")
NEGATION = re.compile(r"(?<=[ (\[{])!(?=[\w.(])")
CALL = re.compile(r"(?:_ = )?(?:try[?!]? )?(?:await )?[\w.$?!]+(?:\[[^\]]*\][?!]?)*(?:\.[\w?!]+)*\(.*\)")
ASSIGNMENT = re.compile(r"[\w.$?!]+(?:\[[^\]]*\])?(?:\.[\w?!]+)* (?:=|\+=|-=|\|=) .+")
KEYWORDS = re.compile(r"(?:let|var|func|init|case|if|guard|while|for|switch|return|throw|defer|repeat|else|precondition|import|[A-Z]\w*(?=\())\b")


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int  # of the first character, from 1
    lines: int  # the number of lines that it touches
    start: int
    end: int
    operator: str
    old: str
    new: str
    # The text with both forms; {id} is the mutant's number, {mutant} tests whether it is switched on, {symbol} is an operator.
    both: str
    declares: str = ""  # a declaration of {symbol}

    def __str__(self):
        return f"{self.path}:{self.line}: {self.operator}: {self.old} → {self.new}"


def masked(text):
    """The text with blanks for comments and a word for quoted text, with the same length and the same lines."""
    out = list(text)

    def fill(start, end, letter):
        for index in range(start, end):
            if out[index] != "\n":
                out[index] = letter

    index = 0
    while index < len(text):
        if text.startswith("//", index):
            end = text.find("\n", index)
            end = len(text) if end < 0 else end
            fill(index, end, " ")
        elif text.startswith("/*", index):
            end = text.find("*/", index) + 2
            fill(index, end, " ")
        elif match := re.compile(r'(#*)("""|")').match(text, index):
            end = string_end(text, match)
            fill(index, end, "s")
        else:
            index += 1
            continue
        index = end
    return "".join(out)


def string_end(text, quote):
    """Where a string ends that begins with this quote; what is interpolated may have strings itself."""
    hashes, marks = quote.groups()
    index = quote.end()
    while index < len(text):
        if text.startswith(marks + hashes, index):
            return index + len(marks + hashes)
        if text.startswith("\\" + hashes + "(", index):
            depth, index = 1, index + len(hashes) + 2
            while depth:
                if inner := re.compile(r'(#*)("""|")').match(text, index):
                    index = string_end(text, inner)
                    continue
                depth += {"(": 1, ")": -1}.get(text[index], 0)
                index += 1
        elif text.startswith("\\" + hashes, index):
            index += len(hashes) + 2
        else:
            index += 1
    return len(text)


def find(path, text):
    """All mutants of a file, in the order of the operators."""
    code = masked(text)
    found = []

    def line(offset):
        return text.count("\n", 0, offset) + 1

    def add(operator, start, end, new, both, declares=""):
        old = text[start:end]
        mutant = Mutant(
            path, line(start), text.count("\n", start, end) + 1, start, end, operator, shown(old), shown(new), both, declares
        )
        found.append(mutant)

    for match in COMPARISON.finditer(code):
        old = match[1]
        for new in TURNED[old]:
            kind = "identity" if len(old) == 3 else "equality" if old in ("==", "!=") else "order"
            add("comparison turned", match.start(1), match.end(1), new, "{symbol}", declaration(kind, old, new))
    for start, end in conditions(code, "guard"):
        clause = text[start:end]
        add("guard removed", start, end, "true", "({mutant} || (" + braced(clause) + "))")
    for match in re.finditer(r"(?<!else )\bif (?=[^{}]*\{\s*(?:return|throw|continue|break)\b[^{};\n]*\s*\})", code):
        add("early return removed", match.end(), match.end(), "false, ", "!{mutant}, ")
    for start, end in statements(code):
        statement = text[start:end]
        add("statement removed", start, end, "", "if !{mutant} {{ " + braced(statement) + " }}")
    for match in NUMBER.finditer(RAW_VALUE.sub(lambda match: " " * len(match[0]), code)):
        value = int(match[0].replace("_", ""))
        for new in [value + 1] + ([value - 1] if value else []):
            add("constant ±1", match.start(), match.end(), str(new), "({mutant} ? " + str(new) + " : " + match[0] + ")")
    for match in BOOLEAN.finditer(code):
        new = "false" if match[0] == "true" else "true"
        add("boolean turned", match.start(), match.end(), new, "(!{mutant})" if new == "false" else "({mutant})")
    for match in NEGATION.finditer(code):
        add("boolean turned", match.start(), match.end(), "", "{symbol}", declaration("negation", "!", ""))
    calls = [(start, end) for start, end in statements(code) if CALL.fullmatch(code[start:end])]
    for (start, middle), (next_start, end) in zip(calls, calls[1:]):
        between = code[middle:next_start]
        first, second = text[start:middle], text[next_start:end]
        if first == second or between.count("\n") != 1 or indentation(code, start) != indentation(code, next_start):
            continue
        both = "if {mutant} {{ " + braced(f"{second}; {first}") + " }} else {{ " + braced(f"{first}; {second}") + " }}\n"
        add("calls swapped", start, end, f"{second}; {first}", both)
    return found


def braced(text):
    return text.replace("{", "{{").replace("}", "}}")


def shown(text):
    return " ".join(text.split()) or "(nothing)"


def indentation(code, start):
    return start - code.rfind("\n", 0, start)


def conditions(code, keyword):
    """The conditions of all guards that do not bind a name, each between its commas."""
    for match in re.finditer(rf"\b{keyword} ", code):
        depth, start, index = 0, match.end(), match.end()
        while index < len(code):
            at_end = depth == 0 and code.startswith(" else", index) and not code[index + 5].isalnum()
            at_end = at_end or depth == 0 and re.match(r"\s+else\b", code[index:index + 200])
            if at_end or depth == 0 and code[index] == ",":
                begin = start + len(code[start:index]) - len(code[start:index].lstrip())
                if code[begin:index].strip() and not re.match(r"(let|var|case|#available)\b", code[begin:index]):
                    yield begin, begin + len(code[begin:index].rstrip())
                start = index + 1
            if at_end:
                break
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(code[index], 0)
            index += 1


def statements(code):
    """The calls and assignments that fill a whole line."""
    lines = code.split("\n")
    offset = 0
    before = ""
    for number, line in enumerate(lines):
        statement = line.strip()
        start = offset + len(line) - len(line.lstrip())
        offset += len(line) + 1
        after = next((other.strip() for other in lines[number + 1:] if other.strip()), "")
        goes_on = before and (before[-1] in "(,[=.:+-*/&|?<>" and not re.match(r"(case|default)\b.*:$", before))
        goes_on = goes_on or re.match(r"(\.|[?:+\-*/&|=<>] |else\b|&&|\|\||\{)", after) is not None
        if statement:
            before = statement
        if not statement or statement[0] == "." or goes_on or KEYWORDS.match(statement) or not balanced(statement):
            continue
        if CALL.fullmatch(statement) or ASSIGNMENT.fullmatch(statement):
            yield start, start + len(statement)


def balanced(text):
    depth = 0
    for character in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def declaration(kind, old, new):
    """Declares an operator that has the old or the new meaning."""
    if kind == "negation":
        return "prefix operator {symbol}\npublic prefix func {symbol} (a: Bool) -> Bool {{ {mutant} ? a : !a }}\n"
    body = f"{{{{ {{mutant}} ? a {new} b : a {old} b }}}}"
    # The third form is for operands that fit both of the others.
    integers = ["<T: BinaryInteger, U: BinaryInteger>(a: T, b: U)", "<T: BinaryInteger>(a: T, b: T)"]
    forms = {
        "order": ["<T: Comparable>(a: T, b: T)"] + integers + [
            "<T: Comparable, U: Comparable>(a: (T, U), b: (T, U))",
            "<T: Comparable, U: Comparable, V: Comparable>(a: (T, U, V), b: (T, U, V))",
        ],
        "equality": ["<T: Equatable>(a: T, b: T)"] + integers + ["<T>(a: T?, b: _OptionalNilComparisonType)"],
        "identity": ["(a: AnyObject?, b: AnyObject?)"],
    }[kind]
    functions = "".join(f"public func {{symbol}} {form} -> Bool {body}\n" for form in forms)
    return "infix operator {symbol}: ComparisonPrecedence\n" + functions
