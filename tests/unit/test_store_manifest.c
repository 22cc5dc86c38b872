/* Sets of files: stored once, as differences where that is smaller, names as bytes. */
#include "store_case.h"

#include "../../src/store/manifest.h"
#include "../../src/store/name.h"

struct set {
	struct entry *v;
	char (*paths)[64];
	size_t n;
};

static struct set set_new(size_t n)
{
	struct set s = { .v = xcalloc(n, sizeof(*s.v)), .paths = xcalloc(n, sizeof(*s.paths)), .n = n };

	for (size_t i = 0; i < n; i++) {
		snprintf(s.paths[i], sizeof(s.paths[i]), "data/%02zu/file-%06zu.csv", i / 1000, i);
		s.v[i] = (struct entry){ .path = s.paths[i], .size = (int64_t)i, .mode = 0644, .mtime_us = 1700000000000000,
			                 .sha256 = hash_bytes(&i, sizeof(i)) };
	}
	return s;
}

static void set_free(struct set *s)
{
	free(s->v);
	free(s->paths);
}

static void assert_same_text(const char *a, const char *b)
{
	assert_true((a == NULL) == (b == NULL));
	if (a)
		assert_string_equal(a, b);
}

static void assert_stored(struct place *p, struct store *st, int64_t id, const struct entry *v, size_t n)
{
	struct digest want = store_manifest_hash(v, n);
	int64_t files, bytes, sum = 0, found;
	struct manifest m;

	assert_done(p, store_manifest_get(st, id, &m, &p->e));
	assert_int_equal(m.n, n);
	assert_int_equal(m.id, id);
	assert_true(digest_equal(&m.sha256, &want));
	for (size_t i = 0; i < n; i++) {
		const struct entry *f = &m.entries[i];

		assert_string_equal(f->path, v[i].path);
		assert_int_equal(f->what, v[i].what);
		assert_int_equal(f->size, v[i].size);
		assert_int_equal(f->mode, v[i].mode);
		assert_int_equal(f->mtime_us, v[i].mtime_us);
		assert_int_equal(f->from_attempt, v[i].from_attempt);
		assert_true(digest_equal(&f->sha256, &v[i].sha256));
		assert_same_text(f->note, v[i].note);
		assert_ptr_equal(manifest_find(&m, v[i].path), f);
		sum += MAX(v[i].size, (int64_t)0);
	}
	assert_null(manifest_find(&m, "no such"));
	store_manifest_free(&m);
	assert_done(p, store_manifest_count(st, id, &files, &bytes, &p->e));
	assert_int_equal(files, n);
	assert_int_equal(bytes, sum);
	assert_true(store_manifest_find(st, &want, &found));
	assert_int_equal(found, id);
}

static int64_t put(struct place *p, struct store *st, const struct entry *v, size_t n, int64_t base)
{
	int64_t id;

	assert_done(p, store_manifest_put(st, v, n, base, &id, &p->e));
	return id;
}

static void empty_and_equal_sets(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct entry one = { .path = "a", .size = -1, .what = INPUT_MISSING, .note = "symlink to /x\xff" };
	struct entry shown = one;
	int64_t none = put(p, st, NULL, 0, 0), id = put(p, st, &one, 1, 0);
	struct manifest m;

	assert_stored(p, st, none, NULL, 0);
	assert_int_equal(put(p, st, NULL, 0, 0), none);
	assert_int_equal(put(p, st, &one, 1, 0), id);
	shown.note = "symlink to /x\\xFF"; /* words are shown, not bytes */
	assert_stored(p, st, id, &shown, 1);
	assert_fails(p, ERR_NOTFOUND, "no set of files 99", store_manifest_get(st, 99, &m, &p->e));
	store_close(st);
}

/* Every member makes another set. */
static void hash_covers_every_member(void **state)
{
	struct entry base = { .path = "a", .size = 1, .mode = 0644, .mtime_us = 5, .sha256 = case_digest("x") };
	struct entry other[8];
	struct digest d = store_manifest_hash(&base, 1);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		other[i] = base;
	other[0].path = "b";
	other[1].size = -1;
	other[2].mode = 0755;
	other[3].mtime_us = 6;
	other[4].sha256 = (struct digest){ { 0 } };
	other[5].what = 1;
	other[6].from_attempt = 3;
	other[7].note = "";
	for (size_t i = 0; i < ARRAY_LEN(other); i++) {
		struct digest changed = store_manifest_hash(&other[i], 1);

		assert_false(digest_equal(&d, &changed));
	}
}

