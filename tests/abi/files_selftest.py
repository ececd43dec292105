#!/usr/bin/env python3
"""files.py tells of folders with too many files, of rows of its lists that are no longer true, and of comments that say too little, and of long names of tests.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import sys
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is
import files


def some(count, folder="a/b"):
    return [f"{folder}/{i}.cc" for i in range(count)]


class Folders(unittest.TestCase):
    def told(self, names, whole=(), owed=None):
        return list(files.folder_problems(names, dict.fromkeys(whole, "why"), owed or {}))

    def test_as_many_as_may_be(self):
        self.assertEqual(self.told(some(30) + some(30, "a") + some(30, "a/b/c")), [])

    def test_one_more(self):
        self.assertEqual(self.told(some(31) + some(3, "a")),
                         ["a/b: 31 files, more than 30: which of them make a folder of their own?"])

    def test_files_beside_all_folders_are_in_one_too(self):
        self.assertEqual(len(self.told([f"{i}.md" for i in range(31)])), 1)

    def test_what_tells_about_the_folder_does_not_count(self):
        self.assertEqual(self.told(some(30) + ["a/b/meson.build", "a/b/README.md"]), [])

    def test_a_folder_that_is_whole(self):
        self.assertEqual(self.told(some(99), whole=["a/b"]), [])
        self.assertEqual(len(self.told(some(99, "a/b/c"), whole=["a/b"])), 2)  # not what is below it; and a/b has none

    def test_a_folder_that_is_whole_and_gone(self):
        self.assertEqual(self.told(some(1), whole=["c"]), ["c: has no files; take it out of WHOLE in tests/abi/files.py"])

    def test_a_folder_that_had_more(self):
        self.assertEqual(self.told(some(35), owed={"a/b": 35}), [])
        self.assertIn("more than 35", self.told(some(36), owed={"a/b": 35})[0])

    def test_a_folder_that_has_fewer_than_before(self):
        self.assertIn("put that number", self.told(some(34), owed={"a/b": 35})[0])
        for count in (30, 0):
            self.assertIn("take it out of OWED", self.told(some(count), owed={"a/b": 35})[0])


LICENCE = "// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0\n"
OPENING = "// Adds up the numbers of one file for all of the others.\n" + LICENCE


class Comments(unittest.TestCase):
    def told(self, text, vague=0, fragments=0):
        return list(files.comment_problems({"src/a/b.cc": text}, {"": vague}, {"": fragments}))

    def test_what_is_a_comment(self):
        text = 'f("// not", R"(// nor)", \'"\');  // One. Two\n                                // goes on.\n/* Three\n * ends. */ // Four\n'
        self.assertEqual(files.comments_of(text), ["One.", "Two goes on.", "Three ends.", "Four"])

    def test_openings(self):
        self.assertEqual(self.told(OPENING), [])
        self.assertEqual(self.told(OPENING.replace("one file for all of", "files for")),
                         ["src/a/b.cc:1: its opening comment has 9 words; 10 or more, with a verb, say what the file does"])
        self.assertIn("begins with 'See'", self.told("// See " + OPENING[3:])[0])
        self.assertIn("has 0 words", self.told(LICENCE + "// More words than that follow the line of the licence here.\n")[0])

    def test_words(self):
        self.assertEqual(self.told(OPENING + "int behind;  // after that\n"), [])
        self.assertEqual(self.told(OPENING + "// Somebody waits.\n", vague=1), [])
        self.assertIn("src: 2 words of comments, more than 1", self.told(OPENING + "// Nobody waits, whoever asks.\n", vague=1)[0])

    def test_sentences(self):
        self.assertEqual(self.told(OPENING + "// Whatever it is. It may be of use, whether so or not.\n"), [])
        self.assertIn("src: 2 sentences of comments, more than 1",
                      self.told(OPENING + "int a;  // Whether it is.\nint b;  // It is. Of both.\n", fragments=1)[0])

    def test_a_folder_with_a_limit_of_its_own(self):
        texts = {"src/a/b.cc": OPENING + "\n// What?\n", "src/ab/b.cc": OPENING + "\n// What?\n"}
        self.assertEqual(list(files.comment_problems(texts, {"": 0}, {"": 1, "src/a": 1})), [])
        self.assertIn("src/a: 1 sentences", list(files.comment_problems(texts, {"": 0}, {"": 1, "src/a": 0}))[0])


class Terms(unittest.TestCase):
    def told(self, text):
        return list(files.term_problems({"src/a/b.cc": text}, {"heir": "owner"}))

    def test_code_has_the_fields_terms(self):
        self.assertEqual(self.told("int a;\nint heir = 0;\n"), ["src/a/b.cc:2: `heir` is not the field's term; say owner"])

    def test_comments_literals_and_longer_names_may_have_others(self):
        self.assertEqual(self.told('int heirs;  // an heir\nf("heir", R"(\nheir)");\n'), [])

    def meanings(self, texts, more=None):
        return list(files.meaning_problems(texts, 2, more or {}))

    def test_types_of_one_name(self):
        kinds = ("struct Place {\n};\n", "enum class Place : int { a };\n", "using Place = int;\n")
        texts = {f"src/a/{i}.cc": kind for i, kind in enumerate(kinds)}
        self.assertEqual(self.meanings(texts), ["Place is a type in 3 files, more than 2: src/a/0.cc, src/a/1.cc, src/a/2.cc"])
        self.assertEqual(self.meanings(texts, {"Place": (3, "a reason")}), [])
        self.assertEqual(self.meanings({**texts, "src/a/2.cc": "class A {\n  struct Place {\n  };\n};\n"}), [])
        self.assertEqual(self.meanings({**texts, "src/a/2.cc": "// struct Place {\n" + 'const char* a = R"(\nusing Place = int;\n)";\n'}), [])


class Names(unittest.TestCase):
    def test_of_cases(self):
        short, longest = "A" * 24 + ", " + "b" * 24, "A" * 24 + ", " + "b" * 25
        self.assertEqual(list(files.case_problems(f"TEST({short}) {{\n")), [])
        for macro in ("TEST", "TEST_P", "TEST_F", "  TYPED_TEST"):
            self.assertEqual([number for number, _ in files.case_problems(f"\n{macro}({longest}) {{\n")], [2])

    def test_of_tests(self):
        self.assertEqual(list(files.test_problems([{"name": "t" * 49}])), [])
        self.assertEqual(len(list(files.test_problems([{"name": "t" * 50}]))), 1)


if __name__ == "__main__":
    unittest.main()
