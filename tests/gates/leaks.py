"""Memory that is never freed fails a test.

    leaks.py suite COMMAND...            runs a Criterion suite, or another test
    leaks.py program ONNXSCOPE FIXTURES  runs the program over every model, good and bad
    leaks.py --self-test CC              shows that leaks are found

Criterion runs each test in a process of its own and passes it whatever the leak checker says there, so the
exit status is worth nothing: each process writes its report to a file, and any such file is a failure.
"""

import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

VIEWS = (
    ["render"],
    ["render", "--format", "dot"],
    ["render", "--format", "json"],
    ["inspect"],
    ["inspect", "--modules"],
    ["inspect", "--modules", "--format", "table"],
    ["inspect", "--nodes"],
    ["inspect", "--graph"],
)


def run(command, allowed_status, **streams):
    """Complaints about one run: an unexpected exit status, or a report of a sanitizer."""
    if b"__asan_init" not in _bytes(command[0]):
        return [f"{command[0]} is not built with AddressSanitizer: it cannot tell"]
    with tempfile.TemporaryDirectory() as reports:
        done = subprocess.run(command, env=_environment(reports), stderr=subprocess.PIPE, **streams)
        complaints = [_text(r) for r in sorted(glob.glob(os.path.join(reports, "*")))]
    if done.returncode not in allowed_status:
        complaints.append(f"exit status {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return [f"{' '.join(command)}\n{c}" for c in complaints]


def _environment(reports):
    # The slow unwinder sees through libraries without frame pointers; the suppressions need that.
    return {
        **os.environ,
        "ASAN_OPTIONS": f"detect_leaks=1:fast_unwind_on_malloc=0:log_path={reports}/report",
        "LSAN_OPTIONS": f"print_suppressions=0:suppressions={HERE}/leaks.supp",
    }


def _bytes(path):
    with open(path, "rb") as f:
        return f.read()


def _text(path):
    return _bytes(path).decode(errors="replace")


def suite(*command):
    return run(list(command), {0})


def program(onnxscope, fixtures):
    models = sorted(glob.glob(os.path.join(fixtures, "**", "*.onnx"), recursive=True))
    if not models:
        return [f"no model in {fixtures}"]
    jobs = [([onnxscope, *view, "-"], _bytes(model)[:end])
            for model in models for view in VIEWS for end in (None, 1000)]
    jobs += [([onnxscope, *view, "-"], text) for view in VIEWS for text in (b"", b"no model at all")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [c for found in pool.map(_read_model, jobs) for c in found]
    return complaints + run([onnxscope, "render", "--no-such-option"], {2})


def _read_model(job):
    command, model = job
    return run(command, {0, 1}, input=model, stdout=subprocess.DEVNULL)


LEAKING_SUITE = """
#include <criterion/criterion.h>
#include <stdlib.h>
Test(leaks, passes_all_the_same)
{
    char *volatile p = malloc(10);
    cr_assert_not_null(p);
    KEEP(p);
}
"""
LEAKING_PROGRAM = """
#include <stdlib.h>
int main(void)
{
    char *volatile p = malloc(10);
    KEEP((void *)p);
    p = NULL;
    return 0;
}
"""
CRITERION = ["-lcriterion"]
ASAN = ["-g", "-fsanitize=address"]


def self_test(cc):
    cases = [
        ("a leaking suite", LEAKING_SUITE, ["-DKEEP(p)=p=NULL", *ASAN, *CRITERION], "detected memory leaks"),
        ("a suite", LEAKING_SUITE, ["-DKEEP=free", *ASAN, *CRITERION], None),
        ("a leaking program", LEAKING_PROGRAM, ["-DKEEP(p)=", *ASAN], "detected memory leaks"),
        ("a program", LEAKING_PROGRAM, ["-DKEEP=free", *ASAN], None),
        ("a program without ASan", LEAKING_PROGRAM, ["-DKEEP(p)="], "not built with"),
    ]
    return [c for case in cases for c in _judge(cc, *case)] + _foreign_suppressions()


def _judge(cc, what, source, options, expected):
    with tempfile.TemporaryDirectory() as folder:
        executable = os.path.join(folder, "a")
        subprocess.run([cc, "-x", "c", "-", "-o", executable, *options], input=source, text=True, check=True)
        complaints = run([executable], {0, 23})
    if expected is None:
        return [f"{what} that is clean fails: {complaints}"] if complaints else []
    return [] if any(expected in c for c in complaints) else [f"{what} passes: {complaints}"]


def _foreign_suppressions():
    """Only libraries of others are excused."""
    with open(os.path.join(HERE, "leaks.supp"), encoding="ascii") as f:
        lines = [line.strip() for line in f if line.strip() and not line.startswith("#")]
    excused = ("leak:libgvc", "leak:libgvplugin", "leak:libcgraph", "leak:libcairo", "leak:libpango",
               "leak:libfontconfig")
    return [f"leaks.supp excuses {line}" for line in lines if not line.startswith(excused)]


def main(mode, *arguments):
    complaints = {"suite": suite, "program": program, "--self-test": self_test}[mode](*arguments)
    print("\n".join(complaints) if complaints else "no leak")
    sys.exit(1 if complaints else 0)


main(*sys.argv[1:])
