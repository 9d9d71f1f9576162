// Names -> values. Every name becomes a number once; the values of one name lie together, sorted by
// graph and place in it, so that a look-up is one hash and a binary search, whatever clashes.
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "graph/net_internal.h"

#define MISSING_MAX ((size_t)1 << 26)
#define VALUES_MAX ((size_t)1 << 30)

// From so many initializers on, a graph that lists all of them as inputs is taken to have the habit
// of IR 3, whatever version it claims: they are weights, and the picture would drown in them.
#define WEIGHTS_AS_INPUTS_MIN 8

// Most nodes read what a node just before them made: a small table of the latest names spares the
// large one, whose slots and keys lie far apart in memory.
#define RECENT 1024

// So many names are hashed before the first of them is put into the table.
#define NAMES_AHEAD 8

// Names of a node lie two pointers away from it: the list is fetched first, half as many nodes
// later the texts in it.
#define TEXTS_AHEAD 16
#define INPUTS_AHEAD 4  // of a node

struct recent {
    struct str name;
    uint32_t number;
};

struct resolver {
    struct net_build *b;
    struct map numbers;  // name -> number
    uint32_t n_names;
    uint32_t hashes[NAMES_AHEAD];
    uint32_t *last;     // per name: the value defined last, while defining
    uint32_t *name_of;  // per value: number of its name
    uint32_t *first;    // n_names + 1 offsets into by_name
    uint32_t *by_name;  // values, grouped by name, then in the order they were defined
    struct recent recent[RECENT];
    struct map missing;  // name -> value
    struct str *missing_names;
    size_t n_missing, cap_missing;
};

// Place of a definition in its graph: inputs and initializers stand before all nodes.
static uint32_t place_of(const struct net_build *b, uint32_t node) {
    return node == ONNX_NONE ? 0 : node - b->graphs[b->nodes[node].graph].first_node + 1;
}

static const struct onnx_node *proto_ahead(const struct net_build *b, size_t node) {
    return node < b->net->n_nodes ? b->nodes[node].proto : NULL;
}

// Hints only. The names are hashed NAMES_AHEAD nodes before they are used, so they are due earlier
// than inputs are.
static void fetch_output(const struct net_build *b, size_t node) {
    const struct onnx_node *far = proto_ahead(b, node + TEXTS_AHEAD + TEXTS_AHEAD / 2);
    const struct onnx_node *near = proto_ahead(b, node + TEXTS_AHEAD);
    if (far) {
        __builtin_prefetch(far->outputs);
    }
    if (near && near->n_outputs) {
        __builtin_prefetch(near->outputs[0].p);
    }
}

static void fetch_inputs(const struct net_build *b, size_t node) {
    const struct onnx_node *far = proto_ahead(b, node + TEXTS_AHEAD);
    const struct onnx_node *near = proto_ahead(b, node + TEXTS_AHEAD / 2);
    if (far) {
        __builtin_prefetch(far->inputs);
    }
    for (size_t i = 0; near && i < near->n_inputs && i < INPUTS_AHEAD; i++) {
        __builtin_prefetch(near->inputs[i].p);
    }
}

// ---- defining

static int alloc_values(struct resolver *r, struct error *err) {
    struct net_build *b = r->b;
    size_t n = 0, n_slots = 0;
    for (size_t g = 0; g < b->model->n_graphs; g++) {
        if (net_covers(&b->model->graphs[g])) {
            n += b->model->graphs[g].n_inputs + b->model->graphs[g].n_initializers;
        }
    }
    for (size_t i = 0; i < b->net->n_nodes; i++) {
        n_slots += b->nodes[i].proto->n_outputs;
    }
    if (n > VALUES_MAX || n_slots > VALUES_MAX) {
        return error_set_limit(err, "max-messages", "the model has too many values");
    }
    n += n_slots;
    b->values = arena_array(&b->net->arena, n, sizeof(*b->values));
    r->name_of = arena_array(&b->scratch, n, sizeof(*r->name_of));
    r->last = arena_array(&b->scratch, n, sizeof(*r->last));
    if (!b->values || !r->name_of || !r->last) {
        return arena_error(&b->net->arena, "values", err);
    }
    return map_reserve(&r->numbers, n, err);
}

// Hash of the i-th name of a row; the one that comes NAMES_AHEAD later is hashed and its slot
// fetched. The slots of a large table are in no cache: waiting for one after the other was a tenth
// of the whole stage.
static uint32_t next_hash(struct resolver *r, size_t i, struct str later) {
    uint32_t hash = r->hashes[i % NAMES_AHEAD];
    r->hashes[i % NAMES_AHEAD] = map_fetch(&r->numbers, later);
    return hash;
}

