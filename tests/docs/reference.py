"""reference.py PROGRAM TABLES TREE [--write]: README.md and docs/ say and show what the program says and draws.

Text between `<!-- generated: NAME -->` and `<!-- end -->` is a table of the program, what `onnxscope help
COMMAND` prints (`help`, `help render`, ...), or a part of a document (`example ...`); docs/images/ holds
pictures of test models. --write makes all of it anew, without it a difference is an error. Flags, variables,
problem types and addresses elsewhere in the pages have to exist, and no warning may be missing.
"""

import difflib
import glob
import json
import os
import re
import subprocess
import sys

# Leaks have a gate of their own, which knows those of Graphviz.
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"

BLOCK = re.compile(r"(<!-- generated: ([a-z ]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
VARIABLE = re.compile(r"\bONNXSCOPE_[A-Z_]+")
PROBLEM = re.compile(r"\burn:onnxscope:problem:[a-z-]+")
ADDRESS = re.compile(r"(?<![\w.:-])/(?:v1|models|embed|assets)/[^\s\"'`?)<>,;]+")
MODEL_ID = re.compile(r"[0-9a-f]{64}|\$id|SHA256")
# What Kubernetes sets for a service of our name.
FOREIGN_VARIABLES = {"ONNXSCOPE_SERVICE_HOST", "ONNXSCOPE_PORT"}
# Programs whose lines have flags of their own.
FOREIGN = re.compile(r"\b(curl|docker|mkdocs)\b|`--data-binary`")
WARNING = re.compile(r'warnings_add(?:_error)?\(\s*[^,]+,\s*"([a-z-]+)"|\[NET_WARNING_\w+\] = \{"([a-z-]+)"')

IMAGES = {
    "unet": ["--depth", "1", "--graph-dir", "LR"],
    "resnet18": ["--depth", "2"],
    "resnet18-expand": ["--depth", "1", "--expand", "layer2,layer2.0"],
    "resnet18-costs": ["--depth", "1", "--attrs", "--costs", "all", "--legend"],
    "gpt12": [],
    "hierarchy/nested_recursive": ["--roll"],
    "hierarchy/mixed_script": [],
}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def read_tables(program, tables):
    """Every block by its name."""
    text = output_of(tables)
    blocks = dict(re.findall(r"^=== ([a-z]+)\n(.*?)(?=^=== |\Z)", text, re.DOTALL | re.MULTILINE))
    overview = output_of(program, "help")
    blocks["help"] = fenced(overview)
    for command in re.findall(r"^  onnxscope ([a-z]+) ", overview, re.MULTILINE):
        if command != "help":
            blocks[f"help {command}"] = fenced(output_of(program, "help", command))
    return blocks


def read_examples(program, tree):
    """Parts of the JSON of one test model."""
    def inspect(*options):
        return json.loads(output_of(program, "inspect", *options, f"{tree}/tests/fixtures/resnet18.onnx"))

    modules, nodes, graph = inspect("--modules"), inspect("--nodes"), inspect("--graph", "--depth", "2")
    edge = inspect("--layout", "--depth", "2")["edges"][0]
    node = next(n for n in nodes["nodes"] if n["name"] == "/layer1/layer1.0/conv1/Conv")
    return {
        "example summary": member_by_line(inspect()),
        "example module": member_by_line(next(m for m in modules["modules"] if m["path"] == "layer1.0")),
        "example node": member_by_line(node),
        "example value": member_by_line({"input": nodes["values"]["input"]}),
        "example options": member_by_line(graph["options"]),
        "example box": member_by_line(next(n for n in graph["nodes"] if n["path"] == "layer1.0")),
        "example edge": member_by_line(graph["edges"][0]),
        "example cluster": member_by_line(graph["clusters"][0]),
        "example place": member_by_line({k: edge[k] for k in ("id", "from", "to", "routes")}),
    }


def member_by_line(value):
    rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
    return f"```json\n{{\n{rows}\n}}\n```\n"


def read_images(program, tree):
    """What has to be in docs/images/, by its path in the tree. `resnet18-expand` shows resnet18."""
    images = {}
    for name, options in IMAGES.items():
        model = f"{tree}/tests/fixtures/{name.split('-')[0]}.onnx"
        images[f"docs/images/{name}.svg"] = output_of(program, "render", *options, model)
    return images


def read_warnings(tree):
    """The codes of all warnings that the sources can give."""
    codes = set()
    for path in glob.glob(f"{tree}/onnx/*.c") + glob.glob(f"{tree}/graph/*.c"):
        codes.update(filter(None, (c for m in WARNING.findall(read(path)) for c in m)))
    return codes


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def update(path, wanted, write):
    """A complaint, when the file is not as wanted and may not be written."""
    if os.path.exists(path) and read(path) == wanted:
        return []
    if write:
        with open(path, "w", encoding="utf-8") as f:
            f.write(wanted)
        return []
    return [f"{path}: not what the program makes; ninja docs_reference makes it anew"]


def fenced(text):
    return f"```text\n{text.rstrip()}\n```\n"


class Page:
    def __init__(self, tree, name, blocks):
        self.name = name
        self.text = read(os.path.join(tree, name))
        self.complaints = []
        self.used = set()
        self.wanted = BLOCK.sub(lambda m: self.fill(m, blocks), self.text)

    def fill(self, match, blocks):
        name = match[2]
        if name not in blocks:
            self.complaints.append(f"{self.name}: there is no table {name!r}")
            return match[0]
        self.used.add(name)
        return f"{match[1]}\n{blocks[name]}\n{match[4]}"

    def difference(self):
        return difflib.unified_diff(self.text.splitlines(), self.wanted.splitlines(),
                                    self.name, "as the program has it", lineterm="", n=0)

    def check_names(self, names):
        text = BLOCK.sub("", self.text)
        for kind, pattern in (("variable", VARIABLE), ("problem", PROBLEM)):
            for word in pattern.findall(text):
                self.expect(word in names[kind], f"{kind} {word}")
        for word in ADDRESS.findall(text):
            path = MODEL_ID.sub("{id}", word.rstrip(".:"))
            self.expect(path in names["route"], f"address {word}")
        for code in CODE.findall(text):
            for line in code.splitlines():
                self.check_flags(line, names["flag"])

    def check_flags(self, line, flags):
        if FOREIGN.search(line):
            return
        for word in FLAG.findall(line):
            known = word in flags or (word.startswith("no-") and word[3:] in flags)
            self.expect(known, f"flag --{word}")

    def expect(self, exists, what):
        if not exists:
            self.complaints.append(f"{self.name}: there is no {what}")


def read_names(blocks):
    everything = "".join(blocks.values())
    return {
        "flag": set(FLAG.findall(everything)) | {"help"},
        "variable": set(VARIABLE.findall(everything)) | FOREIGN_VARIABLES,
        "problem": set(PROBLEM.findall(everything)),
        "route": set(re.findall(r"\| `(/[^`]*)` \|", blocks["routes"])),
    }


def pages_of(tree, blocks):
    paths = glob.glob(f"{tree}/docs/**/*.md", recursive=True)
    names = ["README.md"] + sorted(os.path.relpath(p, tree) for p in paths)
    return [Page(tree, name, blocks) for name in names]


def check_warnings(tree):
    text = read(f"{tree}/docs/errors.md")
    for code in sorted(read_warnings(tree)):
        if f"| `{code}` |" not in text:
            yield f"docs/errors.md: the warning {code} is missing"


def main():
    program, tables, tree = sys.argv[1:4]
    write = sys.argv[4:] == ["--write"]
    blocks = read_tables(program, tables) | read_examples(program, tree)
    names = read_names(blocks)
    pages = pages_of(tree, blocks)
    images = read_images(program, tree)
    complaints = list(check_warnings(tree))
    for page in pages:
        page.check_names(names)
        if not write:
            complaints += page.difference()
        complaints += page.complaints
    for path, wanted in [(p.name, p.wanted) for p in pages] + list(images.items()):
        complaints += update(os.path.join(tree, path), wanted, write)
    for name in blocks.keys() - set().union(*(p.used for p in pages)):
        complaints.append(f"no page shows the table {name!r}")
    counted = f"{len(pages)} pages, {len(blocks)} tables and examples, {len(images)} pictures"
    print("\n".join(complaints) if complaints else f"ok: {counted}")
    sys.exit(1 if complaints else 0)


main()
