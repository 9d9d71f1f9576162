// A model with calls of modules that the test writes down, and its view as text. No scope is read
// out of names: a node named "2:relu" belongs to call 2, one without a number to the root.
//
//     struct view_fixture f;
//     view_fixture_init(&f, b, (const struct fixture_call[]){{"conv", "nn.Conv2d", 0, 0}}, 1);
//     view_fixture_set(&f, "depth", "1");
//     cr_assert_str_eq(view_fixture_draw(&f), "x conv y | x>conv conv>y |");
//     view_fixture_release(&f);
//
// The text lists nodes, edges and boxes in the view's order. A module is its path (the root ".",
// "@1" behind it for call 1), an operator its name, an output "=name", a missing value "?name", a
// tensor "~name", a weight "+name", a constant "#name", a body its operator and attribute
// ("If/then_branch"). "/box" behind a node or a box says where it lies, "*3" behind an edge its
// count, behind anything else how many it stands for. A run or a section is the path that patterns
// call it by.
#pragma once

#include "base/buf.h"
#include "graph/view.h"
#include "tests/support/model_builder.h"

struct fixture_call {
    const char *path, *class_name;
    uint32_t parent;  // call; 0 is the root, the first of the list is 1
    uint32_t number;
};

// Folding is off in all but the tests of folding: view_fixture_set(&f, "fold", "1").
struct view_fixture {
    struct graph_model model;
    struct graph_options options;
    struct graph_view_limits limits;  // 10,000 nodes; may be changed
    struct graph_view view;           // the last that was drawn
    struct buf text;
};

// Frees the builder. No source of the scopes is counted: the file "names no modules".
void view_fixture_init(struct view_fixture *f, struct model_builder *b,
                       const struct fixture_call *calls, size_t n);
// A residual network: stem, layer1 = two blocks (conv, relu, and an Add of the block's own), fc.
//
//     x -> stem -> [ [conv -> relu -> 3:add0] -> [conv -> relu -> 6:add1] ] -> fc -> y
//                  `------------------^    `-----------------------^
void view_fixture_residual(struct view_fixture *f);

void view_fixture_release(struct view_fixture *f);

void view_fixture_set(struct view_fixture *f, const char *option, const char *value);

// The view under the present options; valid until the next call.
const char *view_fixture_draw(struct view_fixture *f);
