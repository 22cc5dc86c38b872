/* source.c and read.c: bytes of code, streams and files at any place, while they grow. */
#include "model/source.h"

#include "store_case.h"

static uint64_t seed = 20261130;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static struct source *opened(struct place *p, struct source_record *r, const struct source_spec *spec)
{
	struct source *s = source_open(r, spec, &p->e);

	if (!s)
		fail_msg("source_open: %s", p->e.msg);
	return s;
}

static struct source_record *record_of(struct place *p)
{
	struct source_record *r = source_record_open(p->db, false, &p->e);

	if (!r)
		fail_msg("source_record_open: %s", p->e.msg);
	return r;
}

/* The whole source equals `text`, and so do random pieces of it. */
static void check_bytes(struct source *s, const char *text, size_t n)
{
	char *all = xmalloc(n + 10), piece[5000];

	assert_int_equal(source_size(s), n);
	assert_int_equal(source_read(s, 0, all, n + 10), n);
	assert_memory_equal(all, text, n);
	for (int i = 0; i < 300 && n; i++) {
		size_t from = draw((uint32_t)n), want = 1 + draw(draw(2) ? 50 : sizeof(piece));
		int64_t got = source_read(s, (int64_t)from, piece, want);
		assert_int_equal(got, MIN(want, n - from));
		assert_memory_equal(piece, text + from, (size_t)got);
	}
	assert_int_equal(source_read(s, (int64_t)n, all, 1), 0);
	assert_int_equal(source_read(s, -1, all, 1), 0);
	assert_int_equal(source_error(s)->code, ERR_NONE);
	free(all);
}

/* ---- what stands still ---------------------------------------------------------------------------- */

static void texts_need_no_record(void **state)
{
	struct place *p = *state;
	struct source_spec spec = { .kind = SOURCE_TEXT, .text = "a\0b", .text_len = 3 };
	struct source *s = opened(p, NULL, &spec);
	struct source_origin o;

	check_bytes(s, "a\0b", 3);
	assert_true(source_is_whole(s));
	assert_true(source_origin(s, 1, &o));
	assert_int_equal(o.stream, 0);
	assert_int_equal(o.end, 3);
	assert_int_equal(source_find(s, 0, 2), 2);
	assert_int_equal(source_find(s, 0, 3), -1);
	source_close(s);
	s = opened(p, NULL, &(struct source_spec){ .kind = SOURCE_TEXT });
	assert_int_equal(source_gap(s), -1);
	check_bytes(s, "", 0);
	source_close(s);
	source_close(NULL);
	source_record_close(NULL);
}

static void code_and_contents(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t attempt = case_queue(p, st, 0);
	size_t n = 5 * STORE_CHUNK / 2 + 77;
	char *big = xmalloc(n);
	struct uuid owner = uuid_new();
	struct source_record *r;
	struct source *s;
	struct source_spec spec = { .kind = SOURCE_BLOB };

	for (size_t i = 0; i < n; i++)
		big[i] = (char)draw(256);
	assert_done(p, store_blob_put(st, &owner, big, n, &spec.sha256, &p->e));
	r = record_of(p);
	s = opened(p, r, &spec);
	check_bytes(s, big, n);
	assert_true(source_is_whole(s));
	source_close(s);
	s = opened(p, r, &(struct source_spec){ .kind = SOURCE_CODE, .attempt = attempt });
	check_bytes(s, "print(1)", 8);
	source_close(s);
	spec.sha256 = case_digest("never kept");
	assert_fails(p, ERR_NOTFOUND, "is not kept", source_open(r, &spec, &p->e));
	p->e = (struct err){ 0 };
	assert_null(source_open(r, &(struct source_spec){ .kind = SOURCE_CODE, .attempt = 99 }, &p->e));
	source_record_close(r);
	store_close(st);
	free(big);
}

/* ---- streams ---------------------------------------------------------------------------------------- */

/* What was put into a record, and what a source must show of it. */
struct tape {
	struct place *p;
	struct store *st;
	int64_t attempt;
	int64_t position[3], group;
	struct buf shown[3]; /* 0: both */
};

static void show_gap(struct buf *b, int stream, int64_t n)
{
	buf_addf(b, "%s[%lld bytes of %s not kept]\n", b->len && b->data[b->len - 1] != '\n' ? "\n" : "", (long long)n,
	         stream == STREAM_ERR ? "stderr" : "stdout");
}

