"""Everything is clean under clang's warnings as well, and every header compiles alone."""

import json

import compiled
import gate
import tree

FOLDERS = (*tree.ROOMS, "tests")


def check(root, build):
    units = compiled.units(root, build, FOLDERS)
    if not units:
        return ["the build compiles nothing"]
    jobs = [(name, ["clang", *options, "-Werror", "-fsyntax-only", name]) for name, options in units]
    rooms = {}
    for name, options in units:
        rooms.setdefault(tree.room(name), options)
    for name in tree.files(root, ".h"):
        options = rooms.get(tree.room(name))
        if options:
            jobs.append((name, ["clang", *options, "-Werror", "-Wno-pragma-once-outside-header",
                                "-Wno-unused-function", "-fsyntax-only", "-x", "c", name]))
    return compiled.run(root, build, "compilers", jobs)


def _sample(source, header="#pragma once\nint f(void);\n"):
    command = {"directory": ".", "file": "base/a.c", "command": "cc -I. -Wall -Wextra -o a.o -c base/a.c"}
    return {"compile_commands.json": json.dumps([command]), "base/a.c": source, "base/a.h": header}


CLEAN = '#include "base/a.h"\n\nint f(void) {\n    return 1;\n}\n'

if __name__ == "__main__":
    gate.main(
        check,
        bad=[
            (_sample("int f(void) {\n    int x;\n    return 1;\n}\n"), "unused variable"),
            (_sample("int f(void) {\n    int x = x;\n    return x;\n}\n"), "uninitialized"),
            (_sample(CLEAN, "#pragma once\nsize_t f(void);\n"), "unknown type name"),
            (_sample("#include <stddef.h>\n" + CLEAN.replace("int", "size_t", 1),
                     "#pragma once\nsize_t f(void);\n"), "base/a.h"),
            ({"compile_commands.json": "[]"}, "compiles nothing"),
        ],
        good=[_sample(CLEAN)],
    )
