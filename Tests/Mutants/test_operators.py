#!/usr/bin/python3
"""Tests the operators with code that they must find, and code that they must ignore."""

import unittest

import operators


def both(code, operator=None):
    """The lines with both forms of each mutant; `operator` selects an operator by its name."""
    found = []
    for mutant in operators.find("Sources/A/a.swift", code):
        if operator in (None, mutant.operator):
            new = mutant.both.format(mutant="m", symbol="~")
            found.append((code[:mutant.start] + new + code[mutant.end:]).strip())
    return found


class Operators(unittest.TestCase):
    def test_comparisons(self):
        self.assertEqual(both("let a = b === c"), ["let a = b ~ c"])
        news = [(mutant.old, mutant.new) for mutant in operators.find("a", "let a = b <= c")]
        self.assertEqual(news, [("<=", "<"), ("<=", ">")])
        [equality] = operators.find("a", "let a = b == c")
        declared = equality.declares.format(mutant="m", symbol="~")
        self.assertIn("public func ~ <T: Equatable>(a: T, b: T) -> Bool { m ? a != b : a == b }", declared)

    def test_no_code(self):
        self.assertEqual(both('// a == 1\nlet a: [Int: B<C>] = f("1 == \\(g("true"))") /* 1 */'), [])
        self.assertEqual(both('let a = #"1 < 2 \\(3) "# + """\n    4 != 5\n    """'), [])

    def test_guards(self):
        code = "guard let a, a.isEmpty || b else { return }"
        self.assertEqual(both(code, "guard removed"), ["guard let a, (m || (a.isEmpty || b)) else { return }"])
        code = "guard f(a, b),\n    c\nelse { return }"
        self.assertEqual(both(code, "guard removed")[1], "guard f(a, b),\n    (m || (c))\nelse { return }")

    def test_early_returns(self):
        operator = "early return removed"
        self.assertEqual(both("if let a { return a }", operator), ["if !m, let a { return a }"])
        self.assertEqual(both("if a {\n    throw b\n}", operator), ["if !m, a {\n    throw b\n}"])
        self.assertEqual(both("if a { b() }\nif c {\n    d()\n    return\n}", operator), [])
        self.assertEqual(both("if a { b() } else if c { return }", operator), [])

    def test_statements(self):
        operator = "statement removed"
        self.assertEqual(both("{\n    a.b()\n}", operator), ["{\n    if !m { a.b() }\n}"])
        self.assertEqual(both('{\n    a += "{ "\n}', operator), ['{\n    if !m { a += "{ " }\n}'])
        self.assertEqual(both("{\n    a[1] += 2\n}", operator), ["{\n    if !m { a[1] += 2 }\n}"])
        for code in ["f(\n    g()\n)", "let a = b()", "a\n    .b()", "return a()", "a()\n    .b()", "f(a) {\n}"]:
            self.assertEqual(both(code, operator), [], code)

    def test_values(self):
        self.assertEqual(both("let a = 1_0"), ["let a = (m ? 11 : 1_0)", "let a = (m ? 9 : 1_0)"])
        self.assertEqual(both("let a = 0"), ["let a = (m ? 1 : 0)"])
        self.assertEqual(both("let a1 = $0.1 + 0x1 + 1.5"), [])
        self.assertEqual(both("let a = true"), ["let a = (!m)"])
        self.assertEqual(both("let d = f(!a, b!.c)"), ["let d = f(~a, b!.c)"])

    def test_swaps(self):
        operator = "calls swapped"
        self.assertEqual(both("a()\nb()", operator), ["if m { b(); a() } else { a(); b() }"])
        self.assertEqual(both("a()\n\nb()", operator), [])
        self.assertEqual(both("a()\na()", operator), [])

    def test_lines_stay(self):
        code = "guard a,\n    b\nelse { return }\nc()\nd()\nif e < 1 {\n    return\n}\n"
        for mutant in operators.find("a", code):
            new = code[:mutant.start] + mutant.both.format(mutant="m", symbol="~") + code[mutant.end:]
            self.assertEqual(new.count("\n"), code.count("\n"), mutant)


if __name__ == "__main__":
    unittest.main()