static void put(struct tape *t, int stream, const void *bytes, size_t n, int64_t gap)
{
	struct chunk c = { .stream = (enum stream_id)stream, .group = ++t->group, .offset_us = t->group * 10,
		           .position = t->position[stream], .gap = gap, .bytes = bytes, .len = n };

	assert_done(t->p, store_chunks_add(t->st, t->attempt, &c, 1, &t->p->e));
	t->position[stream] += (int64_t)n + gap;
	for (int view = 0; view < 3; view++)
		if (view == 0 || view == stream) {
			if (gap)
				show_gap(&t->shown[view], stream, gap);
			else
				buf_add(&t->shown[view], bytes, n);
		}
}

static void puts_text(struct tape *t, int stream, const char *s)
{
	put(t, stream, s, strlen(s), 0);
}

static void tape_done(struct tape *t)
{
	for (int view = 0; view < 3; view++)
		buf_free(&t->shown[view]);
	store_close(t->st);
}

static struct source *stream_of(struct place *p, struct source_record *r, int64_t attempt, int stream)
{
	return opened(p, r, &(struct source_spec){ .kind = SOURCE_STREAM, .attempt = attempt, .stream = stream });
}

static void streams_apart_and_together(void **state)
{
	struct place *p = *state;
	struct tape t = { .p = p, .st = case_open(p, STORE_WRITE) };
	struct source_record *r;
	struct source_origin o;
	struct source *s;

	t.attempt = case_queue(p, t.st, 0);
	puts_text(&t, STREAM_OUT, "same");
	puts_text(&t, STREAM_ERR, "-line-");
	puts_text(&t, STREAM_OUT, "end\n");
	put(&t, STREAM_OUT, "", 0, 0);
	put(&t, STREAM_OUT, "", 0, 123456);
	puts_text(&t, STREAM_OUT, "tail, unfinished");
	put(&t, STREAM_ERR, "", 0, 7);
	r = record_of(p);
	for (int view = 0; view < 3; view++) {
		s = stream_of(p, r, t.attempt, view);
		check_bytes(s, t.shown[view].data, t.shown[view].len);
		assert_false(source_is_whole(s));
		source_close(s);
	}
	assert_non_null(strstr(t.shown[0].data, "same-line-end\n[123456 bytes of stdout not kept]\ntail, unfinished\n[7 bytes of stderr"));

	s = stream_of(p, r, t.attempt, 0);
	assert_int_equal(source_gap(s), 14);
	assert_true(source_origin(s, 5, &o));
	assert_int_equal(o.stream, STREAM_ERR);
	assert_int_equal(o.start, 4);
	assert_int_equal(o.end, 10);
	assert_int_equal(o.position, 0);
	assert_int_equal(o.group, 2);
	assert_int_equal(o.offset_us, 20);
	assert_int_equal(o.gap, 0);
	assert_true(source_origin(s, 16, &o));
	assert_int_equal(o.gap, 123456);
	assert_int_equal(o.position, 8);
	assert_int_equal(source_find(s, STREAM_OUT, 0), 0);
	assert_int_equal(source_find(s, STREAM_OUT, 5), 11);
	assert_int_equal(source_find(s, STREAM_ERR, 3), 7);
	assert_int_equal(source_find(s, STREAM_OUT, 9000), 14); /* inside the gap: its line */
	assert_int_equal(source_find(s, STREAM_OUT, 8 + 123456 + 2), 14 + (int64_t)strlen("[123456 bytes of stdout not kept]\n") + 2);
	assert_int_equal(source_find(s, STREAM_OUT, 1 << 20), -1);
	assert_int_equal(source_find(s, STREAM_OUT, -1), -1);
	assert_false(source_origin(s, source_size(s), &o));
	source_close(s);
	s = stream_of(p, r, t.attempt, STREAM_ERR);
	assert_int_equal(source_gap(s), 7); /* behind the line end that it needs */
	assert_int_equal(source_find(s, STREAM_OUT, 0), -1);
	source_close(s);
	s = stream_of(p, r, 4711, 0); /* nothing came out, or there is none */
	check_bytes(s, "", 0);
	assert_int_equal(source_find(s, STREAM_OUT, 0), -1);
	source_close(s);
	source_record_close(r);
	tape_done(&t);
}