// Number of a name, and the value that this graph already has under it (ONNX_NONE = none).
static int number_of(struct resolver *r, struct str name, uint32_t hash, uint32_t graph,
                     uint32_t *number, uint32_t *earlier, struct error *err) {
    int result = map_put_new_hashed(&r->numbers, name, hash, r->n_names, number, err);
    if (result < 0) {
        return result;
    }
    if (*number == r->n_names) {
        r->last[*number] = ONNX_NONE;
        r->n_names++;
    }
    uint32_t last = r->last[*number];
    *earlier = last != ONNX_NONE && r->b->values[last].graph == graph ? last : ONNX_NONE;
    return 0;
}

static uint32_t add_value(struct resolver *r, uint32_t number, const struct graph_value *value) {
    uint32_t id = (uint32_t)r->b->n_values++;
    r->b->values[id] = *value;
    r->name_of[id] = number;
    r->last[number] = id;
    return id;
}

static int define_inputs(struct resolver *r, uint32_t g, uint32_t *ids, struct error *err) {
    const struct onnx_graph *graph = &r->b->model->graphs[g];
    for (uint32_t i = 0; i < graph->n_inputs; i++) {
        const struct onnx_value *input = &graph->inputs[i];
        uint32_t number;
        int result = number_of(r, input->name, map_fetch(&r->numbers, input->name), g, &number,
                               &ids[i], err);
        if (result < 0) {
            return result;
        }
        if (ids[i] != ONNX_NONE) {
            net_warn(r->b, NET_WARNING_DUPLICATE, input->name);
            continue;
        }
        ids[i] = add_value(r, number,
                           &(struct graph_value){.name = input->name,
                                                 .kind = GRAPH_VALUE_INPUT,
                                                 .graph = g,
                                                 .producer = ONNX_NONE,
                                                 .slot = i,
                                                 .declared = &input->type});
    }
    return 0;
}

static struct str initializer_name(const struct onnx_graph *graph, size_t i) {
    return i < graph->n_initializers ? graph->initializers[i].name : (struct str){NULL, 0};
}

static int define_initializers(struct resolver *r, uint32_t g, size_t *n_defaults,
                               struct error *err) {
    const struct onnx_graph *graph = &r->b->model->graphs[g];
    for (size_t i = 0; i < NAMES_AHEAD; i++) {
        next_hash(r, i, initializer_name(graph, i));
    }
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const struct onnx_tensor *tensor = &graph->initializers[i];
        uint32_t hash = next_hash(r, i, initializer_name(graph, (size_t)i + NAMES_AHEAD));
        uint32_t number, earlier;
        if (tensor->name.n == 0) {
            continue;
        }
        int result = number_of(r, tensor->name, hash, g, &number, &earlier, err);
        if (result < 0) {
            return result;
        }
        if (earlier == ONNX_NONE) {
            add_value(r, number,
                      &(struct graph_value){.name = tensor->name,
                                            .kind = GRAPH_VALUE_INITIALIZER,
                                            .graph = g,
                                            .producer = ONNX_NONE,
                                            .tensor = tensor});
        } else if (r->b->values[earlier].tensor) {
            net_warn(r->b, NET_WARNING_DUPLICATE, tensor->name);
        } else {
            r->b->values[earlier].tensor = tensor;
            ++*n_defaults;
        }
    }
    return 0;
}

static bool defaults_are_weights(const struct onnx_model *model, size_t n_defaults) {
    const struct onnx_graph *main_graph = &model->graphs[0];
    if (model->ir_version < 4) {
        return true;
    }
    return n_defaults >= WEIGHTS_AS_INPUTS_MIN && n_defaults == main_graph->n_initializers &&
           n_defaults < main_graph->n_inputs;
}

// Inputs of the main graph are a set: a name listed twice is one, weights are none. Those of a body
// are parameters, by position.
static void list_inputs(struct net_build *b, uint32_t g, uint32_t *ids, bool weights) {
    uint32_t n = 0;
    size_t n_ids = b->model->graphs[g].n_inputs;
    for (uint32_t i = 0; i < n_ids; i++) {
        struct graph_value *value = &b->values[ids[i]];
        if (g == 0 && weights && value->tensor) {
            value->kind = GRAPH_VALUE_INITIALIZER;
        }
        if (g == 0 && (value->slot != i || value->kind == GRAPH_VALUE_INITIALIZER)) {
            continue;
        }
        ids[n++] = ids[i];
    }
    for (uint32_t i = 0; g == 0 && i < n; i++) {
        b->values[ids[i]].slot = i;
    }
    b->graphs[g].inputs = ids;
    b->graphs[g].n_inputs = n;
}

