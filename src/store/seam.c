/* The record as it is without its WAL, against the record with it. */
#include "seam.h"

#include <stdlib.h>
#include <string.h>

#include "evidence.h"

#define TRIES 8
#define NAP_US 2000

bool seam_refuse(const struct store *st, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "%s: the file %s-wal beside it does not continue it: it is of another record or database, or of another "
	               "time of this one; nothing was changed; move it away (and %s-shm) and try again", st->path, st->path, st->path);
}

static bool has_wal(const struct store *st)
{
	return evidence_side_has(st->path, "-wal");
}

/* The file without its WAL; db_disconnect ends it, whatever comes of this. */
static bool connect_alone(const struct store *st, struct store *alone)
{
	char *uri = evidence_uri_dup(st->path);

	*alone = (struct store){ .path = st->path, .mode = STORE_EVIDENCE };
	bool ok = db_connect(alone, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
	free(uri);
	return ok;
}

/* Its newest entry; false: there is none to be had, as in a file that is damaged. */
static bool read_alone(const struct store *st, struct ledger_head *head)
{
	struct store alone;
	bool ok = connect_alone(st, &alone) && store_head(&alone, head, NULL) && head->seq > 0;

	db_disconnect(&alone);
	return ok;
}

/* Who was killed while it moved the WAL into the file leaves pages of two times in it, and one that was given to
 * another table may be taken for one of the ledger. The WAL mends that: it still has all of them. */
static bool is_torn(const struct store *st)
{
	struct store alone;
	char answer[16] = "";
	bool whole = connect_alone(st, &alone) && db_word(&alone, "PRAGMA quick_check(ledger)", answer, sizeof(answer), NULL) &&
	             strcmp(answer, "ok") == 0;

	db_disconnect(&alone);
	return !whole;
}

bool seam_fits(struct store *st, struct err *e)
{
	if (!has_wal(st))
		return true;
	/* Whoever moves the WAL into the file meanwhile may show us two states of it at once. */
	for (int i = 0; i < TRIES; i++) {
		struct ledger_head alone, both;
		struct err fault = { 0 };

		if (!read_alone(st, &alone))
			return true;
		if (store_head_at(st, alone.seq, &both, &fault) && both.seq == alone.seq && digest_equal(&both.entry, &alone.entry))
			return true;
		if (fault.code != ERR_NONE && fault.code != ERR_CORRUPT) {
			if (e)
				*e = fault;
			return false;
		}
		clock_pause(NAP_US);
	}
	return is_torn(st) || seam_refuse(st, e);
}

bool seam_explain(const struct store *st, struct err *e)
{
	return e && e->code == ERR_CORRUPT && has_wal(st) && !is_torn(st) && seam_refuse(st, e);
}

bool store_left_nothing(const char *path, struct err *e)
{
	const char *left = evidence_side_has(path, "-wal") ? "-wal" : evidence_side_has(path, "-journal") ? "-journal" : NULL;

	return !left || err_set(e, ERR_EXISTS, "%s%s lies there without the record that it belongs to: it may hold the newest of that one, and "
	                        "would be taken for part of the new one; move it away and try again", path, left);
}
