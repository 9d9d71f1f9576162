#include "server/http_guard.h"

#include <criterion/criterion.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

static struct srv_guard *guard;
static int pair[2];
static struct srv_conn *conn;
static uint64_t now;

static void no_tick(void *arg, uint64_t now_ms) {
    (void)arg;
    (void)now_ms;
}

// Times so long that the guard's own thread does nothing while a test looks into the future.
static void begin(void) {
    struct srv_guard_rules rules = {.header_timeout_ms = 10000,
                                    .idle_timeout_ms = 60000,
                                    .min_rate = 1000,
                                    .max_connections = 3};

    cr_assert_eq(srv_guard_new(&guard, &rules, no_tick, NULL, NULL), 0);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    conn = srv_guard_open(guard, pair[0]);
    now = clock_monotonic_ms();
}

static void end(void) {
    srv_guard_close(guard, conn);
    srv_guard_free(guard);
    close(pair[0]);
    close(pair[1]);
}

TestSuite(http_guard, .init = begin, .fini = end, .timeout = 20);

static size_t after(uint64_t ms) {
    return srv_guard_check(guard, now + ms);
}

// What the client got; the connection is at its end behind it.
static size_t received(char *text, size_t room) {
    size_t n = 0;
    ssize_t got;

    while (n < room - 1 && (got = recv(pair[1], text + n, room - 1 - n, 0)) > 0) {
        n += (size_t)got;
    }
    text[n] = '\0';
    return n;
}

Test(http_guard, bounds_the_time_of_headers) {
    char text[1024];

    cr_expect_eq(after(9000), 0);
    cr_expect_eq(after(11000), 1);
    received(text, sizeof(text));
    cr_expect(strstr(text, "HTTP/1.1 408 ") == text, "%s", text);
    cr_expect(strstr(text, "\"status\":408"), "%s", text);
    cr_expect_eq(after(12000), 0, "a connection is cut once");
}

Test(http_guard, bounds_headers_of_a_later_request_anew) {
    srv_guard_enter(guard, conn, SRV_CONN_IDLE, 0);
    cr_expect_eq(after(60000), 0, "the library ends what is idle");
    cr_expect_eq(after(71000), 1);
}

Test(http_guard, wants_a_rate_of_a_body_after_its_grace) {
    srv_guard_enter(guard, conn, SRV_CONN_BODY, 0);
    cr_expect_eq(after(SRV_GUARD_GRACE_MS), 0);
    srv_guard_count(guard, conn, 5000);
    cr_expect_eq(after(SRV_GUARD_GRACE_MS + 4000), 0);
    cr_expect_eq(after(SRV_GUARD_GRACE_MS + 7000), 1);
}

Test(http_guard, does_not_hurry_itself) {
    srv_guard_enter(guard, conn, SRV_CONN_WORK, 0);
    cr_expect_eq(after(3600000), 0);
}

Test(http_guard, gives_an_answer_the_time_of_its_length) {
    char text[64];

    srv_guard_enter(guard, conn, SRV_CONN_REPLY, 10000);
    cr_expect_eq(after(60000 + 9000), 0);
    cr_expect_eq(after(60000 + 12000), 1);
    cr_expect_eq(received(text, sizeof(text)), 0, "nothing is written into an answer");
}

Test(http_guard, remembers_what_it_told) {
    cr_expect_eq(srv_guard_told(guard, conn), 0);
    after(11000);
    cr_expect_eq(srv_guard_told(guard, conn), 408);
    cr_expect_eq(srv_guard_told(guard, NULL), 0);
}

static bool is_ended(int far) {
    char byte;

    return recv(far, &byte, 1, MSG_DONTWAIT) == 0;
}

struct others {
    int pairs[4][2];
    struct srv_conn *conns[4];
};

static void open_others(struct others *o, size_t n, enum srv_conn_phase phase) {
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, o->pairs[i]), 0);
        o->conns[i] = srv_guard_open(guard, o->pairs[i][0]);
        srv_guard_enter(guard, o->conns[i], phase, 0);
    }
}

static void close_others(struct others *o, size_t n) {
    for (size_t i = 0; i < n; i++) {
        srv_guard_close(guard, o->conns[i]);
        close(o->pairs[i][0]);
        close(o->pairs[i][1]);
    }
}

Test(http_guard, ends_the_longest_idle_connection_when_the_last_place_is_taken) {
    struct others o;

    srv_guard_enter(guard, conn, SRV_CONN_IDLE, 0);
    usleep(5000);
    open_others(&o, 1, SRV_CONN_IDLE);
    cr_expect_not(is_ended(pair[1]), "there is a free place");
    usleep(5000);
    close_others(&o, 1);
    open_others(&o, 2, SRV_CONN_IDLE);
    cr_expect(is_ended(pair[1]));
    cr_expect_not(is_ended(o.pairs[0][1]));
    cr_expect_not(is_ended(o.pairs[1][1]));
    close_others(&o, 2);
}

Test(http_guard, spares_whoever_works_or_has_just_sent_something) {
    struct others o;

    srv_guard_enter(guard, conn, SRV_CONN_IDLE, 0);
    cr_assert_eq(send(pair[1], "G", 1, 0), 1);
    open_others(&o, 4, SRV_CONN_WORK);
    cr_expect_not(is_ended(pair[1]));
    for (size_t i = 0; i < 4; i++) {
        cr_expect_not(is_ended(o.pairs[i][1]));
    }
    close_others(&o, 4);
}

Test(http_guard, gives_a_new_connection_a_second_to_ask) {
    struct others o;

    open_others(&o, 3, SRV_CONN_REPLY);
    after(900);
    cr_expect_not(is_ended(pair[1]));
    after(1100);
    cr_expect(is_ended(pair[1]));
    close_others(&o, 3);
}

Test(http_guard, a_stop_answers_who_is_still_sending_and_lets_answers_out) {
    struct others o;
    char text[1024];

    open_others(&o, 1, SRV_CONN_REPLY);
    srv_guard_enter(guard, conn, SRV_CONN_BODY, 0);
    cr_expect_eq(srv_guard_dismiss(guard), 1);
    received(text, sizeof(text));
    cr_expect(strstr(text, "HTTP/1.1 503 ") == text, "%s", text);
    cr_expect(strstr(text, "shutting down"), "%s", text);
    cr_expect_eq(srv_guard_told(guard, conn), 503);
    cr_expect_not(is_ended(o.pairs[0][1]));
    cr_expect_eq(srv_guard_dismiss(guard), 0);
    close_others(&o, 1);
}

Test(http_guard, forgets_closed_connections) {
    srv_guard_close(guard, conn);
    conn = NULL;
    cr_expect_eq(after(1000000), 0);
    srv_guard_enter(guard, NULL, SRV_CONN_BODY, 0);
    srv_guard_count(guard, NULL, 1);
    cr_expect_eq(srv_conn_fd(NULL), -1);
}
