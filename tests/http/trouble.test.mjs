// Small models, each with one thing that viewers of ONNX files have got wrong.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { fixture, start } from "./daemon.mjs";

let daemon;

before(async () => {
    daemon = await start();
});

after(() => daemon.stop());

// graph.json of a model, with what the tests ask for.
class View {
    constructor(graph) {
        this.graph = graph;
        this.nodes = graph.nodes;
        this.clusters = graph.clusters;
        this.byId = new Map([...graph.nodes, ...graph.clusters].map((one) => [one.id, one]));
    }

    of(kind) {
        return this.nodes.filter((node) => node.kind === kind);
    }

    // What a node or cluster is called here: operators by type, modules by path.
    name(id) {
        const one = this.byId.get(id);
        return one.kind === "module" ? one.path : (one.op ?? one.label);
    }

    get names() {
        return this.nodes.map((node) => this.name(node.id));
    }

    get edges() {
        return this.graph.edges.map(
            (edge) =>
                `${this.name(edge.from)}>${this.name(edge.to)}` +
                (edge.count > 1 ? `*${edge.count}` : ""),
        );
    }

    // "layer1 layer1/layer1.0": boxes with those around them.
    get boxes() {
        return this.clusters.map((cluster) => this.path(cluster.id));
    }

    path(id) {
        const cluster = this.byId.get(id);
        const own = cluster.kind === "module" ? cluster.path : cluster.label;
        return cluster.parent === null ? own : `${this.path(cluster.parent)}/${own}`;
    }

    box(node) {
        return node.cluster === null ? null : this.path(node.cluster);
    }

    get warnings() {
        return this.graph.warnings.map((warning) => warning.code);
    }
}

async function get(name, file, query) {
    const place = await daemon.store(fixture(`trouble/${name}`));
    const answer = await daemon.get(`${place}/${file}?${new URLSearchParams(query)}`);
    assert.equal(answer.status, 200, answer.text.slice(0, 300));
    return answer;
}

const OPEN = { depth: "inf", fold: "0" };
const OPERATORS = { ...OPEN, hide_module_functions: "0" };

async function view(name, query = OPEN) {
    return new View((await get(name, "graph.json", query)).json);
}

test("a repeated prefix in names makes no level of its own", async () => {
    const open = await view("scope_doubled");
    assert.deepEqual(open.boxes, [
        "layer1",
        "layer1/layer1.0",
        "layer1/layer1.1",
        "layer2",
        "layer2/layer2.0",
        "layer2/layer2.1",
    ]);
    assert.deepEqual(
        open.of("module").slice(0, 3).map((node) => node.path),
        ["layer1.0.conv1", "layer1.0.relu", "layer1.0.conv2"],
    );
    const closed = await view("scope_doubled", { depth: "1", fold: "0" });
    assert.deepEqual(closed.edges, ["x>layer1", "layer1>layer2", "layer2>y"]);
});

test("a number behind a scope is a call of one module, not a way back", async () => {
    const open = await view("scope_call_suffix");
    const relus = open.of("module").filter((node) => node.path === "layer1.0.relu");
    assert.deepEqual(relus.map((node) => node.calls), [[0], [1]]);
    assert.deepEqual(relus.map((node) => open.box(node)), Array(2).fill("layer1/layer1.0"));
    assert.equal(open.nodes.length, 7);
    const order = new Map(open.nodes.map((node, i) => [node.id, i]));
    for (const edge of open.graph.edges) {
        assert.ok(order.get(edge.from) < order.get(edge.to));
    }
});

test("nodes without a scope stand beside the boxes", async () => {
    const open = await view("scope_partial");
    assert.deepEqual(open.edges, [
        "x>backbone.conv",
        "backbone.conv>Relu",
        "Relu>Relu",
        "Relu>head.conv",
        "head.conv>y",
    ]);
    assert.deepEqual(open.of("operator").map((node) => node.cluster), [null, null]);
});

test("a node that a pass has put between those of a module does not split it", async () => {
    const open = await view("dynamo_metadata_gap");
    assert.deepEqual(open.boxes, ["net"]);
    assert.deepEqual(open.edges, [
        "x>net.linear",
        "g>GridSample",
        "net.linear>GridSample",
        "GridSample>net.act",
        "net.act>y",
    ]);
});

test("the placeholder of a compiler pass is no box", async () => {
    const open = await view("dynamo_empty_stack_hook");
    assert.deepEqual(open.boxes, []);
    assert.deepEqual(open.edges, ["x>head", "head>y"]);
});

test("flat names leave the hierarchy to the metadata", async () => {
    const open = await view("dynamo_flat_names");
    assert.deepEqual(open.boxes, ["blocks.0", "blocks.1", "blocks.2"]);
    assert.deepEqual(new Set(open.clusters.map((box) => box.class.split(".").pop())), new Set(["Block"]));
    assert.equal(open.of("module").length, 6);
});

