#include "server/store.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "server/store_record.h"
#include "tests/server/descriptors.h"
#include "tests/server/records.h"
#include "tests/server/store_contract.h"

#define MAX_BYTES ((size_t)1 << 20)
#define PATH_ROOM 512

static struct srv_store *store;
static char root[PATH_ROOM];

static void open_again(void) {
    struct error e;

    cr_assert_eq(srv_store_dir_new(&store, str_from(root), MAX_BYTES, &e), 0, "%s", e.text);
}

static void close_it(void) {
    if (store) {
        store->ops->free(store);
    }
    store = NULL;
}

static void reopen(void) {
    close_it();
    open_again();
}

static void open_store(void) {
    const char *tmp = getenv("TMPDIR");
    struct buf path;

    buf_init(&path, sizeof(root) - 1);
    buf_add_z(&path, tmp ? tmp : P_tmpdir);
    buf_add_z(&path, "/onnxscope-store-XXXXXX");
    memcpy(root, path.p, path.n);
    buf_release(&path);
    cr_assert_not_null(mkdtemp(root));
    open_again();
}

// Path of a place below the root.
static const char *below(const char *rest) {
    static char path[2 * PATH_ROOM];
    const size_t n = strlen(root), m = strlen(rest);

    memcpy(path, root, n);
    path[n] = '/';
    memcpy(path + n + 1, rest, m + 1);
    return path;
}

static const char *object(unsigned i) {
    char name[80] = "objects/00/";

    snprintf(name + strlen(name), sizeof(name) - strlen(name), "%062x", i);
    return below(name);
}

static void remove_tree(void) {
    static const char *const tops[] = {"objects/00", "objects", "tmp", ""};

    close_it();
    for (unsigned i = 0; i < 20; i++) {
        unlink(object(i));
    }
    unlink(below("objects/00/note.txt"));
    unlink(below("tmp/old"));
    unlink(below("tmp/young"));
    for (size_t i = 0; i < ARRAY_LEN(tops); i++) {
        rmdir(below(tops[i]));
    }
}

TestSuite(store_dir, .init = open_store, .fini = remove_tree, .timeout = 60);

static void put(unsigned i, size_t n) {
    struct srv_record *r = make_large_record(i, n);
    struct error e;
    bool existed;

    cr_assert_eq(store->ops->put(store, r, &existed, &e), 0, "%s", e.text);
    srv_record_unref(r);
}

