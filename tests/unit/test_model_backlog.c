/* Streams on their way: joining, heads and tails, order, and a writer that does not keep up. */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/backlog.h"
#include "model/tape.h"

static struct chunk piece(enum stream_id stream, int64_t group, int64_t offset_us, int64_t position, const char *text)
{
	return (struct chunk){ .stream = stream, .group = group, .offset_us = offset_us, .position = position,
	                       .bytes = text, .len = strlen(text) };
}

/* ---- items ---- */

static void test_join(void **state)
{
	struct chunk a = piece(STREAM_OUT, 1, 1000, 0, "started");
	struct chunk newline = piece(STREAM_OUT, 2, 1200, 7, "\n");
	struct chunk late = piece(STREAM_OUT, 3, 1001 + ITEM_JOIN_US, 8, "x");
	struct chunk hole = piece(STREAM_OUT, 3, 1300, 9, "x");
	struct chunk other = piece(STREAM_ERR, 3, 1300, 0, "x");
	struct chunk gap = { .stream = STREAM_OUT, .group = 3, .offset_us = 1300, .position = 8, .gap = 5 };
	struct item *it = item_new(&a);

	(void)state;
	assert_true(item_join(it, &newline, 100));
	assert_int_equal(it->c.len, 8);
	assert_memory_equal(it->c.bytes, "started\n", 8);
	assert_false(item_join(it, &late, 100));
	assert_false(item_join(it, &hole, 100));
	assert_false(item_join(it, &other, 100));
	assert_false(item_join(it, &gap, 100));
	struct chunk next = piece(STREAM_OUT, 3, 1300, 8, "y");
	assert_false(item_join(it, &next, 8));
	assert_true(item_join(it, &next, 9));
	assert_false(item_join(NULL, &next, 9));
	item_free(it);
}

/* What shares a wake with joined bytes shares their group: an order is never invented. */
static void test_groups(void **state)
{
	struct chunk a = piece(STREAM_OUT, 1, 0, 0, "a"), b = piece(STREAM_OUT, 2, 10, 1, "b");
	struct chunk same_wake = piece(STREAM_ERR, 2, 10, 0, "e"), next_wake = piece(STREAM_ERR, 3, 20, 0, "e");
	struct item *it = item_new(&a);

	(void)state;
	assert_true(item_join(it, &b, 100));
	assert_int_equal(item_group_behind(it, &same_wake), 1);
	assert_int_equal(item_group_behind(it, &next_wake), 3);
	assert_int_equal(item_group_behind(NULL, &next_wake), 3);
	item_free(it);
}

/* ---- the queue ---- */

static void put(struct backlog *q, int64_t position, const char *text)
{
	struct chunk c = piece(STREAM_OUT, position, 0, position, text);

	backlog_put(q, item_new(&c));
}

static void test_backlog(void **state)
{
	struct backlog *q = backlog_new(4);
	struct pollfd room = { .fd = backlog_room_fd(q), .events = POLLIN };
	bool closed = true;

	(void)state;
	assert_null(backlog_take(q, clock_mono_us(), &closed));
	assert_false(closed);
	put(q, 0, "ab");
	assert_false(backlog_is_full(q));
	put(q, 2, "cd");
	assert_true(backlog_is_full(q));
	assert_int_equal(backlog_bytes(q), 4);
	assert_int_equal(poll(&room, 1, 0), 0);
	put(q, 4, "e"); /* full, and takes it all the same */

	struct item *it = backlog_take(q, -1, &closed);
	assert_int_equal(it->c.position, 0);
	assert_int_equal(it->next->c.position, 2);
	assert_int_equal(it->next->next->c.position, 4);
	assert_null(it->next->next->next);
	item_free_all(it);
	assert_int_equal(backlog_bytes(q), 0);
	assert_int_equal(poll(&room, 1, 0), 1);

	/* The sign of room is taken away with the next fill. */
	put(q, 5, "abcd");
	assert_true(backlog_is_full(q));
	assert_int_equal(poll(&room, 1, 0), 0);
	assert_false(backlog_is_closed(q));
	backlog_close(q);
	assert_true(backlog_is_closed(q));
	it = backlog_take(q, -1, &closed);
	assert_true(closed);
	assert_int_equal(it->c.len, 4);
	item_free_all(it);
	assert_null(backlog_take(q, -1, &closed));
	assert_true(closed);
	backlog_free(q);
}

static void *give(void *ctx)
{
	for (int64_t i = 0; i < 20000; i++)
		put(ctx, i, "x");
	backlog_close(ctx);
	return NULL;
}

static void test_two_threads(void **state)
{
	struct backlog *q = backlog_new(1 << 20);
	pthread_t giver;
	int64_t expected = 0;
	bool closed = false;

	(void)state;
	assert_int_equal(pthread_create(&giver, NULL, give, q), 0);
	while (!closed) {
		struct item *first = backlog_take(q, -1, &closed);
		for (struct item *it = first; it; it = it->next)
			assert_int_equal(it->c.position, expected++);
		item_free_all(first);
	}
	assert_int_equal(expected, 20000);
	pthread_join(giver, NULL);
	backlog_free(q);
}

/* ---- heads and tails ---- */

struct fixture {
	struct backlog *q;
	struct tape *tape;
	struct taped out, err;
	struct item *items;
};

static void begin(struct fixture *f, int64_t head, int64_t tail, size_t most, int stop)
{
	struct limits l = { .stream_head = head, .stream_tail = tail };

	f->q = backlog_new(most);
	f->tape = tape_new(f->q, &l, stop, -1);
	f->items = NULL;
}