// Of the first output; most nodes have one.
static struct str output_name(const struct net_build *b, uint32_t g, size_t i) {
    if (i >= b->graphs[g].n_nodes) {
        return (struct str){NULL, 0};
    }
    const struct onnx_node *proto = b->nodes[b->graphs[g].first_node + i].proto;
    return proto->n_outputs ? proto->outputs[0] : (struct str){NULL, 0};
}

// `hash`: of the first output's name.
static int define_outputs(struct resolver *r, uint32_t node, uint32_t hash, struct error *err) {
    struct net_build *b = r->b;
    const struct onnx_node *proto = b->nodes[node].proto;
    uint32_t *ids = arena_array(&b->net->arena, proto->n_outputs, sizeof(*ids));
    if (!ids) {
        return arena_error(&b->net->arena, "values", err);
    }
    // The outputs of a call that is written out are made in the body.
    uint32_t n_outputs = proto->expanded ? 0 : (uint32_t)proto->n_outputs;
    b->nodes[node].outputs = ids;
    b->nodes[node].n_outputs = n_outputs;
    for (uint32_t i = 0; i < n_outputs; i++) {
        struct str name = proto->outputs[i];
        uint32_t number, earlier;
        ids[i] = ONNX_NONE;
        if (name.n == 0) {
            continue;
        }
        int result = number_of(r, name, i == 0 ? hash : map_fetch(&r->numbers, name),
                               b->nodes[node].graph, &number, &earlier, err);
        if (result < 0) {
            return result;
        }
        if (earlier != ONNX_NONE) {
            net_warn(b, NET_WARNING_DUPLICATE, name);
        }
        ids[i] = add_value(r, number,
                           &(struct graph_value){.name = name,
                                                 .kind = GRAPH_VALUE_NODE,
                                                 .graph = b->nodes[node].graph,
                                                 .producer = node,
                                                 .slot = i});
    }
    return 0;
}

static int define_graph(struct resolver *r, uint32_t g, struct error *err) {
    struct net_build *b = r->b;
    uint32_t *ids = arena_array(&b->net->arena, b->model->graphs[g].n_inputs, sizeof(*ids));
    if (!ids) {
        return arena_error(&b->net->arena, "values", err);
    }
    size_t n_defaults = 0;
    int result = define_inputs(r, g, ids, err);
    if (result == 0) {
        result = define_initializers(r, g, &n_defaults, err);
    }
    if (result < 0) {
        return result;
    }
    list_inputs(b, g, ids, defaults_are_weights(b->model, n_defaults));
    for (size_t i = 0; i < NAMES_AHEAD; i++) {
        next_hash(r, i, output_name(b, g, i));
    }
    for (uint32_t i = 0; i < b->graphs[g].n_nodes && result == 0; i++) {
        fetch_output(b, (size_t)b->graphs[g].first_node + i);
        uint32_t hash = next_hash(r, i, output_name(b, g, (size_t)i + NAMES_AHEAD));
        result = define_outputs(r, b->graphs[g].first_node + i, hash, err);
    }
    return result;
}

// ---- looking up

static int group_by_name(struct resolver *r, struct error *err) {
    struct net_build *b = r->b;
    r->first = arena_array(&b->scratch, (size_t)r->n_names + 1, sizeof(*r->first));
    r->by_name = arena_array(&b->scratch, b->n_values, sizeof(*r->by_name));
    if (!r->first || !r->by_name) {
        return arena_error(&b->scratch, "values", err);
    }
    for (size_t v = 0; v < b->n_values; v++) {
        r->first[r->name_of[v] + 1]++;
    }
    for (size_t i = 0; i < r->n_names; i++) {
        r->first[i + 1] += r->first[i];
        r->last[i] = r->first[i];
    }
    for (uint32_t v = 0; v < b->n_values; v++) {
        r->by_name[r->last[r->name_of[v]]++] = v;
    }
    return 0;
}

