"""One idea a file and a function: at most 600 lines and 80."""

import re

import gate
import tree

FILE_LINES = 600
FUNCTION_LINES = 80

SOURCE = (".c", ".h", ".ts", ".mjs", ".py", ".sh", ".cmake", ".css")


def check(root, _build):
    for name in tree.files(root, *SOURCE):
        lines = tree.read(root, name).splitlines()
        if len(lines) > FILE_LINES:
            yield f"{name}: {len(lines)} lines, the limit is {FILE_LINES}"
        if name.endswith(".c"):
            yield from _long_functions(name, lines)


def _long_functions(name, lines):
    """clang-format puts the braces of a function, and of nothing else, alone into the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = _signature_start(lines, number)
        elif re.match(r"}\s*$", line) and start is not None:
            if number - start + 1 > FUNCTION_LINES:
                yield f"{name}:{start}: function of {number - start + 1} lines, the limit is {FUNCTION_LINES}"
            start = None


def _signature_start(lines, number):
    """Continuation lines of a signature are indented."""
    start = number - 1
    while start > 1 and lines[start - 1].startswith((" ", "\t")):
        start -= 1
    return start


def _function(lines):
    return "int f(int a,\n      int b)\n{\n" + "    a++;\n" * (lines - 4) + "}\n"


gate.main(
    check,
    bad=[
        ({"base/a.c": "\n" + _function(81)}, "base/a.c:2: function of 81 lines"),
        ({"base/a.c": _function(80) * 7 + _function(41)}, "601 lines"),
        ({"web/a.ts": "x\n" * 601}, "601 lines"),
    ],
    good=[
        {"base/a.c": "\n" + _function(80)},
        {"base/a.c": _function(80) * 7 + _function(40)},
        {"base/a.c": "int table[] = {\n" + "    1,\n" * 100 + "};\n"},
    ],
)
