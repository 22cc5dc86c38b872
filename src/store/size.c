/* What takes the space of a record. Sizes of contents are columns, so no content is read. */
#include "store/keep.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "db.h"

#define KEPT "SELECT coalesce(sum(size), 0) FROM blob b WHERE "
#define KEPT_N "SELECT count(*) FROM blob b WHERE "
#define IS_CODE "id IN (SELECT code FROM attempt)"
#define IN_SETS(column) "sha256 IN (SELECT m.sha256 FROM attempt_end e JOIN manifest_entry m ON m.manifest = e." column " WHERE m.sha256 IS NOT NULL)"
#define IS_ARTIFACT IN_SETS("artifacts") " AND NOT " IS_CODE
#define IS_INPUT IN_SETS("inputs") " AND NOT " IN_SETS("artifacts") " AND NOT " IS_CODE
#define IS_ATTACHED "sha256 IN (SELECT sha256 FROM attachment) AND NOT " IN_SETS("inputs") " AND NOT " IN_SETS("artifacts") \
	" AND NOT " IS_CODE

static bool sum_up(struct store *st, struct record_sizes *s, struct err *e)
{
	int64_t page, pages, unused;
	const struct { const char *sql; int64_t *out; } sums[] = {
		{ "PRAGMA page_size", &page },
		{ "PRAGMA page_count", &pages },
		{ "PRAGMA freelist_count", &unused },
		{ KEPT IS_CODE, &s->code },
		{ KEPT_N IS_CODE, &s->code_n },
		{ KEPT IS_INPUT, &s->inputs },
		{ KEPT_N IS_INPUT, &s->inputs_n },
		{ KEPT IS_ARTIFACT, &s->artifacts },
		{ KEPT_N IS_ARTIFACT, &s->artifacts_n },
		{ KEPT IS_ATTACHED, &s->attached },
		{ KEPT_N IS_ATTACHED, &s->attached_n },
		{ "SELECT coalesce(sum(length(bytes)), 0) FROM stream_chunk", &s->streams },
		{ "SELECT count(*) FROM stream_chunk", &s->streams_n },
		{ "SELECT coalesce(sum(size), 0) FROM tombstone", &s->pruned },
	};

	for (size_t i = 0; i < ARRAY_LEN(sums); i++)
		if (!db_number(st, sums[i].sql, sums[i].out, e))
			return false;
	s->file = page * pages;
	s->unused = page * unused;
	return true;
}

bool store_sizes(struct store *st, struct record_sizes *out, struct err *e)
{
	bool begun = db_read_begin(st);
	struct stat sb;

	*out = (struct record_sizes){ 0 };
	bool ok = sum_up(st, out, e);
	db_read_end(st, begun);
	char *wal = xasprintf("%s-wal", st->path);
	if (stat(wal, &sb) == 0)
		out->wal = sb.st_size;
	free(wal);
	return ok;
}

bool store_largest(struct store *st, size_t n, bool (*fn)(void *ctx, const struct large_content *l), void *ctx, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_LARGEST, &q, e))
		return false;
	bind_int(&q, (int64_t)MIN(n, (size_t)INT64_MAX));
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		struct large_content l = { .bytes = col_int(&q) };

		l.attempt = col_int(&q);
		l.path = col_name(&q);
		l.input = col_int(&q) != 0;
		if (!fn(ctx, &l))
			break;
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}
