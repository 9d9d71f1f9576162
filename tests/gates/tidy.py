"""clang-tidy with the checks of .clang-tidy over the rooms; whatever it says is an error."""

import json
import os

import compiled
import gate
import tree

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def check(root, build):
    config = "--config-file=" + os.path.join(TOP, ".clang-tidy")
    units = compiled.units(root, build, tree.ROOMS)
    if not units:
        return ["the build compiles nothing"]
    # Sanitizers and hardening multiply the work of the analyzer, and are none of its concern.
    jobs = [(name, ["clang-tidy", "--quiet", config, name, "--", *_plain(options)])
            for name, options in units]
    return compiled.run(root, build, "tidy", jobs)


def _plain(options):
    return [o for o in options if not o.startswith(("-f", "-W", "-O", "-g"))]


def _sample(body):
    command = {"directory": ".", "file": "base/a.c", "command": "cc -I. -std=c11 -o a.o -c base/a.c"}
    source = f"#include <stdlib.h>\n\nint f(char *p);\n\nint f(char *p) {{\n    {body}\n}}\n"
    return {"compile_commands.json": json.dumps([command]), "base/a.c": source}


gate.main(
    check,
    bad=[
        (_sample("free(p);\n    return *p;"), "clang-analyzer-unix.Malloc"),
        (_sample("char *q = malloc(sizeof(p));\n    return q == p;"), "leak"),
        (_sample("double half = p[0] / 2;\n    return half > 1;"), "bugprone-integer-division"),
        (_sample("\n".join(["    p++;"] * 81) + "\n    return *p;"), "readability-function-size"),
        ({"compile_commands.json": "[]"}, "compiles nothing"),
    ],
    good=[_sample("return p[0];")],
)
