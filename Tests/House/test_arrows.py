#!/usr/bin/python3
"""Tests of arrows.py: targets with known arrows."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import arrows


class ArrowTests(unittest.TestCase):
    def target(self, **folders):
        """A target with a file in each of these folders."""
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        top = Path(self.folder.name) / "Planted"
        for folder, text in folders.items():
            (top / folder).mkdir(parents=True)
            (top / folder / "File.swift").write_text(text)
        return top

    def arrows(self, **folders):
        return set(arrows.Target(self.target(**folders)).arrows())

    def test_a_type_is_used_by_its_name(self):
        found = self.arrows(A="struct Watch { let level: Level }", B="enum Level { case normal }")
        self.assertEqual(found, {("A", "B")})

    def test_names_in_comments_and_texts_are_no_uses_and_those_in_interpolations_are(self):
        level, host = "enum Level { case normal }", "struct Host { static let count = 0 }"
        text = 'let a = "Level \\(Host.count) Level" // Level\n/* Level /* Level */ Level */ let b = #"\\(Level)"#'
        self.assertEqual(self.arrows(A=text, B=level, C=host), {("A", "C")})

    def test_a_nested_type_belongs_to_the_folder_that_declares_it(self):
        found = self.arrows(A="struct Watch {}", B="extension Watch { enum Rung {} }", C="let rung: Watch.Rung")
        self.assertEqual(found, {("B", "A"), ("C", "A"), ("C", "B")})

    def test_a_short_name_means_the_type_around_it_or_none(self):
        found = self.arrows(A="struct Watch { enum State {}; let state: State }", B="let state: State")
        self.assertEqual(found, set())

    def test_a_private_type_is_that_of_its_file(self):
        found = self.arrows(A="private struct State {}", B="struct State {}", C="let state: State")
        self.assertEqual(found, {("C", "B")})

    def test_generic_parameters_are_no_types(self):
        found = self.arrows(A="struct Queue<Host: Hashable, Level> { func add<Round>(_: Host, _: Level, _: Round) {} }",
                            B="struct Host {}; struct Level {}; struct Round {}")
        self.assertEqual(found, set())

    def test_a_member_is_of_the_folder_that_extends_its_type(self):
        found = self.arrows(A="struct Watch { func look() { rearm() } }", B="extension Watch { func rearm() {} }",
                            C="func act(on watch: Watch) { watch.rearm() }")
        self.assertEqual(found, {("A", "B"), ("B", "A"), ("C", "A"), ("C", "B")})

    def test_a_member_that_types_have_of_their_own_says_nothing(self):
        found = self.arrows(A="struct Watch { var name: Int }", B="let a = watch.name", C="extension Int { var name: Int }")
        self.assertEqual(found, set())

    def test_a_function_outside_of_types_is_used_by_its_name_and_labels_are_not(self):
        found = self.arrows(A="let a = retry(after: 1)", B="func retry(after: Int) {}", C="let c = act(retry: 1)")
        self.assertEqual(found, {("A", "B")})

    def test_files_in_no_folder_are_parts_of_their_own(self):
        top = self.target(A="let number = Number(1)")
        (top / "Number.swift").write_text("struct Number {}")
        (top / "Whole.swift").write_text("let whole = number")
        self.assertEqual(set(arrows.Target(top).arrows()), {("A", "Number.swift"), ("Whole.swift", "A")})

    def test_a_circle_is_an_error_that_names_a_use_for_each_arrow(self):
        top = self.target(A="struct Watch { let level: Level }", B="struct Level { let host: Host }",
                          C="struct Host {\n    let watch: Watch\n}")
        result = self.run_on(top)
        self.assertEqual(result.returncode, 1)
        self.assertIn("a circle: A → B → C → A", result.stdout)
        self.assertEqual(result.stdout.count("circle"), 1)
        self.assertIn("A → B: A/File.swift:1 uses Level of B/File.swift", result.stdout)
        self.assertIn("C → A: C/File.swift:2 uses Watch of A/File.swift", result.stdout)

    def test_arrows_that_all_lead_on_are_none(self):
        result = self.run_on(self.target(A="let a: Level; let b: Host", B="struct Level { let host: Host }", C="struct Host {}"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("A → B, C", result.stdout)
        self.assertNotIn("circle", result.stdout)

    def run_on(self, top):
        script = Path(__file__).with_name("arrows.py")
        return subprocess.run([sys.executable, script, top], capture_output=True, text=True)


if __name__ == "__main__":
    unittest.main()
