#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""That check_headers.py finds what it is there to find: check_headers_test.py CLANG."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import check_headers

CLANG = sys.argv.pop()


class CheckHeaders(unittest.TestCase):

    def check(self, *arguments, **texts):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                pathlib.Path(folder, name + ".h").write_text(text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = check_headers.main([*arguments, CLANG, folder, "--", "-I" + folder])
            return status, out.getvalue()

    def test_header_that_needs_another_first(self):
        status, text = self.check(a="typedef int a_t;\n", b="extern a_t b;\n")
        self.assertEqual(status, 1)
        self.assertIn("b.h does not compile by itself as -std=c++17", text)
        self.assertNotIn("a.h does not", text)

    def test_only_what_comes_first_is_compiled_there(self):
        # c compiles b, which a would hide if it came before.
        status, text = self.check(a="typedef int a_t;\n", b="extern a_t b;\n",
                                  c='// Text.\n#ifndef C\n#define C\n\n#include "b.h"\n#include "a.h"\n#endif\n')
        self.assertEqual(status, 1)
        status, text = self.check(a="typedef int a_t;\n", b="extern a_t b;\n", c='#include "a.h"\n#include "b.h"\n')
        self.assertIn("b.h does not compile", text)
        status, text = self.check(b="extern a_t b;\n", c='typedef int a_t;\n#include "b.h"\n')
        self.assertIn("b.h does not compile", text)

    def test_precompiled_headers_hide_nothing(self):
        texts = {"a": "#pragma once\ntypedef int a_t;\n", "uses": 'int x;\n#include "a.h"\nextern a_t y;\n',
                 "by_another": '#include "uses.h"\nextern a_t z;\n', "forgets": "extern a_t y;\n"}
        status, text = self.check("--precompile", "a.h", **texts)
        self.assertEqual(status, 1)
        self.assertIn("forgets.h does not compile by itself", text)
        self.assertNotIn("uses.h does not", text)
        self.assertNotIn("by_another.h does not", text)
        # a, and by_another, which compiles uses.
        self.assertIn("3 programs, 2 with a precompiled header", text)

    def test_largest(self):
        closures = {"a": {"a"}, "b": {"a", "b"}, "c": {"c", "d"}}
        self.assertEqual(check_headers.largest({"x", "a", "b", "c"}, closures), "b")
        self.assertIsNone(check_headers.largest({"x", "c"}, closures))

    def test_c_as_well(self):
        text = "static inline int f(bool b) { return b; }\n"
        self.assertEqual(self.check(a=text)[0], 0)
        self.assertIn("as -std=c11", self.check("--c", a=text)[1])
        self.assertEqual(self.check("--c", a="#include <string>\n")[0], 0)

    def test_no_header_is_a_failure(self):
        self.assertEqual(self.check()[0], 1)


if __name__ == "__main__":
    unittest.main()
