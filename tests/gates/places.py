"""Nothing in the tree names a place of one machine: folders of a developer, a CPU's library path, a registry."""

import re

import gate
import tree

FORBIDDEN = [
    (re.compile(r"/work/|\bshared/(corpus|reference|tools|design)"), "names a folder outside of the tree"),
    (re.compile(r"/(home|Users)/\w|/root/"), "names somebody's home"),
    (re.compile(r"\b(x86_64|aarch64|arm|i386)-linux-gnu"), "names the library path of one CPU; ask pkg-config"),
]
LOCK_FILE = re.compile(r"(^|/)(package-lock|npm-shrinkwrap)\.json$")
RESOLVED = re.compile(r'"resolved"\s*:\s*"https?://([^/"]+)')

# Models and their pictures carry the paths of whoever exported them.
FOREIGN = ("tests/fixtures/", "tests/golden/", "tests/gates/places.py")


def check(root, _build):
    for name in tree.files(root, ""):
        if name.startswith(FOREIGN):
            continue
        text = tree.read(root, name)
        if "\0" in text:
            continue
        yield from _complaints(name, text)


def _complaints(name, text):
    for pattern, why in FORBIDDEN:
        for m in pattern.finditer(text):
            yield f"{name}:{tree.line_of(text, m.start())}: {m[0]!r} {why}"
    if LOCK_FILE.search(name):
        for m in RESOLVED.finditer(text):
            yield f"{name}:{tree.line_of(text, m.start())}: pins the registry {m[1]}; npm fills in its own"


gate.main(
    check,
    bad=[
        ({"base/a.c": "\n// see /" "work/x\n"}, "base/a.c:2"),
        ({"docs/a.md": "from shared/corpus/x.onnx\n"}, "outside of the tree"),
        ({"run": "cd /home/me/x\n"}, "somebody's home"),
        ({"docker/Dockerfile": "COPY /usr/lib/x86_64-linux-gnu/a /\n"}, "one CPU"),
        ({"tests/browser/package-lock.json": '{"resolved": "https://registry.example/a.tgz"}'},
         "registry.example"),
    ],
    good=[
        {"base/a.c": "// a framework/ and shared/memory\n"},
        {"tests/browser/package-lock.json": '{"version": "1", "integrity": "sha512-x"}'},
        {"tests/fixtures/a.json": "/home/me/model.py"},
        {"web/a.png": "\0/home/me"},
    ],
)
