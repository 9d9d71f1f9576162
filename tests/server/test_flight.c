#include "server/flight.h"

#include <criterion/criterion.h>
#include <sys/socket.h>
#include <unistd.h>

struct guest {
    struct srv_waiter waiter;
    int landed;
    struct error error;
    bool gone;
    struct srv_document *document;
};

static struct srv_flights *flights;
static const uint8_t one[SRV_LRU_KEY] = {1}, two[SRV_LRU_KEY] = {2};

static void begin(void) {
    cr_assert_eq(srv_flights_new(&flights, NULL), 0);
}

static void end(void) {
    srv_flights_free(flights);
}

TestSuite(flight, .init = begin, .fini = end);

static void note(struct srv_waiter *w, const struct srv_landing *landing) {
    struct guest *g = (struct guest *)(void *)w;

    g->landed++;
    g->error = landing->error;
    g->gone = landing->gone;
    g->document = landing->document;
}

static struct guest guest(void) {
    return (struct guest){.waiter = {.landed = note, .fd = -1, .until_ms = 1000}};
}

static bool join(const uint8_t *key, struct guest *g) {
    bool leads = false;

    cr_assert_eq(srv_flights_join(flights, key, &g->waiter, &leads, NULL), 0);
    return leads;
}

Test(flight, lets_the_first_lead) {
    struct guest a = guest(), b = guest(), c = guest();
    struct srv_landing landing = {0};

    cr_expect(join(one, &a));
    cr_expect_not(join(one, &b));
    cr_expect(join(two, &c));
    srv_flights_land(flights, one, &landing);
    cr_expect_eq(a.landed, 1);
    cr_expect_eq(b.landed, 1);
    cr_expect_eq(c.landed, 0);
    cr_expect_eq(srv_flights_waiting(flights), 1);
    cr_expect(join(one, &a), "the next one leads again");
}

Test(flight, tells_everybody_the_same) {
    struct guest a = guest(), b = guest();
    struct srv_landing landing = {0};

    error_set(&landing.error, ERR_CRASH, "boom");
    join(one, &a);
    join(one, &b);
    srv_flights_land(flights, one, &landing);
    cr_expect_eq(a.error.code, ERR_CRASH);
    cr_expect_str_eq(b.error.text, "boom");
}

Test(flight, lands_without_passengers) {
    struct guest a = guest();
    struct srv_landing landing = {0};

    srv_flights_land(flights, one, &landing);
    join(one, &a);
    cr_expect_eq(srv_flights_sweep(flights, 1000), 1);
    srv_flights_land(flights, one, &landing);
    cr_expect_eq(a.landed, 1);
}

Test(flight, lets_go_who_waited_long_enough) {
    struct guest a = guest(), b = guest();

    b.waiter.until_ms = 2000;
    join(one, &a);
    join(one, &b);
    cr_expect_eq(srv_flights_sweep(flights, 999), 0);
    cr_expect_eq(srv_flights_sweep(flights, 1000), 1);
    cr_expect_eq(a.error.code, ERR_TIMEOUT);
    cr_expect_str_eq(a.error.limit, "request-timeout");
    cr_expect_eq(b.landed, 0);
    cr_expect_not(join(one, &a), "the flight goes on");
}

Test(flight, lets_go_whose_client_is_gone) {
    struct guest a = guest(), b = guest();
    int pair[2], other[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, other), 0);
    a.waiter.fd = pair[0];
    b.waiter.fd = other[0];
    join(one, &a);
    join(one, &b);
    cr_expect_eq(srv_flights_sweep(flights, 0), 0);
    close(pair[1]);
    cr_assert_eq(write(other[1], "G", 1), 1);
    cr_expect_eq(srv_flights_sweep(flights, 0), 1);
    cr_expect_eq(a.error.code, ERR_IO);
    cr_expect(a.gone);
    cr_expect_eq(b.landed, 0, "a request sent ahead is no end");
    close(pair[0]);
    close(other[0]);
    close(other[1]);
}

Test(flight, keeps_whose_client_only_has_nothing_more_to_say) {
    struct guest a = guest();
    struct srv_landing landing = {0};
    int pair[2];

    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    a.waiter.fd = pair[0];
    join(one, &a);
    cr_assert_eq(shutdown(pair[1], SHUT_WR), 0);
    cr_expect_eq(srv_flights_sweep(flights, 0), 0);
    srv_flights_land(flights, one, &landing);
    cr_expect_eq(a.landed, 1);
    close(pair[0]);
    close(pair[1]);
}

Test(flight, abandons_what_nobody_is_in) {
    struct guest a = guest(), b = guest();
    struct srv_landing landing = {0};

    cr_expect_not(srv_flights_abandon(flights, one), "there is no such flight");
    join(one, &a);
    cr_expect_not(srv_flights_abandon(flights, one));
    cr_expect_eq(srv_flights_sweep(flights, 1000), 1);
    cr_expect(srv_flights_abandon(flights, one));
    cr_expect(join(one, &b), "the next one leads");
    srv_flights_land(flights, one, &landing);
    cr_expect_eq(b.landed, 1);
}

Test(flight, closes) {
    struct guest a = guest(), b = guest();
    struct error err;
    bool leads;

    join(one, &a);
    srv_flights_close(flights);
    cr_expect_eq(a.error.code, ERR_BUSY);
    cr_expect_eq(srv_flights_join(flights, one, &b.waiter, &leads, &err), ERR_BUSY);
    cr_expect_eq(b.landed, 0);
    cr_expect_eq(srv_flights_waiting(flights), 0);
}

Test(flight, keeps_count_in_any_order) {
    struct guest many[100];
    struct srv_landing landing = {0};
    size_t i, n = 0;

    for (i = 0; i < 100; i++) {
        many[i] = guest();
        many[i].waiter.until_ms = i % 3 ? 1000 : 10;
        join(i % 2 ? one : two, &many[i]);
    }
    cr_expect_eq(srv_flights_sweep(flights, 10), 34);
    cr_expect_eq(srv_flights_waiting(flights), 66);
    srv_flights_land(flights, one, &landing);
    srv_flights_land(flights, two, &landing);
    for (i = 0; i < 100; i++) {
        n += (size_t)many[i].landed;
    }
    cr_expect_eq(n, 100);
    cr_expect_eq(srv_flights_waiting(flights), 0);
}