static int64_t rows_of(struct place *p, int64_t id)
{
	char sql[96];

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM manifest_entry WHERE manifest = %lld", (long long)id);
	return case_number(p, sql);
}

static void small_changes_are_stored_as_such(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct set s = set_new(1000), first = set_new(1000);
	int64_t base = put(p, st, s.v, s.n, 0), id;

	s.v[10].size = 7;
	s.v[999].note = "new";
	id = put(p, st, s.v + 1, s.n - 1, base); /* the first one is gone */
	assert_int_equal(rows_of(p, id), 3);
	assert_stored(p, st, id, s.v + 1, s.n - 1);
	assert_stored(p, st, base, first.v, first.n);
	store_close(st);
	set_free(&s);
	set_free(&first);
}

/* A chain of changes: each small, none deep, all of them whole when read. */
static void chains_stay_short(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct set s = set_new(400);
	int64_t id = put(p, st, s.v, s.n, 0);

	for (int i = 0; i < 30; i++) {
		s.v[i].size += 5000;
		id = put(p, st, s.v, s.n, id);
		assert_stored(p, st, id, s.v, s.n);
		assert_true(rows_of(p, id) <= 30);
	}
	assert_int_equal(case_number(p, "WITH RECURSIVE c (id, base, n) AS (SELECT id, base, 0 FROM manifest UNION ALL"
	                                " SELECT c.id, m.base, n + 1 FROM c JOIN manifest m ON m.id = c.base)"
	                                " SELECT max(n) FROM c"),
	                 8);
	store_close(st);
	set_free(&s);
}

static void large_changes_are_stored_whole(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct set s = set_new(100);
	int64_t base = put(p, st, s.v, s.n, 0), id;

	for (int i = 0; i < 50; i++)
		s.v[i].size = 77;
	id = put(p, st, s.v, s.n, base);
	assert_stored(p, st, id, s.v, s.n);
	assert_int_equal(rows_of(p, id), 100);
	store_close(st);
	set_free(&s);
}

static void looking_up_one_path(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct set s = set_new(200);
	int64_t base = put(p, st, s.v, s.n, 0), id;
	struct digest first = s.v[0].sha256, d, changed = case_digest("changed");

	s.v[5].sha256 = changed;
	id = put(p, st, s.v + 1, s.n - 1, base);
	assert_int_equal(rows_of(p, id), 2);
	assert_done(p, manifest_at(st, id, s.v[5].path, &d, &p->e)); /* own row */
	assert_true(digest_equal(&d, &changed));
	assert_done(p, manifest_at(st, id, s.v[6].path, &d, &p->e)); /* the base's */
	assert_true(digest_equal(&d, &s.v[6].sha256));
	assert_done(p, manifest_at(st, id, s.v[0].path, &d, &p->e)); /* taken away */
	assert_true(digest_is_zero(&d));
	assert_done(p, manifest_at(st, base, s.v[0].path, &d, &p->e));
	assert_true(digest_equal(&d, &first));
	assert_done(p, manifest_at(st, id, "none", &d, &p->e));
	assert_true(digest_is_zero(&d));
	store_close(st);
	set_free(&s);
}

/* ---- names ---------------------------------------------------------------------------------------- */

static const char *const odd_names[] = { /* sorted as bytes */
	"\t", "\n", " ", "-rf", "\\", "\\\\xFF", "\\xFF", "\\xff", "\\xzz", "a\nb", "a\001b", "caf\xc3\xa9", "caf\xe9",
	"cafe\xcc\x81", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xef\xbf\xbd", "\xf4\x90\x80\x80", "\xff", "\xff\\",
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void names_are_bytes(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct entry v[ARRAY_LEN(odd_names)];
	struct digest d;
	int64_t id;

	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = (struct entry){ .path = odd_names[i], .size = (int64_t)i, .sha256 = hash_bytes(&i, sizeof(i)) };
	qsort(v, ARRAY_LEN(v), sizeof(*v), by_bytes);
	id = put(p, st, v, ARRAY_LEN(v), 0);
	assert_stored(p, st, id, v, ARRAY_LEN(v));
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		assert_done(p, manifest_at(st, id, v[i].path, &d, &p->e));
		assert_true(digest_equal(&d, &v[i].sha256));
	}
	/* What is stored as itself, and what not. */
	assert_int_equal(case_number(p, "SELECT count(*) FROM manifest_entry WHERE path = 'café' AND path_bytes IS NULL"), 1);
	assert_int_equal(case_number(p, "SELECT count(*) FROM manifest_entry WHERE path = 'caf\\xE9'"
	                                " AND path_bytes = x'636166e9'"), 1);
	store_close(st);
}

