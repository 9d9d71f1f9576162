"""The files a gate looks at, and C source without its comments."""

import os
import re
import subprocess

ROOMS = ("base", "onnx", "graph", "server")


def files(root, *endings):
    """Paths below root, relative and sorted: what git tracks or would track."""
    names = _git_files(root) if os.path.exists(os.path.join(root, ".git")) else _walk(root)
    return sorted(n for n in names if n.endswith(endings) and os.path.isfile(os.path.join(root, n)))


def _git_files(root):
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True)
    return set(filter(None, listing.stdout.split("\0")))


def _walk(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f not in ("build", "node_modules")]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), root)


def read(root, name):
    with open(os.path.join(root, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def room(name):
    return name.split("/")[0]


_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def without_comments(text):
    """Comments become blanks; lines keep their numbers, strings their place."""
    return _TOKEN.sub(lambda m: _blank(m) if m[0].startswith("/") else m[0], text)


def without_strings(text):
    """Neither comments nor what is in quotes."""
    return _TOKEN.sub(_blank, text)


def _blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
