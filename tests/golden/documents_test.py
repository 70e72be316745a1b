# SPDX-License-Identifier: Apache-2.0
"""Are the documents true? Every path they name exists, and what they quote is what the program says.

A quotation is a fenced block behind a mark:

    <!-- said: report/small_decode -->

It is the want.stdout of that golden case, but for the line on peak memory. FORETELL_UPDATE_GOLDEN=1 writes the blocks.
"""

import os
import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "examples/traces/README.md"])
TOP = {path.name for path in ROOT.iterdir()} - {"build", ".git"}
UPDATE = os.environ.get("FORETELL_UPDATE_GOLDEN") == "1"

BLOCK = re.compile(r"```.*?```|^ {4}[^\n]*$", re.S | re.M)  # fenced or indented
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PATH = re.compile(r"\.?[\w.-]+(/[\w.-]+)*/?")
QUOTED = re.compile(r"(<!-- said: (\S+) -->\n+```(?:\w*)\n)(.*?)(```)", re.S)


def words_that_may_be_paths(text):
    for span in INLINE.findall(BLOCK.sub("", text)):
        yield from span.split()
    for block in BLOCK.findall(text):
        yield from block.split()


def named_paths(text):
    """Words that begin with a directory or file of the root; those with a wildcard or a placeholder are none."""
    for word in words_that_may_be_paths(text):
        word = word.rstrip(".,:;)").lstrip("(")
        if PATH.fullmatch(word) and word.split("/")[0] in TOP and ("/" in word or "." in word):
            yield word


def quotation(case):
    lines = (HERE / case / "want.stdout").read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("peak memory")).rstrip("\n") + "\n"


class Documents(unittest.TestCase):
    def test_named_paths_exist(self):
        named = 0
        for document in DOCUMENTS:
            for path in named_paths(document.read_text()):
                named += 1
                with self.subTest(document=str(document.relative_to(ROOT)), path=path):
                    self.assertTrue((ROOT / path).exists(), "no such file")
        self.assertGreater(named, 20)

    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            for target in LINK.findall(document.read_text()):
                if "://" not in target:
                    with self.subTest(document=str(document.relative_to(ROOT)), target=target):
                        self.assertTrue((document.parent / target).exists(), "no such file")

    def test_quotations_are_what_the_program_says(self):
        quoted = 0
        for document in DOCUMENTS:
            text = document.read_text()
            quoted += len(QUOTED.findall(text))
            true = QUOTED.sub(lambda m: m[1] + quotation(m[2]) + m[4], text)
            if UPDATE and true != text:
                document.write_text(true)
                text = true
            self.assertEqual(text, true, f"{document.name}: set FORETELL_UPDATE_GOLDEN=1 to write what is said now")
        self.assertGreater(quoted, 0)

    def test_examples_of_this_test(self):
        self.assertEqual(list(named_paths("`tests/golden`, `docs/*.md`, `a/b`, `Makefile`")), ["tests/golden"])
        self.assertEqual(list(named_paths("```\n$ tools/fuzz 60\n```")), ["tools/fuzz"])
        self.assertEqual(list(named_paths("Run\n\n    tools/fuzz 60\n")), ["tools/fuzz"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
