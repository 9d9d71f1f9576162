"""One idea a file and a function: at most 600 lines and 50."""

import re

import gate
import tree

FILE_LINES = 600
FUNCTION_LINES = 50

SOURCE = (".c", ".h", ".ts", ".mjs", ".py", ".sh", ".cmake", ".css")


def check(root, _build):
    for name in tree.files(root, *SOURCE):
        lines = tree.read(root, name).splitlines()
        if len(lines) > FILE_LINES:
            yield f"{name}: {len(lines)} lines, the limit is {FILE_LINES}"
        if name.endswith(".c"):
            yield from _long_functions(name, lines)


def _long_functions(name, lines):
    """Outside functions, clang-format ends a line with `) {` for a function's signature and for nothing else."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and line.endswith(") {"):
            start = _signature_start(lines, number)
        elif re.match(r"}\s*$", line) and start is not None:
            if number - start + 1 > FUNCTION_LINES:
                yield f"{name}:{start}: function of {number - start + 1} lines, the limit is {FUNCTION_LINES}"
            start = None


def _signature_start(lines, number):
    """Continuation lines of a signature are indented."""
    start = number
    while start > 1 and lines[start - 1].startswith((" ", "\t")):
        start -= 1
    return start


def _function(lines):
    return "int f(int a,\n      int b) {\n" + "    if (a) {\n    }\n" + "    a++;\n" * (lines - 5) + "}\n"


gate.main(
    check,
    bad=[
        ({"base/a.c": "\n" + _function(51)}, "base/a.c:2: function of 51 lines"),
        ({"base/a.c": _function(50) * 11 + _function(51)}, "601 lines"),
        ({"web/a.ts": "x\n" * 601}, "601 lines"),
    ],
    good=[
        {"base/a.c": "\n" + _function(50)},
        {"base/a.c": _function(50) * 12},
        {"base/a.c": "int table[] = {\n" + "    1,\n" * 100 + "};\n"},
    ],
)
