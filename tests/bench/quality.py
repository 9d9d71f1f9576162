#!/usr/bin/env python3
"""Measures of a picture, ours and that of Graphviz's dot for the same view: crossings of lines of different nodes, length of what is drawn,
area, width / height. What one node draws twice counts once.
"""
import json
import math
import subprocess

CURVE = 8        # straight pieces of one curve
CELL = 80.0      # points: lines are looked for in a grid
NEAR = 2.0       # points: lines that meet where both end do not cross


def ours(binary, path, options):
    j = json.loads(subprocess.run([binary, "inspect", "--layout", *options, path], check=True, capture_output=True).stdout)
    lines = [(e["from"], [tuple(p) for p in r]) for e in j["edges"] for r in e["routes"]]
    return measure(lines, *j["size"])


def bezier(p):
    out = [p[0]]
    for k in range(0, len(p) - 3, 3):
        for i in range(1, CURVE + 1):
            t, s = i / CURVE, 1 - i / CURVE
            w = (s ** 3, 3 * s * s * t, 3 * s * t * t, t ** 3)
            out.append(tuple(sum(w[n] * p[k + n][axis] for n in range(4)) for axis in (0, 1)))
    return out


def dots(binary, path, options, seconds):
    """None when dot needs longer."""
    text = subprocess.run([binary, "render", "--format", "dot", *options, path], check=True, capture_output=True).stdout
    try:
        out = subprocess.run(["dot", "-Tjson0"], input=text, check=True, capture_output=True, timeout=seconds).stdout
    except subprocess.TimeoutExpired:
        return None
    j, lines = json.loads(out), []
    for e in j.get("edges", ()):
        for spline in e.get("pos", "").split(";"):
            points = [tuple(map(float, t.split(","))) for t in spline.split() if t[0] not in "se"]
            tips = {t[0]: tuple(map(float, t[2:].split(","))) for t in spline.split() if t[0] in "se"}
            line = [p for p in (tips.get("s"), *bezier(points), tips.get("e")) if p] if points else []
            if line:
                lines.append((e["tail"], line))
    x0, y0, x1, y1 = map(float, j["bb"].split(","))
    return measure(lines, x1 - x0, y1 - y0)


def cells_of(s):
    """Cells that a piece of a line passes, and some beside it."""
    steps = int(max(abs(s[2] - s[0]), abs(s[3] - s[1])) // CELL) + 1
    seen = set()
    for i in range(steps):
        xs = sorted(s[0] + (s[2] - s[0]) * t / steps for t in (i, i + 1))
        ys = sorted(s[1] + (s[3] - s[1]) * t / steps for t in (i, i + 1))
        for x in range(int(xs[0] // CELL), int(xs[1] // CELL) + 1):
            seen.update((x, y) for y in range(int(ys[0] // CELL), int(ys[1] // CELL) + 1))
    return seen


def meeting(a, b):
    """Where two pieces cross, or None."""
    dx, dy, ex, ey = a[2] - a[0], a[3] - a[1], b[2] - b[0], b[3] - b[1]
    n = dx * ey - dy * ex
    if n == 0:
        return None
    t = ((b[0] - a[0]) * ey - (b[1] - a[1]) * ex) / n
    u = ((b[0] - a[0]) * dy - (b[1] - a[1]) * dx) / n
    return (a[0] + t * dx, a[1] + t * dy) if 0 <= t < 1 and 0 <= u < 1 else None


def measure(lines, w, h):
    pieces, ends = {}, {}
    for source, line in lines:
        line = [(round(x, 2), round(y, 2)) for x, y in line]
        ends.setdefault(source, []).extend((line[0], line[-1]))
        for a, b in zip(line, line[1:]):
            if a != b:
                pieces[source, min(a, b) + max(a, b)] = None
    # Each node's lines move by a hair, so that none lie on each other.
    hair = {s: (0.001 + 0.004 * (i * 0.618 % 1), 0.001 + 0.004 * (i * 0.7549 % 1)) for i, s in enumerate(ends)}
    cells, found = {}, set()
    for k, (source, s) in enumerate(pieces):
        dx, dy = hair[source]
        moved = (s[0] + dx, s[1] + dy, s[2] + dx, s[3] + dy)
        for c in cells_of(moved):
            cells.setdefault(c, []).append((k, source, moved))
    for cell in cells.values():
        for i, (k, source, a) in enumerate(cell):
            for m, other, b in cell[i + 1:]:
                if source == other or a[0] > b[2] or b[0] > a[2]:
                    continue
                p = meeting(a, b)
                if p and not all(any(math.dist(p, e) < NEAR for e in ends[s]) for s in (source, other)):
                    found.add((k, m))
    length = sum(math.hypot(s[2] - s[0], s[3] - s[1]) for _, s in pieces)
    return {"crossings": len(found), "length": round(length), "area": round(w * h), "aspect": round(w / h, 2)}