static void streams_grow_and_end(void **state)
{
	struct place *p = *state;
	struct tape t = { .p = p, .st = case_open(p, STORE_WRITE) };
	struct source_record *r;
	struct source *s, *out;
	bool changed;

	t.attempt = case_queue(p, t.st, 0);
	r = record_of(p);
	s = stream_of(p, r, t.attempt, 0);
	out = stream_of(p, r, t.attempt, STREAM_OUT);
	for (int i = 0; i < 300; i++) {
		char line[100];
		snprintf(line, sizeof(line), "line %d\n", i);
		puts_text(&t, 1 + (int)draw(2), line);
		if (draw(4) == 0) {
			assert_done(p, source_update(s, &changed, &p->e));
			assert_int_equal(changed, source_size(s) > 0 || i > 0);
			check_bytes(s, t.shown[0].data, t.shown[0].len);
			assert_done(p, source_update(s, &changed, &p->e));
			assert_false(changed);
		}
	}
	assert_done(p, source_update(s, &changed, &p->e));
	assert_done(p, source_update(out, &changed, &p->e));
	check_bytes(out, t.shown[1].data, t.shown[1].len);
	case_end(p, t.st, t.attempt, "the end", VERDICT_NONE);
	buf_adds(&t.shown[0], "the end");
	assert_done(p, source_update(s, &changed, &p->e));
	assert_true(changed);
	assert_true(source_is_whole(s));
	check_bytes(s, t.shown[0].data, t.shown[0].len);
	assert_done(p, source_update(s, &changed, &p->e));
	assert_false(changed);
	source_close(s);
	source_close(out);
	source_record_close(r);
	tape_done(&t);
}

static void random_streams(void **state)
{
	struct place *p = *state;
	static char bytes[3000000];
	struct source_record *r = record_of(p);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = draw(40) ? (char)('a' + draw(26)) : '\n';
	for (int round = 0; round < 6; round++) {
		struct tape t = { .p = p, .st = case_open(p, STORE_WRITE) };
		int rows = 1 + (int)draw(round % 3 ? 300 : 1500), lean = (int)draw(100);

		t.attempt = case_queue(p, t.st, 0);
		for (int i = 0; i < rows; i++) {
			int stream = (int)draw(100) < lean ? STREAM_OUT : STREAM_ERR;
			size_t n = draw(30) ? draw(100) : draw(20) ? draw(20000) : draw(1200000);
			if (draw(60) == 0)
				put(&t, stream, "", 0, 1 + draw(1000000));
			else
				put(&t, stream, bytes + draw((uint32_t)(sizeof(bytes) - n)), n, 0);
		}
		for (int view = 0; view < 3; view++) {
			struct source *s = stream_of(p, r, t.attempt, view);
			struct source_origin o;
			check_bytes(s, t.shown[view].data ? t.shown[view].data : "", t.shown[view].len);
			for (int64_t at = 0; at < source_size(s); at = o.end) { /* origins follow each other */
				assert_true(source_origin(s, at, &o));
				assert_int_equal(o.start, at);
				assert_true(o.end > o.start);
				assert_true(view == 0 || o.stream == view);
				assert_int_equal(source_find(s, o.stream, o.position), at);
				if (!o.gap)
					assert_int_equal(source_find(s, o.stream, o.position + (o.end - o.start) - 1), o.end - 1);
			}
			source_close(s);
		}
		tape_done(&t);
	}
	source_record_close(r);
}

/* A check names the bytes of the attempt that it repeats. */
static void twins_are_read_where_they_are(void **state)
{
	struct place *p = *state;
	static char text[40000];
	struct tape t = { .p = p, .st = case_open(p, STORE_WRITE) }, check;
	struct source_record *r;
	struct source *s;

	memset(text, 't', sizeof(text));
	t.attempt = case_queue(p, t.st, 0);
	put(&t, STREAM_OUT, text, sizeof(text), 0);
	check = (struct tape){ .p = p, .st = t.st, .attempt = case_queue_as(p, t.st, 1, t.attempt) };
	put(&check, STREAM_OUT, text, sizeof(text), 0);
	puts_text(&check, STREAM_OUT, "and more");
	assert_int_equal(case_number(p, "SELECT count(*) FROM stream_chunk WHERE twin IS NOT NULL"), 1);
	r = record_of(p);
	s = stream_of(p, r, check.attempt, 0);
	check_bytes(s, check.shown[0].data, check.shown[0].len);
	source_close(s);
	source_record_close(r);
	check.st = NULL;
	tape_done(&check);
	tape_done(&t);
}

/* Very many rows come by and by. */
static void many_rows_come_in_slices(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t attempt = case_queue(p, st, 0), updates = 0;
	struct source_record *r;
	struct source *s;
	char sql[500];
	bool changed;

	snprintf(sql, sizeof(sql),
	         "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 69999) INSERT INTO stream_chunk"
	         " (id, stream, grp, offset_us, position, gap, bytes, twin) SELECT (%lld << 32) + i, 1 + (i < 50000 AND i > 10), i, i,"
	         " CASE WHEN i <= 10 THEN i * 2 WHEN i < 50000 THEN (i - 11) * 2 ELSE (i - 49989) * 2 END, 0, x'610a', NULL FROM n",
	         (long long)attempt);
	case_sql(p, sql);
	r = record_of(p);
	s = stream_of(p, r, attempt, STREAM_OUT);
	assert_int_equal(source_size(s), 22);
	assert_true(source_is_behind(s));
	while (source_is_behind(s)) {
		assert_done(p, source_update(s, &changed, &p->e));
		assert_true(++updates < 10);
	}
	assert_in_range(updates, 3, 5);
	assert_int_equal(source_size(s), 2 * (11 + 20000));
	assert_int_equal(source_find(s, STREAM_OUT, 23), 23);
	assert_int_equal(source_find(s, STREAM_OUT, 30000), 30000);
	for (int64_t pos = 0; pos < source_size(s); pos += 1001) {
		char c;
		assert_int_equal(source_read(s, pos, &c, 1), 1);
		assert_int_equal(c, pos % 2 ? '\n' : 'a');
	}
	source_close(s);
	source_record_close(r);
	store_close(st);
}

