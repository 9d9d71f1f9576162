"""Includes go to the left only, name their file from the top of the tree, and every library has one owner."""

import fnmatch
import os
import re

import gate
import tree

# base <- onnx <- graph <- server; the page is linked into the server alone.
MAY_INCLUDE = {
    "base": {"base"},
    "onnx": {"base", "onnx"},
    "graph": {"base", "onnx", "graph"},
    "web": {"base", "web"},
    "server": {"base", "onnx", "graph", "web", "server"},
}

# Header of a library -> the only files that see it.
OWNERS = {
    "onnx.pb-c.h": "onnx/decode*.c",
    "protobuf-c/*": "onnx/decode*.c",
    "gvc.h": "graph/render_gv*.c",
    "cgraph.h": "graph/render_gv*.c",
    "gvplugin*.h": "graph/render_gv*.c",
    "graphviz/*": "graph/render_gv*.c",
    "cJSON.h": "base/json.c",
    "cjson/*": "base/json.c",
    "microhttpd.h": "server/http_*.c",
    "nettle/*": "base/sha256.c",
    "seccomp.h": "server/sandbox.c",
    "linux/seccomp.h": "server/sandbox.c",
    "zlib.h": "server/encoding*.c",
    "zstd.h": "server/encoding*.c",
    "hiredis/*": "server/store_redis.c",
}

# Generated at build time, hence not in the tree.
GENERATED = {"onnx.pb-c.h", "web/assets.h"}

LIBC = re.compile(
    r"(arpa|linux|net|netinet|sys)/\w+\.h|(assert|ctype|dirent|dlfcn|endian|errno|execinfo|fcntl|fenv|float|"
    r"fnmatch|getopt|grp|inttypes|iso646|langinfo|limits|locale|malloc|math|netdb|poll|pthread|pwd|sched|"
    r"semaphore|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|"
    r"string|strings|syslog|termios|threads|time|uchar|unistd|wchar|sanitizer/\w+)\.h")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def check(root, _build):
    for name in tree.files(root, ".c", ".h"):
        if tree.room(name) in MAY_INCLUDE:
            yield from _check_file(root, name)


def _check_file(root, name):
    text = tree.without_comments(tree.read(root, name))
    found = [(tree.line_of(text, m.start(1)), m[1], m[2]) for m in INCLUDE.finditer(text)]
    for line, quote, header in found:
        complaint = _complaint(root, name, quote, header)
        if complaint:
            yield f"{name}:{line}: {complaint}"
    own = name[:-2] + ".h"
    if name.endswith(".c") and os.path.exists(os.path.join(root, own)):
        if not found or found[0][2] != own:
            yield f"{name}:1: its own header {own} is not the first include"


def _complaint(root, name, quote, header):
    owner = _owner(header)
    if owner:
        return None if fnmatch.fnmatch(name, owner) else f"{header} belongs to {owner} alone"
    if quote == "<":
        return None if LIBC.fullmatch(header) else f"<{header}> has no owner"
    if header not in GENERATED and not os.path.exists(os.path.join(root, header)):
        return f'"{header}" is not a path from the top of the tree'
    if tree.room(header) not in MAY_INCLUDE[tree.room(name)]:
        return f'{tree.room(name)}/ must not include "{header}"'
    return None


def _owner(header):
    for pattern, owner in OWNERS.items():
        if fnmatch.fnmatch(header, pattern):
            return owner
    return None


def _sample(name, include, **more):
    return {name: f"#include {include}\n", **more}


gate.main(
    check,
    bad=[
        (_sample("base/a.c", '"onnx/b.h"', **{"onnx/b.h": ""}), 'base/ must not include "onnx/b.h"'),
        (_sample("onnx/a.h", '"graph/b.h"', **{"graph/b.h": ""}), "onnx/ must not include"),
        (_sample("graph/a.c", '"server/b.h"', **{"server/b.h": ""}), "graph/ must not include"),
        (_sample("graph/a.c", '"tests/b.h"', **{"tests/b.h": ""}), "graph/ must not include"),
        (_sample("graph/a.c", '"web/assets.h"'), "graph/ must not include"),
        (_sample("graph/a.c", '"b.h"', **{"graph/b.h": ""}), "not a path from the top"),
        (_sample("graph/a.c", '"onnx.pb-c.h"'), "belongs to onnx/decode*.c alone"),
        (_sample("graph/layout.c", "<gvc.h>"), "belongs to graph/render_gv*.c alone"),
        (_sample("graph/layout.c", "  <graphviz/cgraph.h>"), "belongs to graph/render_gv*.c alone"),
        (_sample("server/log.c", "<cjson/cJSON.h>"), "belongs to base/json.c alone"),
        (_sample("server/log.c", "<microhttpd.h>"), "belongs to server/http_*.c alone"),
        (_sample("onnx/strip.c", "<nettle/sha2.h>"), "belongs to base/sha256.c alone"),
        (_sample("server/zygote.c", "<seccomp.h>"), "belongs to server/sandbox.c alone"),
        (_sample("server/zygote.c", "<curl/curl.h>"), "has no owner"),
        ({"base/a.c": '#include <stdio.h>\n#include "base/a.h"\n', "base/a.h": ""}, "not the first include"),
    ],
    good=[
        _sample("graph/a.c", '"onnx/b.h"', **{"onnx/b.h": ""}),
        _sample("graph/render_gv_svg.c", "<gvc.h>"),
        _sample("onnx/decode.c", '"onnx.pb-c.h"'),
        _sample("base/a.c", "<sys/random.h>"),
        {"base/a.c": '#include "base/a.h"\n\n#include <stdio.h>\n', "base/a.h": ""},
        {"base/a.c": '// #include "onnx/b.h"\n', "onnx/b.h": ""},
    ],
)
