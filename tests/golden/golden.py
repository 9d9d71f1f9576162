#!/usr/bin/env python3
"""Compares what the program draws with pictures and documents that a person has looked at.

usage: golden.py BINARY [--update]

Each case is a fixture with view options; NAME.svg and NAME.json lie beside this file. After a change that is meant to alter
them: --update, then look at every picture that `git diff` names before committing it.
"""
import difflib
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"

# name of the files: fixture, view options
CASES = {
    "resnet18": ("resnet18", ["--depth", "2"]),
    "resnet18_blocks": ("resnet18", ["--depth", "3", "--no-fold"]),
    "gpt12": ("gpt12", []),
    "gpt12_dynamo": ("gpt12_dynamo", []),
    "gpt12_block": ("gpt12", ["--expand", "transformer.h.0", "--no-hide-module-functions"]),
    "unet": ("unet", ["--depth", "1"]),
    "unet_lr_dark": ("unet", ["--depth", "2", "--graph-dir", "LR", "--theme", "dark"]),
    "recursive_net": ("recursive_net", []),
}
FORMATS = ("svg", "json")


def made(binary, fixture, options, form):
    command = [binary, "render", "--format", form, *options, str(FIXTURES / (fixture + ".onnx"))]
    return subprocess.run(command, check=True, capture_output=True).stdout


def lines(data):
    """For people: one element or member a line."""
    return data.decode().replace(">", ">\n").replace("},", "},\n").splitlines()


def compare(path, data):
    if not path.exists():
        print(f"{path.name} is not there")
        return False
    if path.read_bytes() == data:
        return True
    print("\n".join(list(difflib.unified_diff(lines(path.read_bytes()), lines(data), path.name, "made", lineterm="", n=1))[:40]))
    return False


def main():
    binary, update = sys.argv[1], "--update" in sys.argv[2:]
    good = True
    for name, (fixture, options) in CASES.items():
        for form in FORMATS:
            path = HERE / f"{name}.{form}"
            data = made(binary, fixture, options, form)
            if update:
                path.write_bytes(data)
            else:
                good &= compare(path, data)
    strays = {p.name for form in FORMATS for p in HERE.glob("*." + form)} - {f"{n}.{f}" for n in CASES for f in FORMATS}
    if strays:
        print("no case makes", *sorted(strays))
    if not good:
        print("If the change is meant: ninja golden, look at every picture, commit.")
    return int(not good or bool(strays))


if __name__ == "__main__":
    sys.exit(main())
