#include "base/map.h"

#include <criterion/criterion.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/siphash.h"
#include "tests/base/refuse_memory.h"

#define MANY 100000
#define KEY_ROOM 16

Test(map, finds_what_was_put) {
    struct map m = {0};

    cr_assert_eq(map_put(&m, STR("a"), 1, NULL), 0);
    cr_assert_eq(map_put(&m, STR("b"), 2, NULL), 0);
    cr_expect_eq(map_get(&m, STR("a")), 1);
    cr_expect_eq(map_get(&m, STR("b")), 2);
    cr_expect_eq(map_get(&m, STR("c")), MAP_NONE);
    cr_expect_eq(m.n, 2);
    map_release(&m);
}

Test(map, put_replaces_and_put_new_does_not) {
    struct map m;
    uint32_t found = 0;

    map_init(&m);
    cr_assert_eq(map_put(&m, STR("a"), 1, NULL), 0);
    cr_assert_eq(map_put(&m, STR("a"), 2, NULL), 0);
    cr_expect_eq(map_get(&m, STR("a")), 2);
    cr_assert_eq(map_put_new(&m, STR("a"), 3, &found, NULL), 0);
    cr_expect_eq(found, 2);
    cr_expect_eq(map_get(&m, STR("a")), 2);
    cr_assert_eq(map_put_new(&m, STR("b"), 3, &found, NULL), 0);
    cr_expect_eq(found, 3);
    cr_expect_eq(map_get(&m, STR("b")), 3);
    cr_expect_eq(m.n, 2);
    map_release(&m);
}

Test(map, a_fetched_key_is_the_same_key_also_after_the_map_grew) {
    struct map m = {0};
    uint32_t hash = map_fetch(&m, STR("a")), found = 0;

    char keys[100][KEY_ROOM];
    for (uint32_t i = 0; i < 100; i++) {
        snprintf(keys[i], sizeof(keys[i]), "k%u", (unsigned)i);
        cr_assert_eq(map_put(&m, str_from(keys[i]), i, NULL), 0);
    }
    cr_expect_eq(map_get(&m, STR("a")), MAP_NONE);
    cr_assert_eq(map_put_new_hashed(&m, STR("a"), hash, 7, &found, NULL), 0);
    cr_expect_eq(found, 7);
    cr_expect_eq(map_get(&m, STR("a")), 7);
    cr_expect_eq(map_fetch(&m, STR("a")), hash);
    cr_assert_eq(map_put_new_hashed(&m, STR("a"), hash, 8, &found, NULL), 0);
    cr_expect_eq(found, 7);
    cr_assert_eq(map_put_new(&m, STR("a"), 8, &found, NULL), 0);
    cr_expect_eq(found, 7);
    map_release(&m);
}

Test(map, keys_are_bytes) {
    struct map m = {0};

    cr_assert_eq(map_put(&m, (struct str){NULL, 0}, 1, NULL), 0);
    cr_assert_eq(map_put(&m, STR("a\0b"), 2, NULL), 0);
    cr_assert_eq(map_put(&m, STR("a\0c"), 3, NULL), 0);
    cr_expect_eq(map_get(&m, STR("")), 1);
    cr_expect_eq(map_get(&m, STR("a\0b")), 2);
    cr_expect_eq(map_get(&m, STR("a\0c")), 3);
    cr_expect_eq(map_get(&m, STR("a")), MAP_NONE);
    map_release(&m);
}

Test(map, zeroed_is_empty) {
    struct map m = {0};

    cr_expect_eq(map_get(&m, STR("a")), MAP_NONE);
    map_release(&m);
    map_release(NULL);
}

Test(map, keeps_many_keys_apart) {
    char(*keys)[KEY_ROOM] = calloc(MANY, KEY_ROOM);
    struct map m = {0};

    cr_assert(keys != NULL);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(keys[i], KEY_ROOM, "val_%u", i);
        cr_assert_eq(map_put(&m, str_from(keys[i]), i, NULL), 0);
    }
    cr_expect_eq(m.n, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        cr_assert_eq(map_get(&m, str_from(keys[i])), i);
    }
    cr_expect_eq(map_get(&m, STR("val_100000")), MAP_NONE);
    cr_expect_eq(map_get(&m, STR("val_")), MAP_NONE);
    map_release(&m);
    free(keys);
}

Test(map, refused_memory_keeps_what_is_there) {
    static const char keys[] = "abcdefghijklmnopqrstuvwxyz";
    struct map m = {0};
    struct error err;
    uint32_t n = 0;

    cr_assert_eq(map_put(&m, (struct str){keys, 1}, n++, NULL), 0);
    refuse_memory = true;
    while (n < 26 && map_put(&m, (struct str){keys + n, 1}, n, &err) == 0) {
        n++;
    }
    refuse_memory = false;
    cr_assert_lt(n, 26);
    cr_expect_eq(err.code, ERR_NOMEM);
    cr_expect_eq(m.n, n);
    for (uint32_t i = 0; i < 26; i++) {
        cr_expect_eq(map_get(&m, (struct str){keys + i, 1}), i < n ? i : MAP_NONE);
    }
    map_release(&m);
}

Test(map, hash_depends_on_a_seed) {
    uint64_t unseeded = siphash13((struct siphash_key){0, 0}, "abc", 3);

    cr_expect_neq(map_hash("abc", 3), unseeded);
    cr_expect_eq(map_hash("abc", 3), map_hash("abc", 3));
}

static void *hash_in_thread(void *out) {
    *(uint64_t *)out = map_hash("abc", 3);
    return NULL;
}

Test(map, threads_that_race_for_the_seed_agree) {
    pthread_t threads[8];
    uint64_t hashes[ARRAY_LEN(threads)];

    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        cr_assert_eq(pthread_create(&threads[i], NULL, hash_in_thread, &hashes[i]), 0);
    }
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
        cr_expect_eq(hashes[i], map_hash("abc", 3));
    }
}

// Strict mode kills at any system call but read, write and exit.
Test(map, once_seeded_it_needs_no_system_call) {
    uint64_t before = map_hash("abc", 3);
    pid_t child = fork();
    int status = -1;

    cr_assert(child >= 0);
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) {
            syscall(SYS_exit, 2);
        }
        syscall(SYS_exit, map_hash("abc", 3) == before ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status), "killed by signal %d", WTERMSIG(status));
    cr_expect_eq(WEXITSTATUS(status), 0);
}

Test(map, reserved_room_changes_nothing_but_the_number_of_moves) {
    struct map m = {0};

    cr_assert_eq(map_put(&m, STR("a"), 7, NULL), 0);
    cr_assert_eq(map_reserve(&m, MANY, NULL), 0);
    struct map_slot *slots = m.slots;
    cr_expect_eq(map_get(&m, STR("a")), 7);
    for (uint32_t i = 0; i < MANY - 1; i++) {
        static char keys[MANY][KEY_ROOM];

        (void)snprintf(keys[i], KEY_ROOM, "k%u", i);
        cr_assert_eq(map_put(&m, str_from(keys[i]), i, NULL), 0);
    }
    cr_expect_eq(m.slots, slots);
    map_release(&m);
}
