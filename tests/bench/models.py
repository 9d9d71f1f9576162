#!/usr/bin/env python3
"""models.py DIR [--small]: writes synthetic ONNX models for measurements and for tests of the limits.

Networks look like exports of PyTorch: scoped names of nodes, weights (tiny), constants, shape arithmetic. The others are graphs that
are hard to lay out. Needs nothing but Python.
"""
import os
import random
import sys

FLOAT, INT64 = 1, 7


# ---- protobuf, as much as the models need

def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def integer(field, n):
    return varint(field << 3) + varint(n & (1 << 64) - 1)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def tensor(name, dims, dtype, raw):
    head = b"".join(integer(1, d) for d in dims) + integer(2, dtype)
    return head + message(8, name) + message(9, raw)


def value_info(name, dims, dtype=FLOAT):
    shape = b"".join(message(1, integer(1, d)) for d in dims)
    return message(1, name) + message(2, message(1, integer(1, dtype) + message(2, shape)))


class Graph:
    """Nodes in the order of their calls; tensors are called after the nodes that make them."""

    def __init__(self):
        self.nodes, self.weights, self.inputs, self.outputs, self.used = [], {}, [], [], {}

    def input(self, name, *dims, dtype=FLOAT):
        self.inputs.append(message(11, value_info(name, dims, dtype)))
        return name

    def output(self, name, *dims):
        self.outputs.append(message(12, value_info(name, dims)))

    def add(self, scope, op, *inputs, out=None, attributes=b""):
        name = "%s/%s" % (scope, op)
        n = self.used[name] = self.used.get(name, -1) + 1
        name += "_%d" % n if n else ""
        out = out or name + "_output_0"
        body = b"".join(message(1, i) for i in inputs) + message(2, out) + message(3, name) + message(4, op)
        self.nodes.append(message(1, body + attributes))
        return out

    def constant(self, scope, *values):
        raw = b"".join((v & (1 << 64) - 1).to_bytes(8, "little") for v in values)
        value = message(1, "value") + message(5, tensor("", [len(values)], INT64, raw)) + integer(20, 4)
        return self.add(scope, "Constant", attributes=message(5, value))

    def weight(self, name, *dims):
        count = 1
        for d in dims:
            count *= d
        self.weights[name] = message(5, tensor(name, dims, FLOAT, bytes(4 * count)))
        return name

    def model(self):
        graph = b"".join(self.nodes) + message(2, "main_graph") + b"".join([*self.weights.values(), *self.inputs, *self.outputs])
        return integer(1, 8) + message(2, "pytorch") + message(3, "2.1.0") + message(7, graph) + message(8, integer(2, 17))


# ---- networks

WIDTH = 4


def linear(g, scope, x):
    y = g.add(scope, "MatMul", x, g.weight(scope.strip("/").replace("/", ".") + ".weight", WIDTH, WIDTH))
    return g.add(scope, "Add", y, g.weight(scope.strip("/").replace("/", ".") + ".bias", WIDTH))


def norm(g, scope, x):
    mean = g.add(scope, "ReduceMean", x)
    apart = g.add(scope, "Sub", x, mean)
    square = g.add(scope, "Pow", apart, g.constant(scope, 2))
    root = g.add(scope, "Sqrt", g.add(scope, "ReduceMean", square))
    return g.add(scope, "Mul", g.add(scope, "Div", apart, root), g.weight(scope.strip("/").replace("/", ".") + ".weight", WIDTH))


