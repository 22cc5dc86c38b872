/* ahead.c and read.c: rows and bytes by blocks, while another connection writes, moves its WAL and prunes. */
#include "store_case.h"

#include "store/glance.h"
#include "store/read.h"

#define BYTES 300000
#define ROUNDS 24

/* Byte `i` of what the attempt said. */
static char byte_of(int64_t attempt, size_t i)
{
	return (char)('a' + (i * 7 + i / 251 + (size_t)attempt * 31) % 26);
}

static void add_attempt(struct place *p, struct store *st)
{
	int64_t id = case_queue(p, st, 0);
	char *text = xmalloc(BYTES);

	for (size_t i = 0; i < BYTES; i++)
		text[i] = byte_of(id, i);
	for (size_t at = 0; at < BYTES; at += 100000) {
		struct chunk c = { .stream = at ? STREAM_OUT : STREAM_ERR, .group = 1, .offset_us = 1000, .bytes = text + at, .len = 100000,
			           .position = at ? (int64_t)at - 100000 : 0 };
		assert_done(p, store_chunks_add(st, id, &c, 1, &p->e));
	}
	free(text);
}

struct seen {
	int64_t attempt;
	size_t bytes, rows;
};

static bool look(void *ctx, const struct chunk_row *row, int64_t at, const void *bytes, size_t n, struct err *e)
{
	struct seen *s = ctx;
	size_t from = (size_t)(row->position + at) + (row->stream == STREAM_OUT ? 100000 : 0);

	(void)e;
	for (size_t i = 0; i < n; i++)
		if (((const char *)bytes)[i] != byte_of(s->attempt, from + i))
			fail_msg("attempt %d: byte %zu is another", (int)s->attempt, from + i);
	s->bytes += n;
	s->rows += at == 0;
	return true;
}

/* All of an attempt, in transactions of two rows. */
static void scan(struct place *p, struct store_reader *r, int64_t attempt, unsigned streams, size_t bytes)
{
	static char piece[70000];
	struct seen s = { .attempt = attempt };
	int64_t seq = 0;
	bool all = false;

	while (!all)
		assert_done(p, store_chunk_scan(r, attempt, seq, 2, streams, piece, sizeof(piece), look, &s, &seq, &all, &p->e));
	assert_int_equal(s.bytes, bytes);
	assert_int_equal(s.rows, 3);
}

static void what_is_read_is_what_was_written(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE), *reading = case_open(p, STORE_READ);
	store_read_ahead(reading);
	struct store_reader *r = store_reader_new(reading, &p->e);

	assert_non_null(r);
	for (int64_t round = 1; round <= ROUNDS; round++) {
		add_attempt(p, st);
		if (round % 3 == 0)
			assert_done(p, store_checkpoint(st, &p->e));
		for (int64_t id = 1; id <= round; id += round < 20 ? 5 : 1)
			scan(p, r, id, 1u << STREAM_OUT | 1u << STREAM_ERR, BYTES);
		scan(p, r, round, 1u << STREAM_ERR, 100000);
	}
	store_reader_free(r);
	store_close(reading);
	store_close(st);
}

static bool stop_at_once(void *ctx, const struct chunk_row *row, int64_t at, const void *bytes, size_t n, struct err *e)
{
	(void)row, (void)at, (void)bytes, (void)n;
	++*(int *)ctx;
	return err_set(e, ERR_CANCELLED, "enough");
}

static void a_scan_can_be_left(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct store_reader *r = store_reader_new(st, &p->e);
	char piece[100];
	int calls = 0;
	int64_t next;
	bool all;

	add_attempt(p, st);
	assert_fails(p, ERR_CANCELLED, "enough",
	             store_chunk_scan(r, 1, 0, 10, ~0u, piece, sizeof(piece), stop_at_once, &calls, &next, &all, &p->e));
	assert_int_equal(calls, 1);
	store_reader_free(r);
	store_close(st);
}

static void take_glance(void *ctx, const struct glance *g)
{
	struct glance *out = ctx;

	*out = *g;
	out->call = out->argument = NULL;
	assert_string_equal(g->call ? g->call : "", g->refused ? "socket" : "");
}

static void a_glance(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct glance g;
	int64_t id = case_queue(p, st, 0);

	assert_done(p, store_glance(st, id, take_glance, &g, &p->e));
	assert_true(g.has_purpose && g.code_row > 0 && g.offered > 0);
	assert_true(g.inputs == 0 && g.artifacts == 0 && g.refused == 0 && g.check == 0);
	case_end(p, st, id, "total 5\n", VERDICT_NONE);
	int64_t check = case_queue_as(p, st, 0, id);
	case_end(p, st, check, "total 6\n", VERDICT_DIFFERS);
	assert_done(p, store_glance(st, id, take_glance, &g, &p->e));
	assert_true(g.inputs > 0 && g.artifacts > 0);
	assert_int_equal(g.refused, 1);
	assert_int_equal(g.check, 1);
	assert_int_equal(g.verdict, VERDICT_DIFFERS);
	assert_fails(p, ERR_NOTFOUND, "not in the record", store_glance(st, 99, take_glance, &g, &p->e));
	store_close(st);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(what_is_read_is_what_was_written), TEST(a_scan_can_be_left), TEST(a_glance) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