/* ---- bytes that are not what they should be -------------------------------------------------------------- */

static void damage_is_told(void **state)
{
	struct place *p = *state;
	struct tape t = { .p = p, .st = case_open(p, STORE_WRITE) };
	struct source_spec spec = { .kind = SOURCE_BLOB };
	struct uuid owner = uuid_new();
	struct source_record *r;
	struct source *s, *blob;
	char c[100];

	t.attempt = case_queue(p, t.st, 0);
	puts_text(&t, STREAM_OUT, "one\n");
	puts_text(&t, STREAM_OUT, "two\n");
	assert_done(p, store_blob_put(t.st, &owner, "content", 7, &spec.sha256, &p->e));
	r = record_of(p);
	s = stream_of(p, r, t.attempt, 0);
	blob = opened(p, r, &spec);
	assert_int_equal(source_read(s, 0, c, sizeof(c)), 8);
	case_sql(p, "INSERT INTO prune_permit (id) VALUES (1)");
	case_sql(p, "UPDATE stream_chunk SET bytes = x'61' WHERE id & 1 = 1");
	case_sql(p, "UPDATE blob_chunk SET bytes = x'61'");
	assert_int_equal(source_read(s, 0, c, 4), 4);
	assert_int_equal(source_read(s, 4, c, 4), -1);
	assert_int_equal(source_error(s)->code, ERR_CORRUPT);
	assert_int_equal(source_read(blob, 0, c, 7), -1);
	assert_int_equal(source_error(blob)->code, ERR_CORRUPT);
	case_sql(p, "DELETE FROM stream_chunk");
	case_sql(p, "DELETE FROM blob_chunk");
	assert_int_equal(source_read(s, 4, c, 4), -1);
	assert_int_equal(source_error(s)->code, ERR_NOTFOUND);
	assert_int_equal(source_read(blob, 0, c, 7), -1);
	assert_int_equal(source_error(blob)->code, ERR_NOTFOUND);
	source_close(blob);
	source_close(s);
	/* counts that no stream has */
	case_sql(p, "INSERT INTO stream_chunk (id, stream, grp, offset_us, position, gap, bytes) VALUES"
	            " (4294967296, 1, -5, -5, 9223372036854775807, 9223372036854775807, x''), (4294967297, 2, 0, 0, -7, -7, x'62'),"
	            " (4294967298, 1, 0, 0, 0, 9223372036854775807, x'63'), (8589934591, 1, 0, 0, 5, 0, 'text')");
	s = stream_of(p, r, t.attempt, 0);
	assert_true(source_size(s) > 0);
	assert_true(source_read(s, 0, c, sizeof(c)) > 0);
	source_find(s, STREAM_OUT, INT64_MAX);
	source_close(s);
	source_record_close(r);
	tape_done(&t);
}

static void evidence_is_whole(void **state)
{
	struct place *p = *state;
	struct tape t = { .p = p, .st = case_open(p, STORE_WRITE) };
	struct source_record *r;
	struct source *s;

	t.attempt = case_queue(p, t.st, 0);
	puts_text(&t, STREAM_OUT, "was running when this copy was made");
	r = source_record_open(p->db, true, &p->e);
	if (!r)
		fail_msg("%s", p->e.msg);
	s = stream_of(p, r, t.attempt, 0);
	check_bytes(s, t.shown[0].data, t.shown[0].len);
	assert_true(source_is_whole(s));
	source_close(s);
	source_record_close(r);
	assert_null(source_record_open("/nonexistent/record.db", false, &p->e));
	tape_done(&t);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(texts_need_no_record),
		CASE(code_and_contents),
		CASE(streams_apart_and_together),
		CASE(streams_grow_and_end),
		CASE(random_streams),
		CASE(twins_are_read_where_they_are),
		CASE(many_rows_come_in_slices),
		CASE(damage_is_told),
		CASE(evidence_is_whole),
	};

	return cmocka_run_group_tests_name("model/source", tests, NULL, NULL);
}
