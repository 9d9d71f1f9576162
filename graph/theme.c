#include "graph/theme.h"

#include "base/attr.h"

// Modules are blue, operators sand, what enters green and what leaves violet: four hues that stay
// apart in print and for the usual colour blindness. Boxes around them are grey, so that hue says
// kind and grey says depth.
static const struct graph_theme
    themes[] =
        {
            [GRAPH_THEME_LIGHT] =
                {
                    .name = "light",
                    .background = "#ffffff",
                    .detail = "#5b6470",
                    .nodes =
                        {
                            [GRAPH_VIEW_INPUT] = {"#e3f3e6", "#4f9a63", "#1d4328"},
                            [GRAPH_VIEW_OUTPUT] = {"#eee6f8", "#8465b5", "#38245c"},
                            [GRAPH_VIEW_TENSOR] = {"#ffffff", "#8d949e", "#2b3038"},
                            [GRAPH_VIEW_MODULE] = {"#dceaf8", "#4a80b5", "#16324d"},
                            [GRAPH_VIEW_OPERATOR] = {"#fdf1dc", "#c99a45", "#4a3510"},
                            [GRAPH_VIEW_CONSTANT] = {"#f1f2f4", "#9aa1ab", "#3b424c"},
                            [GRAPH_VIEW_PARAMETER] = {"#f1f2f4", "#9aa1ab", "#3b424c"},
                            [GRAPH_VIEW_FOLD] = {"#cfe0f4", "#3a6ea5", "#12293f"},
                            [GRAPH_VIEW_SECTION] = {"#e9ecf1", "#76808f", "#2b3038"},
                            [GRAPH_VIEW_MISSING] = {"#fde9e7", "#c0392b", "#6d1b12"},
                        },
                    .clusters =
                        {
                            [GRAPH_CLUSTER_MODULE] = {NULL, "#b4bcc8", "#3b4552"},
                            [GRAPH_CLUSTER_FOLD] = {"#eaf1fa", "#6f9ac8", "#1f4468"},
                            [GRAPH_CLUSTER_BRANCH] = {"#fbf6ec", "#cdb583", "#5c461b"},
                            [GRAPH_CLUSTER_FUNCTION] = {NULL, "#b4bcc8", "#3b4552"},
                            [GRAPH_CLUSTER_SECTION] = {"#f6f7f9", "#c3c9d2", "#59616d"},
                        },
                    .tints = {"#f8f9fb", "#f1f3f7", "#e9edf3", "#e1e6ee", "#d9dfe9", "#d1d8e4"},
                    .edge = "#59616d",
                    .edge_text = "#59616d",
                    .highlight = "#d9480f",
                    .border = "0.8",
                    .emphasis = "2.4",
                    .corner = 4,
                    .cluster_corner = 6,
                },
            [GRAPH_THEME_DARK] =
                {
                    .name = "dark",
                    .background = "#14171c",
                    .detail = "#a3acb9",
                    .nodes =
                        {
                            [GRAPH_VIEW_INPUT] = {"#1d3a27", "#5fae76", "#d6f0dd"},
                            [GRAPH_VIEW_OUTPUT] = {"#34264d", "#9c7fd0", "#e6dcf7"},
                            [GRAPH_VIEW_TENSOR] = {"#1f242c", "#79828f", "#dfe3e9"},
                            [GRAPH_VIEW_MODULE] = {"#1d3550", "#5b94cc", "#dcebfa"},
                            [GRAPH_VIEW_OPERATOR] = {"#40331a", "#c79c4e", "#f8e8c8"},
                            [GRAPH_VIEW_CONSTANT] = {"#272c34", "#79828f", "#cfd5dd"},
                            [GRAPH_VIEW_PARAMETER] = {"#272c34", "#79828f", "#cfd5dd"},
                            [GRAPH_VIEW_FOLD] = {"#234468", "#74aae0", "#e4f0fc"},
                            [GRAPH_VIEW_SECTION] = {"#2b313a", "#8b95a3", "#dfe3e9"},
                            [GRAPH_VIEW_MISSING] = {"#4a1f1b", "#e06a5d", "#fbdcd8"},
                        },
                    .clusters =
                        {
                            [GRAPH_CLUSTER_MODULE] = {NULL, "#49525f", "#c3cad4"},
                            [GRAPH_CLUSTER_FOLD] = {"#1b2838", "#4f7aa8", "#c5dbf2"},
                            [GRAPH_CLUSTER_BRANCH] = {"#29251c", "#80693a", "#e8d8b0"},
                            [GRAPH_CLUSTER_FUNCTION] = {NULL, "#49525f", "#c3cad4"},
                            [GRAPH_CLUSTER_SECTION] = {"#1b1f25", "#434b57", "#aab3bf"},
                        },
                    .tints = {"#1a1e24", "#20252c", "#262c34", "#2c333d", "#323a45", "#38414d"},
                    .edge = "#98a2b0",
                    .edge_text = "#b4bdc9",
                    .highlight = "#ff922b",
                    .border = "0.8",
                    .emphasis = "2.4",
                    .corner = 4,
                    .cluster_corner = 6,
                },
            // The colours of torchview: tensors, modules, functions.
            [GRAPH_THEME_TORCHVIEW] =
                {
                    .name = "torchview",
                    .background = "#ffffff",
                    .detail = "#000000",
                    .nodes =
                        {
                            [GRAPH_VIEW_INPUT] = {"#ffffe0", "#000000", "#000000"},
                            [GRAPH_VIEW_OUTPUT] = {"#ffffe0", "#000000", "#000000"},
                            [GRAPH_VIEW_TENSOR] = {"#ffffe0", "#000000", "#000000"},
                            [GRAPH_VIEW_MODULE] = {"#c1ffc1", "#000000", "#000000"},
                            [GRAPH_VIEW_OPERATOR] = {"#f0f8ff", "#000000", "#000000"},
                            [GRAPH_VIEW_CONSTANT] = {"#ffffe0", "#000000", "#000000"},
                            [GRAPH_VIEW_PARAMETER] = {"#ffffe0", "#000000", "#000000"},
                            [GRAPH_VIEW_FOLD] = {"#c1ffc1", "#000000", "#000000"},
                            [GRAPH_VIEW_SECTION] = {"#c1ffc1", "#000000", "#000000"},
                            [GRAPH_VIEW_MISSING] = {"#ffffe0", "#c0392b", "#6d1b12"},
                        },
                    .clusters =
                        {
                            [GRAPH_CLUSTER_MODULE] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_CLUSTER_FOLD] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_CLUSTER_BRANCH] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_CLUSTER_FUNCTION] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_CLUSTER_SECTION] = {"#ffffff", "#000000", "#000000"},
                        },
                    .tints = {"#ffffff", "#ffffff", "#ffffff", "#ffffff", "#ffffff", "#ffffff"},
                    .edge = "#000000",
                    .edge_text = "#000000",
                    .highlight = "#d9480f",
                    .border = "0.8",
                    .emphasis = "2.4",
                    .tables = true,
                    .dashed = true,
                },
            // Nothing but black, white and two greys that a copier keeps.
            [GRAPH_THEME_PRINT] =
                {
                    .name = "print",
                    .background = "#ffffff",
                    .detail = "#000000",
                    .nodes =
                        {
                            [GRAPH_VIEW_INPUT] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_VIEW_OUTPUT] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_VIEW_TENSOR] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_VIEW_MODULE] = {"#e0e0e0", "#000000", "#000000"},
                            [GRAPH_VIEW_OPERATOR] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_VIEW_CONSTANT] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_VIEW_PARAMETER] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_VIEW_FOLD] = {"#c8c8c8", "#000000", "#000000"},
                            [GRAPH_VIEW_SECTION] = {"#c8c8c8", "#000000", "#000000"},
                            [GRAPH_VIEW_MISSING] = {"#ffffff", "#000000", "#000000"},
                        },
                    .clusters =
                        {
                            [GRAPH_CLUSTER_MODULE] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_CLUSTER_FOLD] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_CLUSTER_BRANCH] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_CLUSTER_FUNCTION] = {"#ffffff", "#000000", "#000000"},
                            [GRAPH_CLUSTER_SECTION] = {"#ffffff", "#000000", "#000000"},
                        },
                    .tints = {"#ffffff", "#ffffff", "#ffffff", "#ffffff", "#ffffff", "#ffffff"},
                    .edge = "#000000",
                    .edge_text = "#000000",
                    .highlight = "#000000",
                    .border = "1",
                    .emphasis = "3",
                    .corner = 4,
                    .cluster_corner = 6,
                    .dashed = true,
                },
};

const struct graph_theme *graph_theme_get(uint32_t name) {
    return &themes[name < ARRAY_LEN(themes) ? name : GRAPH_THEME_LIGHT];
}

uint32_t graph_theme_tint(uint32_t depth) {
    uint32_t below = depth > 0 ? depth - 1 : 0;

    return below < GRAPH_THEME_TINTS ? below : GRAPH_THEME_TINTS - 1;
}

const char *graph_theme_cluster_fill(const struct graph_theme *theme,
                                     const struct graph_view_cluster *cluster) {
    const char *own = theme->clusters[cluster->kind].fill;

    return own ? own : theme->tints[graph_theme_tint(cluster->depth)];
}
