// Small and large ONNX models, written field by field (onnx.proto).
function varint(n) {
    const bytes = [];
    let rest = BigInt(n);
    do {
        const low = Number(rest & 0x7fn);
        rest >>= 7n;
        bytes.push(rest ? low | 0x80 : low);
    } while (rest);
    return Buffer.from(bytes);
}

export function number(field, n) {
    return Buffer.concat([varint(field << 3), varint(n)]);
}

export function bytes(field, content) {
    const body = Buffer.isBuffer(content) ? content : Buffer.from(content);
    return Buffer.concat([varint((field << 3) | 2), varint(body.length), body]);
}

export function node(op, inputs, outputs, name = "") {
    return Buffer.concat([
        ...inputs.map((text) => bytes(1, text)),
        ...outputs.map((text) => bytes(2, text)),
        bytes(3, name),
        bytes(4, op),
    ]);
}

function value(name) {
    const shape = bytes(2, bytes(1, number(1, 8)));
    return Buffer.concat([bytes(1, name), bytes(2, bytes(1, Buffer.concat([number(1, 1), shape])))]);
}

export function tensor(name, n) {
    return Buffer.concat([number(1, n / 4), number(2, 1), bytes(8, name), bytes(9, Buffer.alloc(n, 7))]);
}

export function model(nodes, initializers = []) {
    const graph = Buffer.concat([
        ...nodes.map((body) => bytes(1, body)),
        bytes(2, "main"),
        ...initializers.map((body) => bytes(5, body)),
        bytes(11, value("x")),
        bytes(12, value("y")),
    ]);
    return Buffer.concat([
        number(1, 8),
        bytes(2, "pytorch"),
        bytes(7, graph),
        bytes(8, number(2, 17)),
    ]);
}

// A chain of `n` operators, each of which reads one more value from further up.
export function tangle(n) {
    const nodes = [node("Relu", ["x"], ["v0"])];
    for (let i = 1; i < n; i++) {
        const far = (i * 7919) % i;
        nodes.push(node("Add", [`v${i - 1}`, `v${far}`], [i === n - 1 ? "y" : `v${i}`]));
    }
    return model(nodes);
}
