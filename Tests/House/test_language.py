#!/usr/bin/python3
"""Tests of language.py: sentences that are hard to read, and better ones."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import language


class LanguageTests(unittest.TestCase):
    def found(self, text, name="Planted.swift"):
        """(line, words) of the findings in a file with this text."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            return [(line, words) for line, words, _ in language.findings(path)]

    def words(self, sentence):
        return [words for _, words in self.found(f"/// {sentence}\n")]

    def test_a_person_is_no_actor_where_none_acts(self):
        self.assertEqual(self.words("Who removes an entry destroys it."), ["Who"])
        self.assertEqual(self.words("Nobody is asked again who had nothing left."), ["Nobody", "who"])
        self.assertEqual(self.words("A removed entry is destroyed outside the lock."), [])

    def test_people_may_act(self):
        self.assertEqual(self.words("Users who run many services record a day first."), [])

    def test_a_noun_is_the_subject(self):
        self.assertEqual(self.words("What is gone by now."), ["What is", "gone by"])
        self.assertEqual(self.words("It keeps the keys, and what is left of them."), ["and what is"])
        self.assertEqual(self.words("The configuration in force."), [])

    def test_a_question_may_begin_with_what(self):
        self.assertEqual(self.words("What is a host? A program that gives memory back."), [])

    def test_the_subject_stands_before_its_verb(self):
        self.assertEqual(self.words("How urgent it is says ``currentWarning``."), ["How urgent it is says `"])
        self.assertEqual(self.words("``currentWarning`` says how urgent it is."), [])
        self.assertEqual(self.words("The version, which decides the names of the files."), [])

    def test_one_and_whose_refer_to_a_noun(self):
        self.assertEqual(self.words("One that has left is skipped."), ["One that"])
        self.assertEqual(self.words("Whose files it has."), ["Whose"])
        self.assertEqual(self.words("One of the two, whose limit binds."), [])

    def test_of_which_and_so_many_are_replaced_and_good_uses_are_not(self):
        self.assertEqual(self.words("A limit of so many bytes, of which half is left."), ["of which", "so many"])
        self.assertEqual(self.words("There are so many that two of which fit."), [])

    def test_a_sentence_goes_on_in_the_next_line(self):
        self.assertEqual(self.found("/// The hosts, it seems, of\n/// which none answers.\n"), [(1, "of which")])

    def test_a_list_and_an_empty_line_end_a_sentence(self):
        self.assertEqual(self.found("/// - of\n/// - which\n///\n/// of\n\n/// which\n"), [])

    def test_code_and_interpolations_are_left_out(self):
        self.assertEqual(self.words("The user `nobody` has ``Whoever/who``."), [])
        self.assertEqual(self.found('let who = "host \\(who) left"; let nobody = 1\n'), [])

    def test_messages_are_read(self):
        self.assertEqual(self.found('let a = 1\nlet text = "nobody answers"\n'), [(2, "nobody")])

    def test_documents_are_read_without_their_blocks(self):
        text = "# Title\n\nWhoever reads this.\n\n```sh\nwho\n```\n\n| who |\n"
        self.assertEqual(self.found(text, "PLANTED.md"), [(3, "Whoever"), (9, "who")])

    def test_manual_pages_are_read_without_their_macros(self):
        self.assertEqual(self.found(".It Fl who\nTell somebody.\n", "planted.8"), [(2, "somebody")])

    def test_a_finding_is_an_error(self):
        self.assertFalse(self.main("// no host\n"))
        self.assertTrue(self.main("// nobody\n"))

    def main(self, source):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = Path(folder) / "Sources" / "Planted" / "File.swift"
            path.parent.mkdir(parents=True)
            path.write_text(source)
            return language.main(Path(folder))


if __name__ == "__main__":
    unittest.main()
