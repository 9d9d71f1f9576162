"""Calls that no file may make: unbounded, not re-entrant, or a door to a shell."""

import re

import gate
import tree

WHY = {
    "strcpy strcat strncpy strncat sprintf vsprintf gets": "has no bound it keeps; use base/buf.h",
    "strtok gmtime localtime": "keeps a static state",
    "atoi atol atof": "cannot report an error; use base/num.h",
    "alloca": "puts input on the stack",
    "system popen": "starts a shell",
}
BANNED = {name: why for names, why in WHY.items() for name in names.split()}

CALL = re.compile(r"\b(" + "|".join(BANNED) + r")\s*\(")
SNPRINTF = re.compile(r"\bsnprintf\s*\(")
TEXT_CONVERSION = re.compile(r"%[-+ #0-9.*]*l?s")


def check(root, _build):
    for name in tree.files(root, ".c", ".h"):
        text = tree.read(root, name)
        code = tree.without_strings(text)
        for m in CALL.finditer(code):
            yield f"{name}:{tree.line_of(code, m.start())}: {m[1]} {BANNED[m[1]]}"
        for m in SNPRINTF.finditer(code):
            if TEXT_CONVERSION.search(_arguments(text, code, m.end())):
                yield f"{name}:{tree.line_of(code, m.start())}: snprintf is for numbers, not for text (%s)"


def _arguments(text, code, start):
    """The source between the parenthesis before `start` and its closing one; quotes do not count."""
    depth = 1
    for at in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return text[start:at]
    return text[start:]


def _sample(statement):
    return {"base/a.c": f"void f(char *d, char *s)\n{{\n    {statement}\n}}\n"}


gate.main(
    check,
    bad=[(_sample(f"{name}(d, s);"), f"base/a.c:3: {name}") for name in BANNED]
    + [
        (_sample('snprintf(d, 9, "%s", s);'), "not for text"),
        (_sample('snprintf(d, f(s), "%d"\n  " %-*.*s", 1, 2, 3, s);'), "not for text"),
        ({"tests/base/test_a.c": "int x = atoi (y);\n"}, "cannot report"),
    ],
    good=[
        _sample('snprintf(d, 9, "%d", 1); g("%s", s);'),
        _sample("// strcpy(d, s)\n    my_strcpy(d, s); x.system = 1;"),
        _sample('g("system(1)");'),
    ],
)
