"""Every C file is as clang-format leaves it (.clang-format)."""

import os
import subprocess

import gate
import tree

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def check(root, _build):
    names = tree.files(root, ".c", ".h")
    if not names:
        return
    style = "--style=file:" + os.path.join(TOP, ".clang-format")
    done = subprocess.run(["clang-format", style, "--dry-run", "--ferror-limit=1", *names],
                          cwd=root, capture_output=True, text=True)
    if done.returncode != 0:
        yield done.stderr
    for line in done.stderr.splitlines():
        if "[-Wclang-format-violations]" in line:
            yield line.split(" warning: ")[0].split(" error: ")[0] + " run clang-format -i on it"


gate.main(
    check,
    bad=[
        ({"base/a.c": "int  a;\n"}, "base/a.c:1"),
        ({"base/a.h": "static inline int f(void)\n{\n    return 1;\n}\n"}, "base/a.h:1"),
        ({"tests/base/a.c": "int f(void) {\n  return 1;\n}\n"}, "tests/base/a.c:1"),
    ],
    good=[
        {"base/a.c": "int f(void) {\n    return 1;  // why\n}\n"},
        {"base/a.txt": "int  a;\n"},
    ],
)