// How many values of a name stand before this place of this graph, as an index into by_name.
static uint32_t values_before(const struct resolver *r, uint32_t number, uint32_t graph,
                              uint32_t place) {
    uint32_t low = r->first[number], high = r->first[number + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct graph_value *value = &r->b->values[r->by_name[middle]];
        bool before =
            value->graph != graph ? value->graph < graph : place_of(r->b, value->producer) < place;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t find_in_graph(const struct resolver *r, uint32_t number, uint32_t graph,
                              uint32_t place) {
    // The only value of its name, as nearly all are: where it stands does not matter.
    uint32_t first = r->first[number];
    if (r->first[number + 1] - first == 1) {
        uint32_t only = r->by_name[first];
        return r->b->values[only].graph == graph ? only : ONNX_NONE;
    }
    uint32_t at = values_before(r, number, graph, place);
    if (at > r->first[number] && r->b->values[r->by_name[at - 1]].graph == graph) {
        return r->by_name[at - 1];
    }
    if (at < r->first[number + 1] && r->b->values[r->by_name[at]].graph == graph) {
        return r->by_name[at];
    }
    return ONNX_NONE;
}

// Equal names must meet here, nothing else: who gets others to collide only loses the short cut.
static struct recent *recent_slot(struct resolver *r, struct str name) {
    uint64_t hash = name.n;
    while (name.n) {
        uint64_t word = 0;
        size_t n = name.n < sizeof(word) ? name.n : sizeof(word);
        memcpy(&word, name.p, n);
        hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
        name = str_skip(name, n);
    }
    return &r->recent[hash % RECENT];
}

static uint32_t look_up(struct resolver *r, struct str name) {
    struct recent *recent = recent_slot(r, name);
    if (!str_eq(recent->name, name)) {
        *recent = (struct recent){name, map_get(&r->numbers, name)};
    }
    return recent->number;
}

static void remember_outputs(struct resolver *r, const struct graph_net_node *node) {
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (node->outputs[i] != ONNX_NONE) {
            struct str name = node->proto->outputs[i];
            *recent_slot(r, name) = (struct recent){name, r->name_of[node->outputs[i]]};
        }
    }
}

static int find_missing(struct resolver *r, struct str name, uint32_t *id, struct error *err) {
    uint32_t next = (uint32_t)(r->b->n_values + r->n_missing);
    int result = map_put_new(&r->missing, name, next, id, err);
    if (result < 0 || *id != next) {
        return result;
    }
    net_warn(r->b, NET_WARNING_MISSING, name);
    result = array_grow(&r->missing_names, &r->cap_missing, r->n_missing + 1,
                        sizeof(*r->missing_names), MISSING_MAX, "missing values", err);
    if (result == 0) {
        r->missing_names[r->n_missing++] = name;
    }
    return result;
}

// The value a name means at a place of a graph: its own, else one of the graphs around it.
static int find(struct resolver *r, struct str name, uint32_t graph, uint32_t place, uint32_t *id,
                struct error *err) {
    const struct net_build *b = r->b;
    *id = ONNX_NONE;
    if (name.n == 0) {
        return 0;
    }
    uint32_t number = look_up(r, name);
    while (number != MAP_NONE) {
        *id = find_in_graph(r, number, graph, place);
        uint32_t holder = b->holder[graph];
        if (*id != ONNX_NONE) {
            return 0;
        }
        if (holder == ONNX_NONE) {
            break;
        }
        place = place_of(b, holder);
        graph = b->nodes[holder].graph;
    }
    return find_missing(r, name, id, err);
}

static int find_inputs(struct resolver *r, uint32_t node, struct error *err) {
    struct net_build *b = r->b;
    const struct onnx_node *proto = b->nodes[node].proto;
    uint32_t *ids = arena_array(&b->net->arena, proto->n_inputs, sizeof(*ids));
    int result = 0;
    if (!ids) {
        return arena_error(&b->net->arena, "values", err);
    }
    for (size_t i = 0; i < proto->n_inputs && result == 0; i++) {
        result = find(r, proto->inputs[i], b->nodes[node].graph, place_of(b, node), &ids[i], err);
    }
    b->nodes[node].inputs = ids;
    b->nodes[node].n_inputs = (uint32_t)proto->n_inputs;
    remember_outputs(r, &b->nodes[node]);
    return result;
}

static int find_outputs(struct resolver *r, uint32_t g, struct error *err) {
    struct net_build *b = r->b;
    const struct onnx_graph *graph = &b->model->graphs[g];
    uint32_t *ids = arena_array(&b->net->arena, graph->n_outputs, sizeof(*ids));
    int result = 0;
    if (!ids) {
        return arena_error(&b->net->arena, "values", err);
    }
    for (size_t i = 0; i < graph->n_outputs && result == 0; i++) {
        result = find(r, graph->outputs[i].name, g, UINT32_MAX, &ids[i], err);
    }
    b->graphs[g].outputs = ids;
    b->graphs[g].n_outputs = (uint32_t)graph->n_outputs;
    return result;
}

// ---- declared types

// What a declaration is worth: shape and type, type alone, nothing.
static int worth(const struct onnx_type *type) {
    if (!type || type->kind == ONNX_TYPE_NONE) {
        return 0;
    }
    return type->has_shape ? 2 : 1;
}

// All values that the graph makes under the name; each gets better at most twice, so a list of
// equal names stays cheap.
static void declare(struct resolver *r, uint32_t g, const struct onnx_value *declared) {
    uint32_t number = map_get(&r->numbers, declared->name);
    if (number == MAP_NONE) {
        return;
    }
    uint32_t end = r->first[number + 1];
    for (uint32_t at = values_before(r, number, g, 0); at < end; at++) {
        struct graph_value *value = &r->b->values[r->by_name[at]];
        if (value->graph != g || worth(&declared->type) <= worth(value->declared)) {
            return;
        }
        value->declared = &declared->type;
    }
}

static void declare_graph(struct resolver *r, uint32_t g) {
    const struct onnx_graph *graph = &r->b->model->graphs[g];
    for (size_t i = 0; i < graph->n_outputs; i++) {
        declare(r, g, &graph->outputs[i]);
    }
    for (size_t i = 0; i < graph->n_value_info; i++) {
        declare(r, g, &graph->value_info[i]);
    }
}

// ---- the whole

static int add_missing(struct resolver *r, struct error *err) {
    struct net_build *b = r->b;
    if (r->n_missing) {
        size_t n = b->n_values + r->n_missing;
        struct graph_value *values = arena_array(&b->net->arena, n, sizeof(*values));
        if (!values) {
            return arena_error(&b->net->arena, "values", err);
        }
        if (b->n_values) {
            memcpy(values, b->values, b->n_values * sizeof(*values));
        }
        for (size_t i = 0; i < r->n_missing; i++) {
            values[b->n_values + i] = (struct graph_value){.name = r->missing_names[i],
                                                           .kind = GRAPH_VALUE_MISSING,
                                                           .producer = ONNX_NONE};
        }
        b->values = values;
        b->n_values = n;
    }
    b->net->values = b->values;
    b->net->n_values = b->n_values;
    return 0;
}

// The outputs of the main graph are a set.
static int list_outputs(struct net_build *b, struct error *err) {
    uint8_t *seen = arena_alloc(&b->scratch, b->n_values);
    if (!seen) {
        return arena_error(&b->scratch, "values", err);
    }
    uint32_t *kept = arena_array(&b->net->arena, b->graphs[0].n_outputs, sizeof(*kept));
    if (!kept) {
        return arena_error(&b->net->arena, "values", err);
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->graphs[0].n_outputs; i++) {
        uint32_t id = b->graphs[0].outputs[i];
        if (id == ONNX_NONE || seen[id]) {
            continue;
        }
        seen[id] = 1;
        kept[n++] = id;
    }
    b->graphs[0].outputs = kept;
    b->graphs[0].n_outputs = n;
    return 0;
}

static int resolve(struct resolver *r, struct error *err) {
    struct net_build *b = r->b;
    int result = alloc_values(r, err);
    for (uint32_t g = 0; g < b->model->n_graphs && result == 0; g++) {
        if (net_covers(&b->model->graphs[g])) {
            result = define_graph(r, g, err);
        }
    }
    if (result == 0) {
        result = group_by_name(r, err);
    }
    for (uint32_t g = 0; g < b->model->n_graphs && result == 0; g++) {
        if (!net_covers(&b->model->graphs[g])) {
            continue;
        }
        declare_graph(r, g);
        result = find_outputs(r, g, err);
    }
    for (uint32_t i = 0; i < b->net->n_nodes && result == 0; i++) {
        fetch_inputs(b, i);
        result = find_inputs(r, i, err);
    }
    if (result == 0) {
        result = add_missing(r, err);
    }
    return result < 0 ? result : list_outputs(b, err);
}

int net_resolve(struct net_build *b, struct error *err) {
    struct resolver r = {.b = b};
    map_init(&r.numbers);
    map_init(&r.missing);
    int result = resolve(&r, err);
    free(r.missing_names);
    map_release(&r.missing);
    map_release(&r.numbers);
    return result;
}
