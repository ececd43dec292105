#!/usr/bin/env python3
"""Tests of places.py: which statement a mark stands for, and that a mark or a pattern which leads nowhere is an error."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True  # the source folder stays as it is
import places


class Statements(unittest.TestCase):
    def gone(self, text, left):
        self.assertEqual(places.changed(text, "x"), left)

    def test_behind_the_statement(self):
        self.gone("a();\nb(1, 2);  // mutation: x\nc();\n", "a();\n;  // mutation: x\nc();\n")

    def test_on_the_line_before(self):
        self.gone("a();\n// mutation: x\nb(1,\n  2);\nc();\n", "a();\n// mutation: x\n;\nc();\n")

    def test_one_of_several_names(self):
        self.gone("// mutation: w, x\nb();\n", "// mutation: w, x\n;\n")

    def test_other_comments_are_passed(self):
        self.gone("// mutation: x\n// why; because\nb();  // end\n", "// mutation: x\n// why; because\n;  // end\n")

    def test_semicolons_inside(self):
        self.gone("for (a; b; c) d({e; f; });  // mutation: x\ng;", ";  // mutation: x\ng;")
        self.gone('s(";", \'}\', /* ; */ t);  // mutation: x\ng;', ";  // mutation: x\ng;")

    def test_blocks(self):
        self.gone("// mutation: x\nif (a) { b; }\nc;", "// mutation: x\n;\nc;")
        self.gone("// mutation: x\nif (a) { b; } else if (d) e; else { f; }\nc;", "// mutation: x\n;\nc;")

    def test_a_branch_leaves_the_other(self):
        self.gone("if (a)\n  // mutation: x\n  b;\nelse\n  c;\n", "if (a)\n  // mutation: x\n  ;\nelse\n  c;\n")

    def test_a_part(self):
        self.assertEqual(places.changed("if (a >= b) {  // mutation: x\n c;}", "x", r">= b", "> 0"), "if (a > 0) {\n c;}")

    def test_a_part_that_is_not_there_once(self):
        for text in ("f(a);  // mutation: x\n", "f(b, b);  // mutation: x\n", "f();  // mutation: x\nb;\n"):
            with self.assertRaisesRegex(places.Wrong, "not once"):
                places.changed(text, "x", r"\bb\b", "c")

    def test_no_end(self):
        with self.assertRaisesRegex(places.Wrong, "no end"):
            places.changed("{ f(  // mutation: x\n }", "x")


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = pathlib.Path(self.folder.name)
        (self.source / "src" / "low").mkdir(parents=True)

    def write(self, name, text):
        (self.source / "src" / "low" / name).write_text(text)

    def test_found(self):
        self.write("a.cc", "f();  // mutation: x\n")
        self.write("b.cc", "f();  // mutation: y\n")
        self.assertEqual(places.file_of(self.source, "y"), "src/low/b.cc")
        self.assertEqual(sorted(places.marks(self.source)), [("x", "src/low/a.cc"), ("y", "src/low/b.cc")])

    def test_missing_or_twice(self):
        self.write("a.cc", "f();  // mutation: x\n")
        with self.assertRaisesRegex(places.Wrong, "y` is 0 times"):
            places.file_of(self.source, "y")
        self.write("b.h", "g();  // mutation: x\n")
        with self.assertRaisesRegex(places.Wrong, "x` is 2 times"):
            places.file_of(self.source, "x")


if __name__ == "__main__":
    unittest.main()