for (const [name, operators] of [
    ["no_scopes", 6],
    ["scope_doc_only", 1],
    ["name_is_tensor_name", 2],
    ["names_numeric_collide", 4],
    ["anonymous_nodes", 5],
    ["opset_domain_alias", 2],
]) {
    test(`${name}: a chain without boxes, nothing lost`, async () => {
        const open = await view(name, OPERATORS);
        assert.deepEqual(open.boxes, []);
        assert.equal(open.of("operator").length, operators);
        assert.equal(open.of("missing").length, 0);
        assert.equal(open.edges.length, operators + 1);
        assert.equal(new Set(open.nodes.map((node) => node.id)).size, operators + 2);
    });
}

test("two nodes of one name are two nodes", async () => {
    const open = await view("dup_node_names", OPERATORS);
    assert.deepEqual(open.edges, ["x>MatMul", "MatMul>Add", "Add>y"]);
    const [first, second] = open.of("operator");
    assert.equal(first.name, second.name);
});

test("a value made twice is read as it was made last", async () => {
    const open = await view("same_output_twice", OPERATORS);
    const norm = open.edges.findIndex((edge) => edge.startsWith("Conv>"));
    assert.notEqual(norm, -1);
    assert.equal(open.of("missing").length, 0);
    assert.ok(open.warnings.includes("duplicate-value"));
    // Add writes the name of what it reads: its reader gets Add's.
    assert.ok(open.edges.includes("SpatialBN>Add") && open.edges.includes("Add>Relu"));
});

test("nodes in reverse order are drawn in the order of their data", async () => {
    const open = await view("not_sorted");
    assert.deepEqual(
        open.of("module").map((node) => node.path),
        [0, 1, 2, 3, 4, 5, 6].map((i) => `m.layer.${i}.act`),
    );
    assert.equal(open.edges.length, 8);
    assert.deepEqual(open.warnings, []);
});

test("a body reads what a later node of the graph around it makes", async () => {
    const open = await view("loop_body_not_sorted");
    const body = open.of("operator").filter((node) => open.box(node) === "Loop body");
    assert.deepEqual(body.map((node) => node.op), ["Add", "Identity"]);
    assert.ok(open.edges.includes("Relu>Add"));
});

test("a body reads a weight of the graph around it", async () => {
    const open = await view("subgraph_outer_init", { ...OPERATORS, params: "node" });
    const [weight] = open.of("parameter");
    assert.equal(weight.label, "w");
    assert.ok(weight.outputs[0].shape.length > 0);
    assert.deepEqual(open.edges.filter((edge) => edge.startsWith("w>")).sort(), ["w>Add", "w>Mul"]);
    assert.ok(open.clusters.every((cluster) => cluster.kind !== "branch" || cluster.label.startsWith("If ")));
});

test("a branch without nodes passes an outer value through", async () => {
    const open = await view("subgraph_returns_outer", OPERATORS);
    assert.ok(open.edges.includes("Relu>If"));
    assert.deepEqual(open.boxes, ["If else_branch"]);
});

test("an inner name hides an outer one", async () => {
    const open = await view("subgraph_shadow_input", OPERATORS);
    const inner = open.of("operator").filter((node) => node.cluster !== null);
    assert.deepEqual(inner.map((node) => node.op), ["Add", "Identity"]);
    // The outer `b` is the loop's start value: it goes in once.
    assert.deepEqual(open.edges.filter((edge) => edge.startsWith("b>")), ["b>Add"]);
});

test("branches of one name are two boxes", async () => {
    const open = await view("subgraphs_same_name", OPERATORS);
    assert.deepEqual(open.boxes, ["If then_branch", "If else_branch"]);
    assert.deepEqual(
        open.of("operator").map((node) => [node.op, open.box(node)]),
        [
            ["Abs", "If then_branch"],
            ["Neg", "If else_branch"],
            ["If", null],
        ],
    );
});

test("calls of local functions are drawn, one by one", async () => {
    const closed = await view("function_same_inner_names");
    assert.deepEqual(closed.edges, ["x>F()", "F()>F()", "F()>y"]);
    const open = await view("function_same_inner_names", OPERATORS);
    assert.deepEqual(open.edges, ["x>Relu", "Relu>Relu", "Relu>y"]);
    assert.deepEqual(open.clusters.map((box) => [box.kind, box.label]), [
        ["function", "F"],
        ["function", "F"],
    ]);
});

test("an attribute that neither a call nor its function gives is the operator's own", async () => {
    const open = await view("function_attr_defaults", { ...OPERATORS, attrs: "1" });
    assert.deepEqual(open.edges, ["x>Softmax", "Softmax>y"]);
    assert.equal(open.of("operator")[0].label, "Softmax");
});

test("functions that call functions of other domains open one in the other", async () => {
    const open = await view("function_nested_domains", OPERATORS);
    assert.deepEqual(open.boxes, ["A", "A/B", "A/B/IsScalar"]);
    assert.deepEqual(open.edges, ["x>Shape", "Shape>Size", "Size>y"]);
});

test("weights listed as inputs are no inputs", async () => {
    const open = await view("init_also_input", OPERATORS);
    assert.deepEqual(open.of("input").map((node) => node.label), ["data"]);
});