static int get(unsigned i) {
    struct srv_record *want = make_large_record(i, 0), *back;
    int rc = store->ops->get(store, str_from(want->id), &back, NULL);

    srv_record_unref(want);
    if (rc < 0) {
        return rc;
    }
    cr_assert(back->skeleton.n == 0 || back->skeleton.p[0] == i);
    srv_record_unref(back);
    return 0;
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

Test(store_dir, gives_back_what_it_took) {
    store_gives_back_what_it_took(store);
}

Test(store_dir, knows_what_it_has) {
    store_knows_what_it_has(store);
}

Test(store_dir, removes) {
    store_removes(store);
}

Test(store_dir, lists_by_id_in_pages) {
    store_lists_by_id_in_pages(store);
}

Test(store_dir, refuses_ids_that_are_none) {
    store_refuses_ids_that_are_none(store);
}

Test(store_dir, is_used_by_many_threads) {
    const size_t before = count_descriptors();

    store_is_used_by_many_threads(store);
    cr_assert_eq(count_descriptors(), before);
}

Test(store_dir, refuses_what_it_cannot_hold) {
    store_refuses_what_it_cannot_hold(store, MAX_BYTES);
}

Test(store_dir, evicts_the_least_recently_used) {
    store_evicts_the_least_recently_used(store, MAX_BYTES);
    cr_assert(exists(object(5)));
    cr_assert_not(exists(object(1)));
}

Test(store_dir, everything_is_there_after_a_restart) {
    struct srv_record *given = make_record(3, "skeleton", "summary"), *back;
    bool existed;

    cr_assert_eq(store->ops->put(store, given, &existed, NULL), 0);
    reopen();
    cr_assert(store_has(store, 3));
    cr_assert_eq(store->ops->get(store, str_from(given->id), &back, NULL), 0);
    cr_assert(same_record(given, back));
    srv_record_unref(back);
    srv_record_unref(given);
}

Test(store_dir, files_are_private_and_tmp_is_empty) {
    struct stat st;

    put(3, 100);
    cr_assert_eq(stat(object(3), &st), 0);
    cr_assert_eq(st.st_mode & 07777, 0600);
    cr_assert_eq(st.st_size, SRV_RECORD_HEADER + 100 + 2);
    cr_assert_eq(rmdir(below("tmp")), 0);
    cr_assert_eq(mkdir(below("tmp"), 0700), 0);
}

static void set_time(unsigned i, time_t when) {
    const struct timespec times[2] = {{when, 0}, {when, 0}};

    cr_assert_eq(utimensat(AT_FDCWD, object(i), times, 0), 0);
}

Test(store_dir, the_order_of_use_outlives_a_restart) {
    put(1, MAX_BYTES * 3 / 10);
    put(2, MAX_BYTES * 3 / 10);
    put(3, MAX_BYTES * 3 / 10);
    set_time(1, 1700000300);
    set_time(2, 1700000100);
    set_time(3, 1700000200);
    reopen();
    put(4, MAX_BYTES * 3 / 10);
    cr_assert(!store_has(store, 2) && store_has(store, 1) && store_has(store, 3));
    put(5, MAX_BYTES * 3 / 10);
    cr_assert(!store_has(store, 3) && store_has(store, 1));
}

Test(store_dir, using_a_model_moves_the_time_of_its_file) {
    struct stat st;

    put(1, 100);
    set_time(1, 1700000000);
    reopen();
    cr_assert_eq(get(1), 0);
    cr_assert_eq(stat(object(1), &st), 0);
    cr_assert_gt(st.st_mtime, 1700000000 + 1000);
}

Test(store_dir, a_store_that_became_smaller_evicts_at_the_start) {
    put(1, MAX_BYTES / 3);
    put(2, MAX_BYTES / 3);
    set_time(1, 1700000000);
    close_it();
    cr_assert_eq(srv_store_dir_new(&store, str_from(root), MAX_BYTES / 2, NULL), 0);
    cr_assert(!store_has(store, 1) && store_has(store, 2));
    cr_assert_not(exists(object(1)));
}

static void overwrite(unsigned i, off_t at, char c) {
    int fd = open(object(i), O_WRONLY);

    cr_assert_geq(fd, 0);
    cr_assert_eq(pwrite(fd, &c, 1, at), 1);
    close(fd);
}

Test(store_dir, a_damaged_header_is_a_miss_and_is_removed) {
    put(1, 100);
    put(2, 100);
    overwrite(1, 100, '\xee');
    reopen();
    cr_assert(!store_has(store, 1) && store_has(store, 2));
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    cr_assert_not(exists(object(1)));
    cr_assert(exists(object(2)));
}

Test(store_dir, damaged_content_is_a_miss_and_is_removed) {
    put(1, 100);
    put(2, 100);
    overwrite(1, SRV_RECORD_HEADER + 50, '\xee');
    overwrite(2, SRV_RECORD_HEADER + 100, '\xee');
    reopen();
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    cr_assert_eq(get(2), ERR_NOT_FOUND);
    cr_assert(!exists(object(1)) && !exists(object(2)));
    put(1, 100);
    cr_assert_eq(get(1), 0);
}

// Makes the record of model i one of a later version, complete with the digest of its header.
static void make_later(unsigned i) {
    uint8_t header[SRV_RECORD_HEADER];
    struct sha256 s;
    int fd = open(object(i), O_RDWR);

    cr_assert_geq(fd, 0);
    cr_assert_eq(read(fd, header, sizeof(header)), (ssize_t)sizeof(header));
    header[8]++;
    sha256_init(&s);
    sha256_add(&s, (struct slice){header, sizeof(header) - SHA256_BYTES});
    sha256_done(&s, header + sizeof(header) - SHA256_BYTES);
    cr_assert_eq(pwrite(fd, header, sizeof(header), 0), (ssize_t)sizeof(header));
    close(fd);
}

// A program that went back to an earlier version must not destroy what the later one wrote.
Test(store_dir, a_record_of_a_later_version_is_a_miss_and_stays) {
    put(1, 100);
    put(2, 100);
    make_later(1);
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    cr_assert(exists(object(1)));
    reopen();
    cr_assert(!store_has(store, 1) && store_has(store, 2));
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    cr_assert(exists(object(1)));
    put(1, 100);
    cr_assert_eq(get(1), 0, "a model that is posted again is there");
}

Test(store_dir, a_file_that_was_cut_is_a_miss) {
    for (off_t n = 0; n < SRV_RECORD_HEADER + 102; n += 50) {
        put(1, 100);
        cr_assert_eq(truncate(object(1), n), 0);
        reopen();
        cr_expect_eq(get(1), ERR_NOT_FOUND, "%jd bytes", (intmax_t)n);
        cr_expect_not(exists(object(1)));
    }
}

Test(store_dir, a_record_under_a_foreign_name_is_a_miss) {
    char from[2 * PATH_ROOM];

    put(1, 100);
    memcpy(from, object(1), sizeof(from));
    cr_assert_eq(rename(from, object(2)), 0);
    reopen();
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    cr_assert_eq(get(2), ERR_NOT_FOUND);
}

Test(store_dir, a_file_that_vanished_is_a_miss) {
    put(1, 100);
    reopen();
    cr_assert_eq(unlink(object(1)), 0);
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    cr_assert_not(store_has(store, 1));
    put(1, 100);
    cr_assert_eq(get(1), 0);
}

// Bytes that change under the feet of a running store. The kernel's time of a change has a coarse
// grain; so it is done until it shows.
static void damage_behind_the_back(unsigned i) {
    struct stat before, after;

    cr_assert_eq(stat(object(i), &before), 0);
    do {
        overwrite(i, SRV_RECORD_HEADER + 50, '\xee');
        cr_assert_eq(stat(object(i), &after), 0);
    } while (memcmp(&before.st_ctim, &after.st_ctim, sizeof(before.st_ctim)) == 0);
}

Test(store_dir, what_is_damaged_while_it_is_in_memory_is_a_miss_and_is_stored_anew) {
    put(1, 100);
    damage_behind_the_back(1);
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    cr_assert_not(exists(object(1)));
    put(2, 100);
    damage_behind_the_back(2);
    put(2, 100);
    reopen();
    cr_assert_eq(get(2), 0);
}

static bool put_again(unsigned i, size_t n) {
    struct srv_record *r = make_large_record(i, n);
    struct error e;
    bool existed = false;

    cr_assert_eq(store->ops->put(store, r, &existed, &e), 0, "%s", e.text);
    srv_record_unref(r);
    return existed;
}

Test(store_dir, a_file_that_was_removed_while_it_is_in_memory_is_gone) {
    put(1, 100);
    put(2, 100);
    cr_assert(put_again(1, 100));
    cr_assert_eq(unlink(object(1)), 0);
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    cr_assert_eq(unlink(object(2)), 0);
    cr_assert_not(put_again(2, 100), "it was not there any more");
    cr_assert(exists(object(2)));
    cr_assert_eq(get(2), 0);
}

static void remove_everything(bool also_the_root) {
    for (unsigned i = 0; i < 5; i++) {
        unlink(object(i));
    }
    cr_assert_eq(rmdir(below("objects/00")), 0);
    cr_assert_eq(rmdir(below("objects")), 0);
    cr_assert_eq(rmdir(below("tmp")), 0);
    if (also_the_root) {
        cr_assert_eq(rmdir(root), 0);
    }
}

Test(store_dir, directories_that_were_removed_are_made_anew) {
    for (int also_the_root = 0; also_the_root < 2; also_the_root++) {
        put(1, 100);
        remove_everything(also_the_root);
        cr_assert_eq(get(1), ERR_NOT_FOUND);
        cr_assert_not(store_has(store, 1));
        cr_assert_not(put_again(1, 100));
        cr_assert_not(put_again(2, 100));
        cr_assert(exists(object(1)) && exists(object(2)));
        reopen();
        cr_assert(get(1) == 0 && get(2) == 0);
    }
}

static void remove_from(struct srv_store *s, unsigned i) {
    struct srv_record *r = make_large_record(i, 0);

    cr_assert_eq(s->ops->remove(s, str_from(r->id), NULL), 0);
    srv_record_unref(r);
}

Test(store_dir, two_stores_on_one_directory_see_each_other) {
    struct srv_store *one = store, *two;

    open_again();
    two = store;
    put(1, 100);
    cr_assert(store_has(one, 1), "listed");
    store = one;
    cr_assert_eq(get(1), 0);
    put(2, 100);
    cr_assert(store_has(two, 1) && store_has(two, 2));
    store = two;
    cr_assert_eq(get(2), 0);
    remove_from(one, 1);
    cr_assert(!store_has(one, 1) && !store_has(two, 1));
    cr_assert_eq(get(1), ERR_NOT_FOUND);
    one->ops->free(one);
}

static void make_file(const char *path, time_t when) {
    const struct timespec times[2] = {{when, 0}, {when, 0}};
    int fd = open(path, O_WRONLY | O_CREAT, 0600);

    cr_assert_geq(fd, 0);
    if (when) {
        cr_assert_eq(futimens(fd, times), 0);
    }
    close(fd);
}

Test(store_dir, left_overs_go_and_foreign_files_stay) {
    put(1, 100);
    make_file(below("tmp/old"), 1700000000);
    make_file(below("tmp/young"), 0);
    make_file(below("objects/00/note.txt"), 1700000000);
    reopen();
    cr_assert_not(exists(below("tmp/old")));
    cr_assert(exists(below("tmp/young")));
    cr_assert(exists(below("objects/00/note.txt")));
}

Test(store_dir, a_link_is_not_followed) {
    put(1, 100);
    put(2, 100);
    cr_assert_eq(unlink(object(2)), 0);
    cr_assert_eq(symlink("../00/note", object(2)), 0);
    reopen();
    cr_assert_eq(get(1), 0);
    cr_assert_not(store_has(store, 2));
    cr_assert_neq(get(2), 0);
}

Test(store_dir, a_path_that_cannot_be_used_is_named) {
    struct srv_store *none = NULL;
    struct error e;

    put(1, 100);
    cr_assert_eq(srv_store_dir_new(&none, str_from(object(1)), MAX_BYTES, &e), ERR_IO);
    cr_assert(str_contains(str_from(e.text), str_from(object(1))), "%s", e.text);
    cr_assert(str_contains(str_from(e.text), str_from(strerror(ENOTDIR))), "%s", e.text);
    cr_assert_null(none);
}

// Files larger than the limit of the process fail like a device that refuses to write.
Test(store_dir, a_write_that_fails_is_an_error_and_reading_goes_on) {
    const struct rlimit small = {10000, RLIM_INFINITY};
    struct srv_record *r = make_large_record(2, 50000);
    const size_t before = count_descriptors();
    struct error e;
    bool existed;

    put(1, 100);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    cr_assert_eq(store->ops->put(store, r, &existed, &e), ERR_IO);
    cr_assert(str_contains(str_from(e.text), str_from(strerror(EFBIG))), "%s", e.text);
    srv_record_unref(r);
    cr_assert_eq(get(1), 0);
    put(3, 100);
    cr_assert_not(exists(object(2)));
    cr_assert_eq(rmdir(below("tmp")), 0, "something is left in tmp");
    cr_assert_eq(count_descriptors(), before);
}

// A volume of our own needs a mount namespace, which not every container grants.
static bool mount_small_volume(void) {
    if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
        return false;
    }
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
        return false;
    }
    return mount("tmpfs", root, "tmpfs", 0, "size=256k") == 0;
}

Test(store_dir, a_full_volume_makes_the_oldest_go) {
    close_it();
    if (!mount_small_volume()) {
        open_again();
        cr_skip_test("no mount namespace here");
    }
    open_again();
    put(1, 90000);
    put(2, 90000);
    put(3, 90000);
    cr_assert(!store_has(store, 1) && store_has(store, 2) && store_has(store, 3));
    cr_assert_eq(get(3), 0);
    close_it();
    cr_assert_eq(umount(root), 0);
}

Test(store_dir, a_volume_that_is_too_small_is_a_clear_error) {
    struct srv_record *r = make_large_record(1, 400000);
    struct error e;
    bool existed;

    close_it();
    if (!mount_small_volume()) {
        open_again();
        srv_record_unref(r);
        cr_skip_test("no mount namespace here");
    }
    open_again();
    cr_assert_eq(store->ops->put(store, r, &existed, &e), ERR_FULL);
    cr_assert(str_contains(str_from(e.text), STR("the store is full")), "%s", e.text);
    srv_record_unref(r);
    put(2, 1000);
    cr_assert_eq(get(2), 0);
    close_it();
    cr_assert_eq(umount(root), 0);
}
