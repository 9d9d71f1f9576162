"""Runs a tool over the translation units of a build and remembers what passed.

A unit that passed is not looked at again before the tool, its options, the command or a file of the project
that it includes has changed: without this the tools would cost minutes on every run of ./test.
"""

import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess

import tree

# Understood by gcc alone, or about producing code.
DROPPED = ("-o", "-c", "-MD", "-MT", "-MF")
WITH_ARGUMENT = ("-o", "-MT", "-MF")


def units(root, build, folders):
    """(path relative to root, compiler options) of every source of the folders that the build compiles."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        commands = json.load(f)
    found = {}
    for entry in commands:
        name = os.path.relpath(os.path.join(build, entry["directory"], entry["file"]), root)
        if tree.room(name) in folders:
            found[name] = _options(shlex.split(entry["command"]), entry["file"])
    return sorted(found.items())


def _options(words, source):
    options, skip = [], False
    for word in words[1:]:
        if skip:
            skip = False
        elif word in WITH_ARGUMENT:
            skip = True
        elif word not in DROPPED and word != source:
            options.append(word)
    return options


def run(root, build, tool, jobs):
    """jobs: (name, command) in root. Returns the output of the commands that failed, as complaints."""
    memory = os.path.join(build, "gates", tool)
    os.makedirs(memory, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: _run_one(root, memory, *job), jobs)
    return [r for r in results if r]


def _run_one(root, memory, name, command):
    stamp = os.path.join(memory, name.replace("/", "_"))
    key = _key(root, name, command)
    if key and _stored(stamp) == key:
        return None
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode != 0:
        return f"{name}:\n{done.stdout}{done.stderr}"
    if key:
        with open(stamp, "w", encoding="ascii") as f:
            f.write(key)
    return None


def _stored(path):
    try:
        with open(path, encoding="ascii") as f:
            return f.read()
    except FileNotFoundError:
        return None


def _key(root, name, command):
    """Digest of all that the verdict depends on, or None when the unit cannot be preprocessed."""
    listing = subprocess.run(["clang", "-MM", "-w", *_preprocessor(command), name],
                             cwd=root, capture_output=True, text=True)
    if listing.returncode != 0:
        return None
    digest = hashlib.sha256("\0".join([_version(command[0]), *command]).encode())
    names = listing.stdout.replace("\\\n", " ").split()[1:]
    for path in [*names, os.path.join(root, ".clang-tidy")]:
        if os.path.exists(os.path.join(root, path)):
            with open(os.path.join(root, path), "rb") as f:
                digest.update(hashlib.sha256(f.read()).digest())
    return digest.hexdigest()


def _preprocessor(command):
    """-I, -D and -isystem options, which may come with their argument apart."""
    kept, take = [], False
    for word in command:
        if take or word.startswith(("-I", "-D", "-U")):
            kept.append(word)
        take = word in ("-isystem", "-include")
        if take:
            kept.append(word)
    return kept


_versions = {}


def _version(tool):
    if tool not in _versions:
        _versions[tool] = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
    return _versions[tool]
