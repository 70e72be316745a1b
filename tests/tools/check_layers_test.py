# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers on small trees: each bad one fails with file, line and reason."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_layers"

CASES = [
    # name, files, expected complaint (None: the tree is fine)
    ("own directory", {"src/base/a.cpp": '#include "src/base/b.hpp"', "src/base/b.hpp": ""}, None),
    ("edge of the table", {"analyzer/profile/a.cpp": '#include "src/base/b.hpp"', "src/base/b.hpp": ""}, None),
    ("transitive edge", {"src/cli/a.cpp": '#include "src/base/b.hpp"', "src/base/b.hpp": ""}, None),
    ("system header", {"src/base/a.cpp": "#include <vector>"}, None),
    ("own header first", {"src/base/a.cpp": '#include "src/base/a.hpp"\n#include <vector>', "src/base/a.hpp": ""}, None),
    (
        "own header behind another",
        {"src/base/a.cpp": '#include <vector>\n#include "src/base/a.hpp"', "src/base/a.hpp": ""},
        'src/base/a.cpp:1: expected "src/base/a.hpp" first, which is so shown to need no other header',
    ),
    ("generated header", {"src/cli/a.cpp": '#include "embedded/table.hpp"'}, None),
    ("subdirectory shares the row", {"reports/html/a.cpp": '#include "reports/b.hpp"', "reports/b.hpp": ""}, None),
    ("test of anything", {"tests/a.cpp": '#include "src/cli/b.hpp"', "src/cli/b.hpp": ""}, None),
    (
        "list of importers",
        {"analyzer/ingest/all.cpp": '#include "analyzer/ingest/x/b.hpp"', "analyzer/ingest/x/b.hpp": ""},
        None,
    ),
    (
        "upwards",
        {"src/base/a.cpp": '\n#include "analyzer/profile/b.hpp"', "analyzer/profile/b.hpp": ""},
        'src/base/a.cpp:2: src/base may not include analyzer/profile ("analyzer/profile/b.hpp")',
    ),
    (
        "sideways",
        {"analyzer/timeline/a.cpp": '#include "fusion-engine/ir/b.hpp"', "fusion-engine/ir/b.hpp": ""},
        'analyzer/timeline/a.cpp:1: analyzer/timeline may not include fusion-engine/ir ("fusion-engine/ir/b.hpp")',
    ),
    (
        "injected library in the tool",
        {"src/cli/a.cpp": '#include "collector/inject/b.hpp"', "collector/inject/b.hpp": ""},
        'src/cli/a.cpp:1: src/cli may not include collector/inject ("collector/inject/b.hpp")',
    ),
    (
        "one importer in another",
        {"analyzer/ingest/x/a.cpp": '#include "analyzer/ingest/y/b.hpp"', "analyzer/ingest/y/b.hpp": ""},
        'analyzer/ingest/x/a.cpp:1: analyzer/ingest/* may not include its neighbours ("analyzer/ingest/y/b.hpp")',
    ),
    (
        "importer outside the list",
        {"analyzer/ingest/a.cpp": '#include "analyzer/ingest/y/b.hpp"', "analyzer/ingest/y/b.hpp": ""},
        'analyzer/ingest/a.cpp:1: analyzer/ingest may not include analyzer/ingest/* ("analyzer/ingest/y/b.hpp")',
    ),
    (
        "relative include",
        {"src/base/a.cpp": '#include "b.hpp"', "src/base/b.hpp": ""},
        'src/base/a.cpp:1: "b.hpp" is not a project header written from the root',
    ),
    (
        "parent directory",
        {"src/base/a.cpp": '#include "src/base/../base/b.hpp"', "src/base/b.hpp": ""},
        'src/base/a.cpp:1: "src/base/../base/b.hpp" is not a project header written from the root',
    ),
    (
        "own header in angle brackets",
        {"src/base/a.cpp": "#include <src/base/b.hpp>", "src/base/b.hpp": ""},
        'src/base/a.cpp:1: <src/base/b.hpp> is a project header: include it as "src/base/b.hpp"',
    ),
    ("unknown directory", {"analyzer/misc/a.cpp": ""}, "analyzer/misc/a.cpp:1: this directory is not in the layout"),
    (
        "include of an unknown directory",
        {"src/cli/a.cpp": '#include "misc/b.hpp"', "misc/b.hpp": ""},
        'misc/b.hpp:1: this directory is not in the layout\n'
        'src/cli/a.cpp:1: "misc/b.hpp" is in a directory that the layout does not know',
    ),
]


class CheckLayersTest(unittest.TestCase):
    def test_cases(self):
        for name, files, complaint in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as root:
                for path, text in files.items():
                    file = Path(root, path)
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(text, encoding="utf-8")
                run = subprocess.run(
                    [sys.executable, TOOL, "--root", root], capture_output=True, text=True, check=False
                )
                self.assertEqual(run.stderr.strip(), complaint or "")
                self.assertEqual(run.returncode, 1 if complaint else 0)


if __name__ == "__main__":
    unittest.main()
