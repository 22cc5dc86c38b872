/* What takes the space of a record. Sizes of contents are columns, so no content is read. */
#include "store/keep.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "db.h"

/* Sets are shared, and those of all attempts are each looked at once. */
#define IN_SETS(column) "sha256 IN (SELECT m.sha256 FROM manifest_entry m WHERE m.manifest IN (SELECT " column " FROM attempt_end)" \
	" AND m.sha256 IS NOT NULL)"

/* Each content under the first that has it: one walk through the contents, and one through each of these. */
enum kept_as { KEPT_CODE, KEPT_ARTIFACT, KEPT_INPUT, KEPT_ATTACHED };
static const char contents[] =
	"SELECT CASE WHEN id IN (SELECT code FROM attempt) THEN 0 WHEN " IN_SETS("artifacts") " THEN 1 WHEN " IN_SETS("inputs")
	" THEN 2 WHEN sha256 IN (SELECT sha256 FROM attachment) THEN 3 ELSE 4 END AS kept_as, sum(size), count(*)"
	" FROM blob GROUP BY kept_as";
static const char streams[] = "SELECT 0, coalesce(sum(length(bytes)), 0), count(*) FROM stream_chunk";

/* Bytes and number into the places of the row's first column. */
struct size_place {
	int64_t *bytes, *n;
};

static bool add_up(struct store *st, const char *sql, const struct size_place *places, size_t n, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(st->db, sql, -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		int64_t i = sqlite3_column_int64(s, 0);

		rc = SQLITE_OK;
		if (i >= 0 && i < (int64_t)n) {
			*places[i].bytes = sqlite3_column_int64(s, 1);
			*places[i].n = sqlite3_column_int64(s, 2);
		}
	}
	sqlite3_finalize(s);
	return rc == SQLITE_DONE || db_fail(st, rc, "cannot add up the sizes", e);
}

static bool sum_up(struct store *st, struct record_sizes *s, struct err *e)
{
	const struct size_place kept[] = {
		[KEPT_CODE] = { &s->code, &s->code_n },
		[KEPT_ARTIFACT] = { &s->artifacts, &s->artifacts_n },
		[KEPT_INPUT] = { &s->inputs, &s->inputs_n },
		[KEPT_ATTACHED] = { &s->attached, &s->attached_n },
	};
	const struct size_place pieces = { &s->streams, &s->streams_n };
	int64_t page, pages, unused;

	if (!db_number(st, "PRAGMA page_size", &page, e) || !db_number(st, "PRAGMA page_count", &pages, e) ||
	    !db_number(st, "PRAGMA freelist_count", &unused, e) ||
	    !db_number(st, "SELECT coalesce(sum(size), 0) FROM tombstone", &s->pruned, e) ||
	    !add_up(st, contents, kept, ARRAY_LEN(kept), e) || !add_up(st, streams, &pieces, 1, e))
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
