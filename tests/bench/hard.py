#!/usr/bin/env python3
"""hard.py BIN: draws the graphs of models.py that are hard to lay out, small enough for a sanitizer, in every way that could matter.

Each must end with a picture; where a limit cut in, a warning says so. Work is bounded, so nothing here looks at a clock.
"""
import subprocess
import sys
import tempfile

import models

EXPANDED = ["--depth", "inf", "--no-fold", "--no-hide-module-functions"]
VIEWS = {"default": [], "expanded": EXPANDED, "lying": [*EXPANDED, "--graph-dir", "LR", "--edge-labels", "name"]}

# What has to be said of a graph when all of it is drawn.
SAID = {"nested": "hierarchy-cut", "skips": "layout-lanes", "cyclic": "cycle", "wide_input": None}


def draw(binary, path, options):
    p = subprocess.run([binary, "render", *options, path], capture_output=True)
    if p.returncode or not p.stdout.rstrip().endswith(b"</svg>"):
        return None, "exit %d: %s" % (p.returncode, p.stderr[-300:].decode("utf-8", "replace"))
    return p.stderr.decode(), None


def check(binary, name, path):
    for view, options in VIEWS.items():
        said, fault = draw(binary, path, options)
        if fault is None and view == "expanded" and SAID.get(name) and "[%s]" % SAID[name] not in said:
            fault = "no warning %s" % SAID[name]
        if fault:
            yield "%s, %s: %s" % (name, view, fault)


def main():
    with tempfile.TemporaryDirectory() as folder:
        paths = models.write(folder, models.hard(small=True))
        faults = [f for name, path in paths.items() for f in check(sys.argv[1], name, path)]
    print("\n".join(faults) or "%d graphs, %d views each: all drawn" % (len(paths), len(VIEWS)))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