test("an input with a default is an input", async () => {
    const open = await view("init_overridable", OPERATORS);
    assert.deepEqual(open.of("input").map((node) => node.label), ["x", "lora_A"]);
    assert.deepEqual(open.edges, ["x>MatMul", "lora_A>MatMul", "MatMul>y"]);
});

test("a weight that nobody reads is no box", async () => {
    const open = await view("init_unused", { ...OPEN, params: "node", consts: "node" });
    assert.equal(open.of("parameter").length + open.of("constant").length, 0);
});

test("one output with three readers has one shape on three edges", async () => {
    const open = await view("one_output_many_users", OPERATORS);
    const from = open.graph.edges.filter((edge) => open.name(edge.from) === "Concat");
    assert.equal(from.length, 3);
    assert.equal(new Set(from.map((edge) => edge.tensors.join())).size, 1);
    const [concat] = open.of("operator");
    assert.equal(concat.outputs.length, 1);
});

test("outputs keep their order whatever order they are read in", async () => {
    const open = await view("multi_output_order", { ...OPERATORS, strict: "0" });
    const between = open.graph.edges.filter((edge) => open.name(edge.to) === "Concat");
    assert.deepEqual(between.flatMap((edge) => edge.tensors).sort(), ["s0", "s1", "s2"]);
});

test("boxes with one node each can be reached", async () => {
    const open = await view("scope_single_node", OPERATORS);
    assert.deepEqual(open.of("operator").map((node) => node.path), ["a.b.c", "a.d"]);
    assert.ok(open.boxes.includes("a/a.b/a.b.c"));
});

test("layers that take turns read each other when they are closed", async () => {
    const closed = await view("scope_interleaved_order", { depth: "1", fold: "0" });
    assert.ok(closed.edges.some((edge) => edge.startsWith("l.0>l.1")));
    assert.ok(closed.edges.some((edge) => edge.startsWith("l.1>l.0")));
    const open = await view("scope_interleaved_order", OPERATORS);
    assert.equal(open.of("operator").length, 4);
    assert.deepEqual(open.warnings, []);
});

test("blocks that are nearly equal are drawn apart", async () => {
    const open = await view("blocks_nearly_equal", { depth: "1" });
    const alone = open.of("module").map((node) => node.path);
    assert.ok(alone.includes("b.2"));
});

test("one cell called eight times makes eight steps, never a way back", async () => {
    const open = await view("rnn_unrolled", OPERATORS);
    assert.equal(open.of("operator").length, 8);
    const order = new Map(open.nodes.map((node, i) => [node.id, i]));
    for (const edge of open.graph.edges) {
        assert.ok(order.get(edge.from) < order.get(edge.to));
    }
});

for (const name of ["name_html", "name_control_char", "name_script"]) {
    test(`${name}: text in a picture is text`, async () => {
        const svg = (await get(name, "graph.svg", OPERATORS)).text;
        assert.doesNotMatch(svg, /<script|<foo/i);
        // eslint-disable-next-line no-control-regex
        assert.doesNotMatch(svg, /[\x00-\x08\x0b-\x1f]/);
        assert.equal(svg.match(/<svg/g).length, 1);
        assert.equal(svg.match(/<g[ >]/g).length, svg.match(/<\/g>/g).length);
    });
}

test("400 branches side by side are all drawn, as wide as they are", async () => {
    const open = await view("wide_layer", OPERATORS);
    assert.equal(open.edges.length, 801);
    const svg = (await get("wide_layer", "graph.svg", OPERATORS)).text;
    const [, width] = svg.match(/viewBox="0 0 ([\d.]+)/);
    const right = [...svg.matchAll(/<rect x="([\d.]+)"[^>]* width="([\d.]+)"/g)].map(
        ([, x, w]) => Number(x) + Number(w),
    );
    assert.equal(right.length >= 400, true);
    assert.ok(Math.max(...right) <= Number(width));
});

test("3000 nodes in a row are answered", async () => {
    const open = await view("long_chain_3000", OPERATORS);
    assert.equal(open.of("operator").length, 3000);
    assert.equal(open.edges.length, 3001);
});

test("an input that is an output is both", async () => {
    const open = await view("identity_passthrough", OPERATORS);
    assert.deepEqual(open.of("output").map((node) => node.label), ["x", "y"]);
    assert.ok(open.edges.includes("x>x"));
});

test("a graph without nodes has inputs and outputs", async () => {
    const open = await view("empty_node_stub");
    assert.deepEqual(
        open.nodes.map((node) => node.kind),
        ["input", "output"],
    );
});

test("a function with a long name is called by it", async () => {
    const [call] = (await view("functions_only_hash_names")).of("module");
    assert.match(call.label, /^torch_nn_modules_container_Sequential/);
    const svg = (await get("functions_only_hash_names", "graph.svg", OPEN)).text;
    assert.ok(svg.includes(call.class));
});

test("weights that lie elsewhere have their shapes", async () => {
    const open = await view("external_data_small", { ...OPERATORS, params: "node" });
    const [weight] = open.of("parameter");
    assert.ok(weight.outputs[0].shape.every((dim) => dim > 0));
    assert.equal(open.of("operator").length, 1);
});