static void texts_of_names_never_meet(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(odd_names); i++)
		for (size_t k = 0; k < i; k++) {
			char *a = name_is_plain(odd_names[i]) ? xstrdup(odd_names[i]) : name_escape_dup(odd_names[i]);
			char *b = name_is_plain(odd_names[k]) ? xstrdup(odd_names[k]) : name_escape_dup(odd_names[k]);

			assert_string_not_equal(a, b);
			assert_true(name_is_utf8(a));
			free(a);
			free(b);
		}
}

static void utf8_is_as_rfc_3629_has_it(void **state)
{
	static const struct { const char *s; bool yes; } cases[] = {
		{ "", true }, { "a", true }, { "\xc2\x80", true }, { "\xc1\xbf", false }, { "\x80", false },
		{ "\xe0\xa0\x80", true }, { "\xe0\x9f\xbf", false }, { "\xed\x9f\xbf", true }, { "\xed\xa0\x80", false },
		{ "\xee\x80\x80", true }, { "\xf0\x90\x80\x80", true }, { "\xf0\x8f\xbf\xbf", false },
		{ "\xf4\x8f\xbf\xbf", true }, { "\xf4\x90\x80\x80", false }, { "\xf5\x80\x80\x80", false }, { "\xc3", false },
		{ "\xe2\x82", false }, { "\xf0\x9f\x98", false }, { "\342\202a", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(name_is_utf8(cases[i].s), cases[i].yes);
}

/* A foreign file: several rows of the same bytes in a difference to a smaller set. */
static void rows_of_one_name_are_one(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct manifest m;

	case_sql(p, "INSERT INTO manifest VALUES (1, zeroblob(32), NULL, 1, 1), (2, randomblob(32), 1, 1, 1);"
	            "INSERT INTO manifest_entry VALUES (1, 'x', NULL, 0, 1, NULL, 0, 0, NULL, NULL),"
	            " (2, 'x', NULL, 0, 2, NULL, 0, 0, NULL, NULL), (2, 'y', x'78', 0, 2, NULL, 0, 0, NULL, NULL),"
	            " (2, 'z', x'78', -1, 2, NULL, 0, 0, NULL, NULL)");
	assert_done(p, store_manifest_get(st, 2, &m, &p->e));
	assert_true(m.n <= 1);
	store_manifest_free(&m);
	store_close(st);
}

static void rings_are_refused(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct manifest m;
	struct digest d;

	case_sql(p, "INSERT INTO manifest VALUES (1, zeroblob(32), 2, 1, 1), (2, randomblob(32), 1, 1, 1)");
	assert_fails(p, ERR_CORRUPT, "too many others", store_manifest_get(st, 2, &m, &p->e));
	assert_fails(p, ERR_CORRUPT, "too many others", manifest_at(st, 1, "x", &d, &p->e));
	store_close(st);
}

/* ---- size ------------------------------------------------------------------------------------------- */

static void fifty_thousand_entries(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct set s = set_new(50000);
	int64_t base = put(p, st, s.v, s.n, 0), id, began;
	struct manifest m;

	s.v[25000].size++;
	id = put(p, st, s.v, s.n, base);
	assert_int_equal(rows_of(p, id), 1);
	began = clock_mono_us();
	assert_done(p, store_manifest_get(st, id, &m, &p->e));
	print_message("50,000 entries read in %.1f ms\n", (double)(clock_mono_us() - began) / 1000);
	assert_true(clock_mono_us() - began < 1000000 * 3); /* hang guard */
	assert_int_equal(m.n, 50000);
	store_manifest_free(&m);
	store_close(st);
	set_free(&s);
}

#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RECORD(empty_and_equal_sets),
		cmocka_unit_test(hash_covers_every_member),
		WITH_RECORD(small_changes_are_stored_as_such),
		WITH_RECORD(chains_stay_short),
		WITH_RECORD(large_changes_are_stored_whole),
		WITH_RECORD(looking_up_one_path),
		WITH_RECORD(names_are_bytes),
		cmocka_unit_test(texts_of_names_never_meet),
		cmocka_unit_test(utf8_is_as_rfc_3629_has_it),
		WITH_RECORD(rows_of_one_name_are_one),
		WITH_RECORD(rings_are_refused),
		WITH_RECORD(fifty_thousand_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