def heads(g, scope, x):
    batch = g.add(scope, "Gather", g.add(scope, "Shape", x), g.constant(scope, 0))
    sizes = g.add(scope, "Concat", g.add(scope, "Unsqueeze", batch, g.constant(scope, 0)), g.constant(scope, -1, 2, WIDTH // 2))
    return g.add(scope, "Transpose", g.add(scope, "Reshape", x, sizes))


def attention(g, scope, x, mask):
    q, k, v = (heads(g, scope, linear(g, "%s/%s_proj" % (scope, n), x)) for n in "qkv")
    scores = g.add(scope, "Add", g.add(scope, "MatMul", q, g.add(scope, "Transpose", k)), mask)
    y = g.add(scope, "MatMul", g.add(scope, "Softmax", scores), v)
    y = g.add(scope, "Reshape", g.add(scope, "Transpose", y), g.constant(scope, 0, -1, WIDTH))
    return linear(g, scope + "/o_proj", y)


def transformer(operators):
    """As many layers as `operators` need; every layer reads one mask."""
    g = Graph()
    x = g.add("/embed", "Gather", g.weight("embed.weight", 8, WIDTH), g.input("ids", 1, 4, dtype=INT64))
    mask = g.add("", "Mul", g.input("mask", 1, 1, 4, 4), g.weight("scale", 1))
    layer = 0
    while layer == 0 or len(g.nodes) + 40 < operators:
        scope = "/layers.%d" % layer
        x = g.add(scope, "Add", x, attention(g, scope + "/self_attn", norm(g, scope + "/input_norm", x), mask))
        y = norm(g, scope + "/post_norm", x)
        gate = g.add(scope + "/mlp/act", "Sigmoid", linear(g, scope + "/mlp/gate_proj", y))
        up = linear(g, scope + "/mlp/up_proj", y)
        x = g.add(scope, "Add", x, linear(g, scope + "/mlp/down_proj", g.add(scope + "/mlp", "Mul", gate, up)))
        layer += 1
    g.output(linear(g, "/head", norm(g, "/norm", x)), 1, 4, WIDTH)
    return g.model()


def residual(blocks):
    g = Graph()
    x = g.add("/conv1", "Relu", linear(g, "/conv1", g.input("image", 1, 4, WIDTH)))
    for stage, n in enumerate(blocks, 1):
        for block in range(n):
            scope, y = "/layer%d/layer%d.%d" % (stage, stage, block), x
            for name in ("conv1", "conv2", "conv3"):
                y = linear(g, "%s/%s" % (scope, name), y)
                y = g.add(scope + "/relu", "Relu", y) if name != "conv3" else y
            skip = x if block else linear(g, scope + "/downsample/downsample.0", x)
            x = g.add(scope + "/relu", "Relu", g.add(scope, "Add", y, skip))
    g.output(linear(g, "/fc", g.add("/avgpool", "GlobalAveragePool", x)), 1, WIDTH)
    return g.model()


def recurrent(steps, layers=2):
    """A cell of eight operators, written out step by step."""
    g = Graph()
    x = g.input("x", steps, WIDTH)
    state = [(g.input("h%d" % i, WIDTH), g.input("c%d" % i, WIDTH)) for i in range(layers)]
    for step in range(steps):
        y = g.add("", "Gather", x, g.constant("", step))
        for i, (h, c) in enumerate(state):
            scope = "/cells.%d" % i
            both = g.add(scope, "Add", linear(g, scope + "/ih", y), linear(g, scope + "/hh", h))
            keep, take = g.add(scope, "Sigmoid", both), g.add(scope, "Tanh", both)
            c = g.add(scope, "Add", g.add(scope, "Mul", keep, c), g.add(scope, "Mul", keep, take))
            y = h = g.add(scope, "Mul", keep, g.add(scope, "Tanh", c))
            state[i] = h, c
    g.output(y, WIDTH)
    return g.model()


# ---- graphs that are hard to lay out

def from_arcs(n, arcs):
    """Node i makes one value; arcs are pairs (from, to)."""
    g, reads = Graph(), [[] for _ in range(n)]
    for a, b in arcs:
        reads[b].append("v%d" % a)
    x = g.input("x", 1)
    for i in range(n):
        g.add("", "Sum" if reads[i] else "Relu", *(reads[i] or [x]), out="v%d" % i)
    g.output("v%d" % (n - 1), 1)
    return g.model()


def star(n):
    return from_arcs(n + 1, [(i, n) for i in range(n)])


def fan(n):
    return from_arcs(n + 1, [(0, i) for i in range(1, n + 1)])


def bipartite(n):
    return from_arcs(2 * n, [(i, n + k) for i in range(n) for k in range(n)])


def every_pair(n):
    return from_arcs(n, [(i, k) for i in range(n) for k in range(i + 1, n)])


def chain_with_skips(n, reach):
    rng = random.Random(1)
    return from_arcs(n, [(i, i + 1) for i in range(n - 1)] + [(i, min(i + rng.randrange(2, reach), n - 1)) for i in range(n - 1)])


def scattered(n, arcs):
    rng = random.Random(2)
    pairs = ((rng.randrange(n), rng.randrange(n)) for _ in range(arcs))
    return from_arcs(n, [(min(p), max(p)) for p in pairs if p[0] != p[1]])


def cyclic(n, arcs):
    rng = random.Random(3)
    return from_arcs(n, [(rng.randrange(n), rng.randrange(n)) for _ in range(arcs)])


def nested(depth):
    g, x, scope = Graph(), "x", ""
    g.input("x", 1)
    for i in range(depth):
        scope += "/m"
        x = g.add(scope, "Relu", x)
    g.output(x, 1)
    return g.model()


def wide_input(n):
    g = Graph()
    x = g.input("x", 1)
    g.output(g.add("", "Concat", *(g.add("", "Relu", x, out="r%d" % i) if i < 100 else g.weight("w%d" % i, 1) for i in range(n))), n)
    return g.model()


# ---- all of them

NETWORKS = {
    "transformer_1k": lambda: transformer(1000),
    "transformer_5k": lambda: transformer(5000),
    "transformer_20k": lambda: transformer(20000),
    "transformer_53k": lambda: transformer(52800),
    "transformer_100k": lambda: transformer(100000),
    "llama_like": lambda: transformer(3500),
    "swin_like": lambda: transformer(6600),
    "resnet_like": lambda: residual((3, 4, 6, 3)),
    "recurrent_160": lambda: recurrent(160),
}

# Size as measured, and for tests under a sanitizer.
HARD = {
    "star": (star, (20000,), (3000,)),
    "fan": (fan, (20000,), (3000,)),
    "bipartite": (bipartite, (300,), (60,)),
    "every_pair": (every_pair, (400,), (80,)),
    "skips": (chain_with_skips, (5000, 4000), (1500, 1200)),
    "scattered": (scattered, (20000, 40000), (2000, 4000)),
    "scattered_9k": (scattered, (9000, 18000), (1000, 2000)),
    "cyclic": (cyclic, (2000, 3000), (500, 750)),
    "nested": (nested, (5000,), (1000,)),
    "wide_input": (wide_input, (100000,), (20000,)),
}


def hard(small):
    return {name: lambda make=make, size=sizes[small]: make(*size) for name, (make, *sizes) in HARD.items()}


def write(folder, models):
    """-> {name: path}"""
    paths = {}
    for name, make in models.items():
        paths[name] = os.path.join(folder, name + ".onnx")
        with open(paths[name], "wb") as f:
            f.write(make())
    return paths


def main():
    arguments = [a for a in sys.argv[1:] if a != "--small"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    small = "--small" in sys.argv
    models = hard(small)
    if not small:
        models.update(NETWORKS)
    for path in write(arguments[0], models).values():
        print(path)


if __name__ == "__main__":
    main()