/* What the record would have: kept bytes, "[n]" for a gap. */
static char *finish(struct fixture *f, enum stream_id stream)
{
	struct buf b = { 0 };
	bool closed;
	int64_t at = 0;

	tape_finish(f->tape, &f->out, &f->err);
	f->items = backlog_take(f->q, -1, &closed);
	assert_true(closed);
	for (struct item *it = f->items; it; it = it->next) {
		if (it->c.stream != stream)
			continue;
		/* Positions follow each other without holes. */
		assert_int_equal(it->c.position, at);
		at += it->c.gap + (int64_t)it->c.len;
		if (it->c.gap)
			buf_addf(&b, "[%lld]", (long long)it->c.gap);
		buf_add(&b, it->c.bytes, it->c.len);
	}
	assert_int_equal(at, stream == STREAM_OUT ? f->out.bytes : f->err.bytes);
	buf_adds(&b, "");
	return buf_take(&b);
}

static void end(struct fixture *f)
{
	item_free_all(f->items);
	tape_free(f->tape);
	backlog_free(f->q);
}

static void test_heads_and_tails(void **state)
{
	static const struct {
		int64_t head, tail;
		const char *text, *kept;
	} cases[] = {
		{ 4, 4, "", "" },
		{ 4, 4, "abc", "abc" },
		{ 4, 4, "abcd", "abcd" },
		{ 4, 4, "abcde", "abcde" },
		{ 4, 4, "abcdefgh", "abcdefgh" },
		{ 4, 4, "abcdefghi", "abcd[1]fghi" },
		{ 4, 4, "abcdefghijklmnop", "abcd[8]mnop" },
		{ 4, 0, "abcdef", "abcdef" },
		{ 1, 1, "abc", "a[1]c" },
		{ 0, 4, "abcdefghijkl", "abcdefghijkl" }, /* 0: no limit, of either */
		{ 1, 0, "abcdefghijkl", "abcdefghijkl" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		/* Whole, byte by byte, and in pieces of three that came far apart. */
		for (size_t step = 1; step <= 16; step += step == 1 ? 2 : 13) {
			struct fixture f;
			size_t n = strlen(cases[i].text);
			begin(&f, cases[i].head, cases[i].tail, 1 << 20, -1);
			for (size_t at = 0; at < n; at += step)
				tape_stream(f.tape, STREAM_OUT, (int64_t)at, (int64_t)at * 100000, cases[i].text + at, MIN(step, n - at));
			char *kept = finish(&f, STREAM_OUT);
			assert_string_equal(kept, cases[i].kept);
			struct digest d = hash_bytes(cases[i].text, n);
			if (n)
				assert_true(digest_equal(&d, &f.out.sha256));
			else
				assert_true(digest_is_zero(&f.out.sha256));
			free(kept);
			end(&f);
		}
	}
}

/* Both tails are handed over in the order in which they came. */
static void test_tails_in_order(void **state)
{
	struct fixture f;
	int64_t last = 0;

	(void)state;
	begin(&f, 1, 100, 1 << 20, -1);
	for (int64_t g = 1; g <= 20; g++)
		tape_stream(f.tape, g % 2 ? STREAM_OUT : STREAM_ERR, g, g * 100000, "xy", 2);
	char *kept = finish(&f, STREAM_ERR);
	assert_int_equal(strlen(kept), 20);
	free(kept);
	struct item *it = f.items;
	/* Behind the heads. */
	while (it && it->c.position == 0)
		it = it->next;
	for (; it; it = it->next) {
		assert_true(it->c.group >= last);
		last = it->c.group;
	}
	end(&f);
}

/* A writer that does not keep up closes the head early, said at its place; a stop is not waited for. */
static void test_writer_lags(void **state)
{
	struct fixture f;
	int stop = eventfd(1, EFD_CLOEXEC);

	(void)state;
	begin(&f, 1000, 4, 8, stop);
	for (int64_t i = 0; i < 10; i++)
		tape_stream(f.tape, STREAM_OUT, i, i * 100000, "abcd", 4);
	char *kept = finish(&f, STREAM_OUT);
	assert_string_equal(kept, "abcdabcdabcdabcd[20]abcd");
	assert_int_equal(f.out.dropped, 20);
	free(kept);
	end(&f);
	close(stop);
}

static void test_last_of_stderr(void **state)
{
	struct fixture f;
	size_t n;

	(void)state;
	begin(&f, 10, 10, 1 << 20, -1);
	assert_string_equal(tape_last(f.tape, &n), "");
	for (int64_t i = 0; i < 100; i++) {
		char line[4096];
		memset(line, 'x', sizeof(line));
		snprintf(line, 32, "line %lld\n", (long long)i);
		tape_stream(f.tape, STREAM_ERR, i, i, line, sizeof(line));
	}
	tape_stream(f.tape, STREAM_ERR, 100, 100, "ValueError: x\n", 14);
	const char *last = tape_last(f.tape, &n);
	assert_true(n >= 64 << 10 && n <= 260 << 10);
	assert_memory_equal(last + n - 14, "ValueError: x\n", 14);
	free(finish(&f, STREAM_ERR));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join), cmocka_unit_test(test_groups), cmocka_unit_test(test_backlog),
		cmocka_unit_test(test_two_threads), cmocka_unit_test(test_heads_and_tails), cmocka_unit_test(test_tails_in_order),
		cmocka_unit_test(test_writer_lags), cmocka_unit_test(test_last_of_stderr),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
