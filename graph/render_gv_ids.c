#include <stdlib.h>
#include <string.h>

#include <gvc.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "graph/render_gv_internal.h"

#define NAMES_MAX_BYTES ((size_t)64 << 20)
#define IDS_MAX (UINT32_MAX / 2)

// cgraph walks subgraphs in the order of their ids, and its own ids are addresses of names: the
// layout would differ from run to run. Ours count.
struct ids {
    struct map by_name;
    struct arena names;
    char **by_id;  // NULL for what has no name
    size_t n, cap;
};

static void *ids_open(Agraph_t *g, Agdisc_t *disc) {
    struct ids *ids = calloc(1, sizeof(*ids));

    (void)g;
    (void)disc;
    if (!ids) {
        return NULL;
    }
    map_init(&ids->by_name);
    arena_init(&ids->names, NAMES_MAX_BYTES);
    return ids;
}

static void ids_close(void *state) {
    struct ids *ids = state;

    if (!ids) {
        return;
    }
    map_release(&ids->by_name);
    arena_release(&ids->names);
    free(ids->by_id);
    free(ids);
}

static bool add(struct ids *ids, const char *name) {
    size_t n = name ? strlen(name) : 0;
    char *copy = name ? arena_alloc(&ids->names, n + 1) : NULL;
    struct str key = {copy, n};

    if (name && !copy) {
        return false;
    }
    if (array_grow(&ids->by_id, &ids->cap, ids->n + 1, sizeof(*ids->by_id), IDS_MAX, "ids", NULL) <
        0) {
        return false;
    }
    if (copy) {
        memcpy(copy, name, n + 1);
        if (map_put(&ids->by_name, key, (uint32_t)ids->n, NULL) < 0) {
            return false;
        }
    }
    ids->by_id[ids->n++] = copy;
    return true;
}

// 1 with an id, or 0. What has no name gets an id of its own.
static long ids_map(void *state, int type, char *name, IDTYPE *id, int create) {
    struct ids *ids = state;
    uint32_t known = ids && name ? map_get(&ids->by_name, str_from(name)) : MAP_NONE;

    (void)type;
    if (known != MAP_NONE) {
        *id = known;
        return 1;
    }
    if (!create || !ids || !add(ids, name)) {
        return 0;
    }
    *id = ids->n - 1;
    return 1;
}

// libgvc reads no graph by its ids.
static long ids_alloc(void *state, int type, IDTYPE id) {
    (void)state;
    (void)type;
    (void)id;
    return 0;
}

static void ids_free(void *state, int type, IDTYPE id) {
    (void)state;
    (void)type;
    (void)id;
}

// The name; where there is none cgraph makes one of the id, for messages and comments.
static char *ids_print(void *state, int type, IDTYPE id) {
    const struct ids *ids = state;

    (void)type;
    return ids && id < ids->n ? ids->by_id[id] : NULL;
}

static void ids_register(void *state, int type, void *object) {
    (void)state;
    (void)type;
    (void)object;
}

static Agiddisc_t ids_discipline = {
    ids_open, ids_map, ids_alloc, ids_free, ids_print, ids_close, ids_register,
};

struct Agraph_s *graph_gv_open(void) {
    static char name[] = "G";
    Agdisc_t disciplines = {NULL, &ids_discipline, NULL};

    return agopen(name, Agdirected, &disciplines);
}
