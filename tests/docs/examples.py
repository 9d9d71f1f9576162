"""examples.py PROGRAM TREE: runs every ```sh block of README.md and docs/, a page at a time, as it is written.

`onnxscope` and `./run` are the program, `model.onnx` is a test model, and the address 127.0.0.1:8080 is that
of a daemon on a free port. Blocks of other kinds (```console, ```html, ...) are only shown; ```python is run.
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Leaks have a gate of their own, which knows those of Graphviz.
os.environ["ASAN_OPTIONS"] = "detect_leaks=0"

BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
STANDARD = "127.0.0.1:8080"
SECONDS = 60
# An answer that is an error ends the script.
START = """set -euxo pipefail
curl() {
    case " $* " in
    *' --fail '*) command curl -sS "$@" ;;
    *) command curl -sS --fail-with-body "$@" ;;
    esac
}
"""


class Daemon:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0"],
                                        stderr=subprocess.PIPE, text=True)
        self.lines = []
        while True:
            line = self.process.stderr.readline()
            if not line:
                sys.exit("the daemon does not start:\n" + "".join(self.lines))
            self.lines.append(line)
            if '"listening"' in line:
                break
        self.address = json.loads(line)["url"].removeprefix("http://")

    def stop(self):
        self.process.terminate()
        _, rest = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, rest


def script_of(text, address):
    """One script for a page, or None."""
    parts = []
    for kind, block in BLOCK.findall(text):
        body = block.replace(STANDARD, address)
        parts.append(f"python3 - <<'END_OF_EXAMPLE'\n{body}END_OF_EXAMPLE\n" if kind == "python" else body)
    return START + "".join(parts) if parts else None


def run_page(name, text, program, tree, address):
    script = script_of(text, address)
    if script is None:
        return None
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(f"{work}/bin")
        for link in (f"{work}/bin/onnxscope", f"{work}/run"):
            os.symlink(program, link)
        shutil.copy(f"{tree}/tests/fixtures/resnet18.onnx", f"{work}/model.onnx")
        done = subprocess.run(["bash", "-c", script], cwd=work, capture_output=True, text=True, timeout=SECONDS,
                              env=os.environ | {"PATH": f"{work}/bin:{os.environ['PATH']}"})
        problems = check_results(work)
    if done.returncode:
        problems.append(f"exit status {done.returncode}\n{done.stderr}{done.stdout}")
    return [f"{name}: {problem}" for problem in problems]


def check_results(work):
    """What the examples wrote is what its name says."""
    starts = {".svg": "<svg ", ".json": "{", ".dot": "digraph "}
    problems = []
    for path in sorted(glob.glob(f"{work}/*.*")):
        start = starts.get(os.path.splitext(path)[1])
        if start:
            with open(path, encoding="utf-8") as f:
                head = f.read(200)
            if not head.startswith(start):
                problems.append(f"{os.path.basename(path)} is {head!r}")
    return problems


def main():
    program, tree = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    daemon = Daemon(program)
    complaints, pages = [], 0
    for path in [f"{tree}/README.md"] + sorted(glob.glob(f"{tree}/docs/**/*.md", recursive=True)):
        with open(path, encoding="utf-8") as f:
            problems = run_page(os.path.relpath(path, tree), f.read(), program, tree, daemon.address)
        pages += problems is not None
        complaints += problems or []
    status, log = daemon.stop()
    if status:
        complaints.append(f"the daemon ended with {status}\n{log}")
    print("\n".join(complaints) if complaints else f"ok: {pages} pages with examples")
    sys.exit(1 if complaints else 0)


main()
