/* What is known by a hash of its own: sets of files, environments, policies, contents. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "ledger.h"
#include "name.h"

/* ---- sets ---------------------------------------------------------------------------------------------- */

/* Is the text what the bytes beside it make, and are there bytes where there have to be? */
static bool names_are_true(struct verify *v, int64_t id, bool *yes, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*yes = true;
	if (!sql_start(v->st, SQL_VERIFY_NAMES, &q, e))
		return false;
	bind_int(&q, id);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		const char *text = col_text(&q);
		bool plain = sqlite3_column_type(q.s, 1) == SQLITE_NULL;
		char *escaped = NULL;

		if (!plain) {
			const char *bytes = col_text(&q);

			*yes = *yes && bytes && strlen(bytes) == (size_t)sqlite3_column_bytes(q.s, 1) && !name_is_plain(bytes);
			escaped = name_escape_dup(bytes ? bytes : "");
		}
		*yes = *yes && text && (plain ? name_is_plain(text) : strcmp(text, escaped) == 0);
		free(escaped);
	}
	return answer == SQL_DONE;
}

static void set_fault(struct verify *v, int64_t id, const char *what)
{
	char name[VERIFY_NAME];
	struct sql q;

	if (sql_start(v->st, SQL_VERIFY_MANIFEST_USER, &q, NULL)) {
		bind_int(&q, id);
		if (sql_row(&q, NULL) == SQL_ROW) {
			int64_t attempt = col_int(&q);

			verify_fault(v, "%s: its %s: %s", verify_name(v, attempt, name), col_text(&q), what);
			sql_end(&q);
			return;
		}
	}
	verify_fault(v, "set of files %lld: %s", (long long)id, what);
}

static void compare_set(struct verify *v, const struct manifest *m, int64_t files, int64_t bytes)
{
	struct digest have = store_manifest_hash(m->entries, m->n);
	int64_t sum = 0;

	for (size_t i = 0; i < m->n; i++)
		sum += MAX(m->entries[i].size, (int64_t)0);
	if (!digest_equal(&have, &m->sha256))
		set_fault(v, m->id, "the list is not what was recorded");
	if (files != (int64_t)m->n || bytes != sum)
		set_fault(v, m->id, "number or sum of sizes of the files is not what was recorded");
}

static bool check_set(struct verify *v, struct sql *q, struct err *e)
{
	int64_t id = col_int(q), files = col_int(q), bytes = col_int(q);
	struct err fault = { 0 };
	struct manifest m;
	bool names;

	if (store_manifest_get(v->st, id, &m, &fault)) {
		compare_set(v, &m, files, bytes);
		store_manifest_free(&m);
	} else if (fault.code == ERR_CORRUPT || fault.code == ERR_NOTFOUND) {
		set_fault(v, id, "the list cannot be put together");
	} else {
		if (e)
			*e = fault;
		return false;
	}
	if (!names_are_true(v, id, &names, e))
		return false;
	if (!names)
		set_fault(v, id, "a name is not what its bytes are");
	return verify_step(v, e);
}

bool verify_sets(struct verify *v, int64_t from, int64_t to, struct err *e)
{
	return verify_each(v, SQL_VERIFY_MANIFESTS, from, to, check_set, e);
}

/* ---- rows known by their own hash ---------------------------------------------------------------------- */

/* All columns but the last two, which are hash and id. */
static bool hashed_row_is_true(struct sql *q, int64_t *id)
{
	int n = sqlite3_column_count(q->s) - 2;
	struct digest have, want;
	struct hasher h;

	hash_begin(&h);
	for (int i = 0; i < n; i++)
		ledger_hash_column(&h, q->s, i);
	have = hash_end(&h);
	q->i = n;
	want = col_digest(q);
	*id = col_int(q);
	return digest_equal(&have, &want);
}

static bool check_environment(struct verify *v, struct sql *q, struct err *e)
{
	int64_t id;

	if (!hashed_row_is_true(q, &id))
		verify_fault(v, "environment %lld is not what was recorded", (long long)id);
	return verify_step(v, e);
}

static bool check_policy(struct verify *v, struct sql *q, struct err *e)
{
	int64_t id;

	if (!hashed_row_is_true(q, &id))
		verify_fault(v, "policy %lld is not what was recorded", (long long)id);
	return verify_step(v, e);
}

bool verify_shared(struct verify *v, struct err *e)
{
	return verify_each(v, SQL_VERIFY_ENVIRONMENTS, INT64_MIN, INT64_MAX, check_environment, e) &&
	       verify_each(v, SQL_VERIFY_POLICIES, INT64_MIN, INT64_MAX, check_policy, e);
}

/* ---- contents ---------------------------------------------------------------------------------------------- */

/* Hash and size of all chunks under an id; in_order: their places are 0, 1, 2 …, and they are blobs. */
static bool read_chunks(struct verify *v, int64_t id, struct digest *hash, int64_t *size, bool *in_order, struct err *e)
{
	int64_t next = id << 24;
	enum sql_answer answer;
	struct hasher h;
	struct sql q;

	*size = 0;
	*in_order = true;
	hash_begin(&h);
	if (!sql_start(v->st, SQL_VERIFY_BLOB_CHUNKS, &q, e))
		return false;
	bind_int(&q, id);
	while ((answer = sql_row(&q, e)) == SQL_ROW && sqlite3_column_int64(q.s, 0) >> 24 == id) {
		const void *p;
		size_t n;

		*in_order = *in_order && sqlite3_column_type(q.s, 1) == SQLITE_BLOB && sqlite3_column_int64(q.s, 0) == next++;
		q.i = 1;
		p = col_blob(&q, &n);
		hash_add(&h, p ? p : "", n);
		*size += (int64_t)n;
	}
	if (answer == SQL_ROW && sqlite3_column_int(q.s, 2) == 0)
		verify_fault(v, "content %lld: bytes that nothing covers", (long long)(sqlite3_column_int64(q.s, 0) >> 24));
	sql_end(&q);
	*hash = hash_end(&h);
	return answer != SQL_FAILED;
}

static bool check_blob(struct verify *v, struct sql *q, struct err *e)
{
	int64_t id = col_int(q), size, have_size;
	struct digest want = col_digest(q), have;
	char hex[DIGEST_HEX];
	bool in_order;

	size = col_int(q);
	if (!read_chunks(v, id, &have, &have_size, &in_order, e))
		return false;
	digest_hex(&want, hex);
	if (!digest_equal(&have, &want) || !in_order)
		verify_fault(v, "content %.12s: its bytes are not those that were recorded", hex);
	else if (size != have_size)
		verify_fault(v, "content %.12s: its size is not what was recorded", hex);
	v->found.blobs++;
	v->found.bytes += have_size;
	return verify_step(v, e);
}

bool verify_blobs(struct verify *v, int64_t from, int64_t to, struct err *e)
{
	return verify_each(v, SQL_VERIFY_BLOBS, from, to, check_blob, e);
}
