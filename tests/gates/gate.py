"""What the gates have in common: `GATE ROOT [BUILD]` checks a tree, `GATE --self-test` the gate itself.

A gate is a function check(root, build) that returns its complaints, and samples: trees it must refuse,
each with a part of the complaint, and trees it must let pass. A tree is a dict of path and text.
"""

import os
import sys
import tempfile


def main(check, bad, good):
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(_self_test(check, bad, good))
    root = sys.argv[1]
    build = sys.argv[2] if len(sys.argv) > 2 else None
    complaints = list(check(root, build))
    print("\n".join(complaints) if complaints else "ok")
    sys.exit(1 if complaints else 0)


def _self_test(check, bad, good):
    wrong = 0
    for sample, expected in bad:
        complaints = _check_sample(check, sample)
        if not any(expected in c for c in complaints):
            print(f"passes, should complain of {expected!r}: {sample}\n  got {complaints}")
            wrong += 1
    for sample in good:
        complaints = _check_sample(check, sample)
        if complaints:
            print(f"complains, should pass: {sample}\n  got {complaints}")
            wrong += 1
    print(f"{len(bad)} bad samples, {len(good)} good ones, {wrong} judged wrongly")
    return 1 if wrong or not bad or not good else 0


def _check_sample(check, sample):
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, sample)
        return list(check(root, root))


def write_tree(root, sample):
    for name, text in sample.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
