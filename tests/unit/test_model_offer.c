/*
 * offer*.c, index.c, ingest.c, claims.c: what attempts see. Every offer that is made here is checked
 * against its own promise: each file's copy has the hash, size, time and mode that its entry says.
 */
#include "model_case.h"

#include "model/claims.h"
#include "model/index.h"
#include "model/offer.h"
#include "store/keep.h"
#include "store/review.h"

#include <dirent.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* ---- offers ---- */

static void check_copies(const struct offer *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct entry *f = &o->entries[i];
		struct digest got;
		uint64_t size;
		struct stat st;
		struct err e = { 0 };
		int fd = offer_open(o, f->path, &e);
		if (fd < 0)
			fail_msg("%s", e.msg);
		OK(hash_fd(fd, f->path, &got, &size, err));
		assert_int_equal(fstat(fd, &st), 0);
		if (!o->absent || !o->absent[i])
			assert_true(digest_equal(&got, &f->sha256));
		assert_int_equal(size, f->size);
		assert_int_equal(st.st_mtim.tv_sec * 1000000 + st.st_mtim.tv_nsec / 1000, f->mtime_us);
		assert_int_equal(st.st_mode, S_IFREG | (f->mode == 0755 ? 0700 : 0600));
		assert_true(f->mode == 0755 || f->mode == 0644);
		close(fd);
		if (i > 0)
			assert_true(strcmp(o->entries[i - 1].path, f->path) < 0);
	}
	struct digest set = store_manifest_hash(o->entries, o->n);
	assert_true(digest_equal(&set, &o->sha256));
	for (size_t i = 0; i < o->layers.n; i++)
		assert_true(fs_exists(AT_FDCWD, o->layers.v[i]));
	assert_string_equal(o->folders.v[0], ".");
}

static struct offer offered(const char *code)
{
	struct offer o;

	OK(offer_present(ws, code, strlen(code), &o, err));
	check_copies(&o);
	return o;
}

/* Text of an offered file, "-" when there is none. Owned. */
static char *text_of(const struct offer *o, const char *path)
{
	struct buf b = { 0 };
	struct err e = { 0 };

	if (!offer_find(o, path, NULL)) {
		assert_int_equal(offer_open(o, path, &e), -1);
		assert_int_equal(e.code, ERR_NOTFOUND);
		return xstrdup("-");
	}
	int fd = offer_open(o, path, &e);
	OK(fs_read_fd(fd, path, 1 << 20, &b, err));
	close(fd);
	return buf_take(&b);
}

static void expect_text(const struct offer *o, const char *path, const char *want)
{
	char *got = text_of(o, path);

	assert_string_equal(got, want);
	free(got);
}

/* "path=text" of everything, and the remarks, as lines. */
static void expect_offer(const char *code, const char *want)
{
	struct offer o = offered(code);
	struct buf b = { 0 };

	for (size_t i = 0; i < o.n; i++) {
		char *text = text_of(&o, o.entries[i].path);
		buf_addf(&b, "%s=%s\n", o.entries[i].path, text);
		free(text);
	}
	for (size_t i = 0; i < o.remarks.n; i++)
		buf_addf(&b, "# %s\n", o.remarks.v[i]);
	assert_string_equal(b.data ? b.data : "", want);
	buf_free(&b);
	offer_free(&o);
}

/* ---- attempts, as a runner records them ---- */

struct made {
	const char *path, *text; /* an artifact */
};

/* A new step (or a new attempt of `step`) that is offered what is there and makes `made`. Its id. */
static int64_t attempt(int64_t step, const char *code, const struct made *made, size_t n)
{
	static const struct environment env = { .python = "/usr/bin/python3", .version = "3", .implementation = "CPython",
		                                .prefix = "/usr", .base_prefix = "/usr", .platform = "Linux", .locale = "C.UTF-8",
		                                .zone = "UTC", .packages = "" };
	static const struct policy policy = { .tier = TIER_A, .scratch = SCRATCH_TMPFS };
	static const struct step a_step = { .title = "t", .asker = { ASKER_PERSON, "jm", NULL } };
	struct store *st = workspace_store(ws, NULL);
	struct offer o = offered(code);
	struct entry artifacts[16] = { { 0 } };
	struct attempt a = { .uuid = uuid_new(), .step = step, .asker = { ASKER_PERSON, "jm", NULL }, .queued_us = clock_now_us(),
		             .script = "x.py", .box = "/w", .cwd = ".", .host = "h", .boot_id = "b" };
	struct queue_with with = { .step = &a_step, .environment = &env, .policy = &policy, .code = code, .code_len = strlen(code),
		                   .offered = o.entries, .offered_n = o.n, .offered_sha256 = &o.sha256, .offered_base = &o.base };

	OK(store_attempt_queue(st, &a, &with, err));
	for (size_t i = 0; i < n; i++) {
		const struct entry *was = offer_find(&o, made[i].path, NULL);
		artifacts[i] = (struct entry){ .path = made[i].path, .what = was ? ARTIFACT_CHANGED : ARTIFACT_CREATED, .mode = 0644,
			                       .size = (int64_t)strlen(made[i].text) };
		OK(store_blob_put(st, &a.uuid, made[i].text, strlen(made[i].text), &artifacts[i].sha256, err));
	}
	struct attempt_end end = { .attempt = a.id, .started_us = clock_now_us(), .ended_us = clock_now_us(), .wall_us = 1,
		                   .outcome = OUTCOME_OK, .detail = "", .inputs_complete = true };
	struct end_with ends = { .artifacts = artifacts, .artifacts_n = n };
	OK(store_attempt_end(st, &end, &ends, err));
	offer_free(&o);
	return a.id;
}

static int64_t makes(const char *path, const char *text)
{
	return attempt(0, "", &(struct made){ path, text }, 1);
}

static int64_t offered_to(int64_t id)
{
	struct attempt_full a;

	OK(store_attempt_get(workspace_store(ws, NULL), id, &a, err));
	int64_t manifest = a.attempt.offered;
	store_attempt_free(&a);
	return manifest;
}

static uint64_t index_inode(void)
{
	struct stat st;

	return fstatat(ws->home, "cache/index", &st, 0) == 0 ? st.st_ino : 0;
}

/* ---- the folder ---- */

static void an_empty_folder(void **state)
{
	(void)state;
	struct offer o = offered("");
	assert_int_equal(o.n, 0);
	assert_int_equal(o.layers.n, 0);
	assert_int_equal(o.folders.n, 1);
	offer_free(&o);
}

static void files_as_they_are(void **state)
{
	(void)state;
	put_old("a.csv", "one");
	put_old("sub/b.csv", "two");
	put("\xff\n'$", "odd name");
	put("run.sh", "x");
	assert_int_equal(fchmodat(ws->dir, "run.sh", 0755, 0), 0);
	link_to("sub/b.csv", "link.csv");
	put(".hidden", "no");
	struct offer o = offered("");
	assert_int_equal(o.n, 5);
	size_t at;
	const struct entry *f = offer_find(&o, "a.csv", &at);
	assert_non_null(f);
	assert_ptr_equal(f, &o.entries[at]);
	assert_int_equal(f->mtime_us, 1700000000123456);
	assert_int_equal(offer_find(&o, "run.sh", NULL)->mode, 0755);
	assert_int_equal(offer_find(&o, "link.csv", NULL)->mtime_us, 1700000000123456);
	expect_text(&o, "link.csv", "two");
	assert_int_equal(o.folders.n, 2);
	assert_string_equal(o.folders.v[1], "sub");
	assert_int_equal(o.layers.n, 1);
	offer_free(&o);
}

static void nothing_changed_nothing_done(void **state)
{
	struct store *st = workspace_store(ws, NULL);

	(void)state;
	put_old("a.csv", "one");
	put_old("sub/b.csv", "two");
	/* Folders that were just made are looked at again until the clock has moved on. */
	for (int i = 0; i < 100; i++) {
		struct offer o = offered("");
		uint64_t inode = index_inode();
		int64_t id;
		OK(store_manifest_put(st, o.entries, o.n, 0, &id, err));
		offer_free(&o);
		o = offered("");
		bool same = index_inode() == inode;
		assert_true(store_manifest_find(st, &o.sha256, &id));
		offer_free(&o);
		if (same)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
	fail_msg("the index is written at every run");
}

static void every_change_is_seen(void **state)
{
	(void)state;
	put_old("a.csv", "one");
	put_old("b.csv", "two");
	put_old("sub/c.csv", "three");
	expect_offer("", "a.csv=one\nb.csv=two\nsub/c.csv=three\n");
	put("a.csv", "ONE");
	expect_offer("", "a.csv=ONE\nb.csv=two\nsub/c.csv=three\n");
	/* Same size, same time: only ctime tells. */
	put_old("a.csv", "two");
	put_old("b.csv", "owt");
	expect_offer("", "a.csv=two\nb.csv=owt\nsub/c.csv=three\n");
	erase("b.csv");
	expect_offer("", "a.csv=two\nsub/c.csv=three\n");
	put("sub/d.csv", "four");
	expect_offer("", "a.csv=two\nsub/c.csv=three\nsub/d.csv=four\n");
	assert_int_equal(renameat(ws->dir, "sub", ws->dir, "other"), 0);
	expect_offer("", "a.csv=two\nother/c.csv=three\nother/d.csv=four\n");
	erase("a.csv");
	put("a.csv/x", "folder");
	expect_offer("", "a.csv/x=folder\nother/c.csv=three\nother/d.csv=four\n");
	put(".tickmarkignore", "other/\n");
	expect_offer("", "a.csv/x=folder\n");
	put(".tickmarkignore", "a.csv/\n");
	expect_offer("", "other/c.csv=three\nother/d.csv=four\n");
	erase(".tickmarkignore");
	put("other/pyvenv.cfg", "");
	expect_offer("", "a.csv/x=folder\n");
	erase("other/pyvenv.cfg");
	expect_offer("", "a.csv/x=folder\nother/c.csv=three\nother/d.csv=four\n");
	link_to("a.csv/x", "link");
	expect_offer("", "a.csv/x=folder\nlink=folder\nother/c.csv=three\nother/d.csv=four\n");
	put("a.csv/x", "changed through");
	expect_offer("", "a.csv/x=changed through\nlink=changed through\nother/c.csv=three\nother/d.csv=four\n");
	erase("other");
	erase("link");
	link_to("/etc/hostname", "link");
	expect_offer("", "a.csv/x=changed through\n");
	OK(setting_set(ws, "attached-size", "3", err));
	expect_offer("", "");
	OK(setting_set(ws, "attached-size", NULL, err));
	expect_offer("", "a.csv/x=changed through\n");
	assert_int_equal(fchmodat(ws->dir, "a.csv/x", 0755, 0), 0);
	struct offer o = offered("");
	assert_int_equal(o.entries[0].mode, 0755);
	offer_free(&o);
	assert_int_equal(renameat(ws->dir, "../home", ws->dir, "../house"), 0);
	/* The folder itself moves. */
	workspace_close(ws);
	char *moved = path_join(top, "moved");
	assert_int_equal(rename(root, moved), 0);
	OK(ws = workspace_open(moved, err));
	expect_offer("", "a.csv/x=changed through\n");
	free(moved);
}

static void rules_from_outside_count(void **state)
{
	(void)state;
	put("a.log", "1");
	put("sub/b.log", "2");
	expect_offer("", "a.log=1\nsub/b.log=2\n");
	OK(fs_mkdirs(ws->dir, "../.git/info", err));
	put("../.git/HEAD", "ref: x\n");
	put("../.gitignore", "a.log\n");
	expect_offer("", "sub/b.log=2\n");
	put("../.git/info/exclude", "b.log\n");
	expect_offer("", "");
	/* And a tree inside gets its own, kept outside of what is walked. */
	OK(fs_mkdirs(ws->dir, "sub/.git/info", err));
	put("sub/.git/HEAD", "ref: x\n");
	expect_offer("", "sub/b.log=2\n");
	put("sub/.git/info/exclude", "b.log\n");
	expect_offer("", "");
	put("sub/.git/info/exclude", "");
	expect_offer("", "sub/b.log=2\n");
}

/* Writing right after a look, as fast as it goes, with the times put back: git calls such entries racy. */
static void racing_writers_are_caught(void **state)
{
	char text[16];

	(void)state;
	for (int i = 0; i < 60; i++) {
		snprintf(text, sizeof(text), "%04d", i);
		put_old("a.csv", text);
		struct offer o;
		OK(offer_present(ws, "", 0, &o, err));
		expect_text(&o, "a.csv", text);
		offer_free(&o);
	}
}

static void too_many_is_said(void **state)
{
	(void)state;
	OK(setting_set(ws, "attached-files", "2", err));
	put_old("a", "1");
	put_old("b", "2");
	put_old("c", "3");
	for (int i = 0; i < 3; i++)
		expect_offer("", "a=1\nb=2\n# not attached: 1 over the limit of 2 files; tickmark config attached-files raises it\n");
}

static void unreadable_files_are_left_out(void **state)
{
	(void)state;
	if (geteuid() == 0)
		skip();
	put_old("a", "1");
	put_old("b", "2");
	assert_int_equal(fchmodat(ws->dir, "b", 0, 0), 0);
	expect_offer("", "a=1\n");
	assert_int_equal(fchmodat(ws->dir, "b", 0600, 0), 0);
	expect_offer("", "a=1\nb=2\n");
	assert_int_equal(fchmodat(ws->dir, "b", 0, 0), 0);
	expect_offer("", "a=1\n");
	put("sub/c", "3");
	assert_int_equal(fchmodat(ws->dir, "sub", 0, 0), 0);
	for (int i = 0; i < 3; i++) {
		expect_offer("", "a=1\n");
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL); /* past the tick of the clock */
	}
	assert_int_equal(fchmodat(ws->dir, "sub", 0700, 0), 0);
	expect_offer("", "a=1\nsub/c=3\n");
	assert_int_equal(fchmodat(ws->dir, "sub", 0600, 0), 0);
	expect_offer("", "a=1\n");
	assert_int_equal(fchmodat(ws->dir, "sub", 0700, 0), 0);
	expect_offer("", "a=1\nsub/c=3\n");
}

/* ---- the cache may go, and the index may rot ---- */

static void a_lost_cache_is_made_again(void **state)
{
	static const char *const parts[] = { "cache", "cache/index", "cache/layer", "cache/lock", "cache/tmp", "cache/set" };

	(void)state;
	put_old("a.csv", "one");
	put_old("sub/b.csv", "two");
	makes("made.csv", "three");
	for (size_t i = 0; i < 2 * ARRAY_LEN(parts); i++) {
		expect_offer("", "a.csv=one\nmade.csv=three\nsub/b.csv=two\n");
		OK(fs_remove_tree(ws->home, parts[i % ARRAY_LEN(parts)], err));
	}
	/* One layer of the stack. */
	put("sub/b.csv", "new");
	struct offer o = offered("");
	assert_true(o.layers.n > 0);
	char *first = xstrdup(o.layers.v[0]);
	offer_free(&o);
	OK(fs_remove_tree(AT_FDCWD, first, err));
	free(first);
	expect_offer("", "a.csv=one\nmade.csv=three\nsub/b.csv=new\n");
}

/* A copy of the folder with its record and its cache, by a tool that keeps neither times nor owners. */
static void a_copied_workspace_makes_its_own_layers(void **state)
{
	char command[3 * PATH_MAX], *copy = path_join(top, "copy");

	(void)state;
	put_old("a.csv", "one");
	put_old("sub/b.csv", "two");
	int64_t set = offered_to(makes("made.csv", "three"));
	struct offer o = offered("");
	offer_free(&o);
	OK(offer_recorded(ws, set, &o, err));
	offer_free(&o);
	workspace_close(ws);
	snprintf(command, sizeof(command), "cp -r '%s' '%s'", root, copy);
	assert_int_equal(system(command), 0);
	OK(ws = workspace_open(copy, err));
	o = offered("");
	assert_int_equal(o.n, 3);
	for (size_t i = 0; i < o.layers.n; i++)
		assert_true(strncmp(o.layers.v[i], copy, strlen(copy)) == 0);
	offer_free(&o);
	OK(offer_recorded(ws, set, &o, err));
	check_copies(&o);
	offer_free(&o);
	free(copy);
}

static void a_spoiled_layer_is_not_believed_again(void **state)
{
	(void)state;
	put_old("a.csv", "one");
	put_old("b.csv", "two");
	int64_t set = offered_to(attempt(0, "", NULL, 0));
	struct offer o = offered("");
	char *copy = path_join(o.layers.v[0], "a.csv");
	offer_free(&o);
	int fd = open(copy, O_WRONLY);
	assert_int_equal(pwrite(fd, "X", 1, 0), 1);
	close(fd);
	offer_distrust(ws);
	expect_offer("", "a.csv=one\nb.csv=two\n");
	OK(offer_recorded(ws, set, &o, err));
	check_copies(&o);
	offer_free(&o);
	free(copy);
}

/* As index.c sums: kept here in words of its own, so that rot behind a right sum can be made. */
static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ h >> 29;
}

static void fix_sum(struct buf *b)
{
	size_t from = 3 * 8;
	uint64_t lane[4] = { 1, 2, 3, 4 };

	for (size_t at = from; ; at += 32) {
		uint64_t v[4] = { 0 };
		size_t n = MIN(sizeof(v), b->len - MIN(at, b->len));
		memcpy(v, b->data + MIN(at, b->len), n);
		for (int i = 0; i < 4; i++)
			lane[i] = mix(lane[i], v[i]);
		if (n < sizeof(v))
			break;
	}
	uint64_t sum = mix(mix(lane[0], lane[1]), mix(lane[2], lane[3]));
	memcpy(b->data + 16, &sum, sizeof(sum));
}

static void rotten_indexes(void **state)
{
	struct buf good = { 0 }, bad = { 0 };
	struct index ix;

	(void)state;
	put_old("a.csv", "one");
	put_old("sub/b.csv", "two");
	makes("made.csv", "three");
	expect_offer("", "a.csv=one\nmade.csv=three\nsub/b.csv=two\n");
	OK(fs_read(ws->home, "cache/index", 1 << 20, &good, err));
	buf_add(&bad, good.data, good.len);
	fix_sum(&bad);
	assert_memory_equal(bad.data, good.data, good.len); /* the sum is the sum */

	srand(3);
	for (size_t i = 0; i < 4000; i++) {
		buf_clear(&bad);
		buf_add(&bad, good.data, good.len);
		size_t at = (size_t)rand() % (good.len / 4) * 4;
		static const uint32_t values[] = { 0, 1, UINT32_MAX, 0x7fffffff, 0x80000000, 0xffff, 250 };
		uint32_t v = rand() % 3 ? values[(size_t)rand() % ARRAY_LEN(values)] : (uint32_t)rand();
		if (i % 10 == 0)
			bad.len = (size_t)rand() % good.len;
		else if (memcmp(bad.data + at, &v, 4) == 0)
			continue;
		else
			memcpy(bad.data + at, &v, 4);
		bool summed = i % 2 && bad.len > 64;
		if (summed)
			fix_sum(&bad);
		OK(fs_write(ws->home, "cache/index", bad.data, bad.len, false, err));
		if (i % 100 == 0 && !summed) {
			expect_offer("", "a.csv=one\nmade.csv=three\nsub/b.csv=two\n");
		} else if (index_load(ws, &ix)) {
			assert_true(summed);
			free(index_entries(&ix));
			index_free(&ix);
		}
	}
	buf_free(&good);
	buf_free(&bad);
}

static void after_another_boot_layers_are_looked_at(void **state)
{
	struct buf b = { 0 };

	(void)state;
	if (!*clock_boot_id())
		skip();
	put_old("a.csv", "one");
	struct offer o = offered("");
	char *copy = path_join(o.layers.v[0], "a.csv");
	offer_free(&o);
	for (int lost = 0; lost < 2; lost++) {
		buf_clear(&b);
		OK(fs_read(ws->home, "cache/index", 1 << 20, &b, err));
		char *boot = memmem(b.data, b.len, clock_boot_id(), strlen(clock_boot_id()));
		assert_non_null(boot);
		*boot = *boot == '0' ? '1' : '0';
		fix_sum(&b);
		OK(fs_write(ws->home, "cache/index", b.data, b.len, false, err));
		if (lost)
			assert_int_equal(truncate(copy, 0), 0);
		o = offered(""); /* checks the copies */
		assert_int_equal(o.n, 1);
		offer_free(&o);
	}
	buf_free(&b);
	free(copy);
}

/* ---- artifacts ---- */

static void artifacts_are_offered(void **state)
{
	(void)state;
	put_old("a.csv", "one");
	int64_t id = makes("out/made.csv", "new");
	struct offer o = offered("");
	const struct entry *f = offer_find(&o, "out/made.csv", NULL);
	assert_non_null(f);
	assert_int_equal(f->from_attempt, id);
	struct attempt_full a;
	OK(store_attempt_get(ws->store, id, &a, err));
	assert_int_equal(f->mtime_us, a.end.ended_us);
	store_attempt_free(&a);
	assert_int_equal(o.remarks.n, 0);
	assert_int_equal(offer_find(&o, "a.csv", NULL)->from_attempt, 0);
	offer_free(&o);
	/* What lies elsewhere is not. */
	attempt(0, "", (struct made[]){ { "/tmp/x", "t" }, { "~/y", "h" } }, 2);
	expect_offer("", "a.csv=one\nout/made.csv=new\n");
}

static void the_latest_step_counts(void **state)
{
	(void)state;
	makes("x.csv", "of one");
	makes("x.csv", "of two");
	expect_offer("", "x.csv=of two\n");
	attempt(1, "", &(struct made){ "x.csv", "of one again" }, 1);
	expect_offer("", "x.csv=of two\n");
	attempt(2, "", &(struct made){ "x.csv", "of two again" }, 1);
	expect_offer("", "x.csv=of two again\n");
}

static void against_the_file_of_that_name(void **state)
{
	(void)state;
	put_old("x.csv", "mine");
	makes("x.csv", "made");
	expect_offer("", "x.csv=made\n# x.csv: from 1.1, not the folder\n");
	/* Touched, but the same bytes. */
	put("x.csv", "mine");
	expect_offer("", "x.csv=made\n# x.csv: from 1.1, not the folder\n");
	put("x.csv", "mine, better");
	expect_offer("", "x.csv=mine, better\n# x.csv: the folder's file, changed since 1.1 made its own\n");
	/* Saved into the folder: the same. */
	put("x.csv", "made");
	expect_offer("", "x.csv=made\n");
	put("x.csv", "mine");
	expect_offer("", "x.csv=made\n# x.csv: from 1.1, not the folder\n");
	erase("x.csv");
	expect_offer("", "x.csv=made\n");
	/* A file that was not there when it was made. */
	makes("y.csv", "made");
	put("y.csv", "mine");
	expect_offer("", "x.csv=made\ny.csv=mine\n# y.csv: the folder's file, changed since 2.1 made its own\n");
}

/* What an attempt replaced may have been an artifact itself. */
static void through_a_chain_of_artifacts(void **state)
{
	(void)state;
	put_old("x.csv", "mine");
	makes("x.csv", "one");
	makes("x.csv", "two");
	makes("x.csv", "three");
	expect_offer("", "x.csv=three\n# x.csv: from 3.1, not the folder\n");
	/* The one it was made of is there no more in that form. */
	attempt(1, "", &(struct made){ "x.csv", "one again" }, 1);
	attempt(2, "", &(struct made){ "x.csv", "two again" }, 1);
	expect_offer("", "x.csv=three\n# x.csv: from 3.1, not the folder\n");
	put("x.csv", "mine, better");
	expect_offer("", "x.csv=mine, better\n# x.csv: the folder's file, changed since 3.1 made its own\n");
	makes("x.csv", "four");
	expect_offer("", "x.csv=four\n# x.csv: from 4.1, not the folder\n");
	put("x.csv", "mine"); /* back to what it was long before */
	expect_offer("", "x.csv=mine\n# x.csv: the folder's file, changed since 4.1 made its own\n");
}

static void excluded_files_do_not_compete(void **state)
{
	(void)state;
	put(".tickmarkignore", "x.csv\n");
	put("x.csv", "ignored");
	expect_offer("", "");
	makes("x.csv", "made");
	expect_offer("", "x.csv=made\n");
}

static void a_file_cannot_be_a_folder(void **state)
{
	(void)state;
	makes("a", "file a");
	makes("b/x", "below b");
	makes("b/y", "below b too");
	expect_offer("", "a=file a\nb/x=below b\nb/y=below b too\n");
	put("a/x", "1");
	expect_offer("", "a/x=1\nb/x=below b\nb/y=below b too\n# a: not shown, as a/x is there\n");
	put("b", "2");
	put("b-c", "3"); /* sorts between */
	expect_offer("", "a/x=1\nb=2\nb-c=3\n# a: not shown, as a/x is there\n# b/x: not shown, as b is there\n"
	                 "# b/y: not shown, as b is there\n");
	/* Of two artifacts the newer. */
	erase("a");
	erase("b");
	erase("b-c");
	makes("b", "b is a file now");
	expect_offer("", "a=file a\nb=b is a file now\n# b/x: not shown, as b is there\n# b/y: not shown, as b is there\n");
}

static void mentioned_artifacts(void **state)
{
	(void)state;
	attempt(0, "", (struct made[]){ { "p.csv", "p of 1.1" }, { "sub/q.csv", "q" }, { "~/home.csv", "no" } }, 3);
	attempt(1, "", &(struct made){ "p.csv", "p of 1.2" }, 1);
	expect_offer("print(1)", "p.csv=p of 1.2\nsub/q.csv=q\n");
	expect_offer("open('artifacts/1.1/p.csv'); open(\"artifacts/1.2/p.csv\")",
	             "artifacts/1.1/p.csv=p of 1.1\nartifacts/1.1/sub/q.csv=q\nartifacts/1.2/p.csv=p of 1.2\np.csv=p of 1.2\n"
	             "sub/q.csv=q\n");
	/* The same again does nothing new; another script is not told. */
	expect_offer("artifacts/1.1/x", "artifacts/1.1/p.csv=p of 1.1\nartifacts/1.1/sub/q.csv=q\np.csv=p of 1.2\nsub/q.csv=q\n");
	static const char *const none[] = { "artifacts/9.9/x", "artifacts/1.1", "artifacts/1./x", "artifacts/.1/x", "artifacts/0.1/x",
		                            "artifacts/1.99999999999999999999/x", "artifacts/", "artifacts/1.0/x", "artifacts/-1.1/" };
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		expect_offer(none[i], "p.csv=p of 1.2\nsub/q.csv=q\n");
	/* A file of the folder stays what it is. */
	put("artifacts/1.1/p.csv", "mine");
	expect_offer("artifacts/1.1/p.csv", "artifacts/1.1/p.csv=mine\nartifacts/1.1/sub/q.csv=q\np.csv=p of 1.2\nsub/q.csv=q\n");
}

static void reject(int64_t id)
{
	struct mark m = { .attempt = id, .judgement = JUDGED_REJECTED, .reviewer = "mb", .how = "screen" };

	OK(store_mark_add(ws->store, &m, err));
}

/* Bytes that were pruned, or are damaged, are no reason that nothing can run any more. */
static void bytes_that_cannot_be_had(void **state)
{
	int64_t first = makes("p.csv", "v1"), second = attempt(1, "", &(struct made){ "p.csv", "v2" }, 1);
	struct prune_rule rule = { .parts = PRUNE_FILES, .attempts = &first, .attempts_n = 1 };
	struct prune_result r;
	struct offer o;
	sqlite3 *db;

	(void)state;
	reject(second);
	expect_offer("", "p.csv=v1\n");
	OK(store_prune(ws->store, &rule, true, NULL, NULL, &r, err));
	assert_int_equal(r.contents, 1);
	expect_offer("", "# p.csv: that of step 1 is not offered, as its bytes were pruned\n");
	expect_offer("artifacts/1.1/p.csv artifacts/1.2/p.csv",
	             "artifacts/1.2/p.csv=v2\n# p.csv: that of step 1 is not offered, as its bytes were pruned\n"
	             "# artifacts/1.1/p.csv: not offered, as its bytes were pruned\n");
	int64_t damaged = makes("q.csv", "damaged");
	assert_int_equal(sqlite3_open(ws->record, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "INSERT INTO prune_permit VALUES (1); DELETE FROM blob_chunk WHERE bytes = x'64616d61676564';"
	                                  "DELETE FROM prune_permit", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	struct err e = { 0 };
	assert_false(offer_present(ws, "", 0, &o, &e));
	assert_int_equal(e.code, ERR_CORRUPT);
	assert_non_null(strstr(e.msg, "q.csv: "));
	assert_non_null(strstr(e.msg, "tickmark mark 2.1 rejected takes it out"));
	reject(damaged);
	expect_offer("", "# p.csv: that of step 1 is not offered, as its bytes were pruned\n");
}

/* ---- attached by hand ---- */

static void attached_by_hand(void **state)
{
	char *source = path_join(top, "rates.csv"), *hidden = path_join(root, ".conf");
	int p[2];

	(void)state;
	put("a.csv", "one");
	put("../rates.csv", "rates");
	put(".conf", "hidden");
	OK(attach_add(ws, source, NULL, err));
	OK(attach_add(ws, hidden, NULL, err));
	assert_int_equal(pipe(p), 0);
	assert_int_equal(write(p[1], "piped", 5), 5);
	close(p[1]);
	OK(attach_add_fd(ws, p[0], "in/p.csv", NULL, err));
	close(p[0]);
	expect_offer("", ".conf=hidden\na.csv=one\nin/p.csv=piped\nrates.csv=rates\n");
	put("../rates.csv", "new rates");
	expect_offer("", ".conf=hidden\na.csv=one\nin/p.csv=piped\nrates.csv=new rates\n");
	OK(attach_remove(ws, "a.csv", err));
	OK(attach_remove(ws, ".conf", err));
	expect_offer("", "in/p.csv=piped\nrates.csv=new rates\n");
	erase("../rates.csv");
	struct buf want = { 0 };
	buf_addf(&want, "in/p.csv=piped\n# rates.csv: attached, but %s cannot be read\n", source);
	for (int i = 0; i < 2; i++)
		expect_offer("", want.data);
	put("../rates.csv", "back");
	expect_offer("", "in/p.csv=piped\nrates.csv=back\n");
	/* It goes before a folder of the same name. */
	put("rates.csv/x", "1");
	expect_offer("", "in/p.csv=piped\nrates.csv=back\n# rates.csv/x: not shown, as rates.csv is there\n");
	buf_free(&want);
	free(source);
	free(hidden);
}

/* ---- recorded sets ---- */

static struct offer recalled(int64_t manifest)
{
	struct offer o;

	OK(offer_recorded(ws, manifest, &o, err));
	check_copies(&o);
	return o;
}

static void recorded_is_what_is_there(void **state)
{
	(void)state;
	put_old("a.csv", "one");
	put_old("sub/b.csv", "two");
	int64_t set = offered_to(makes("x.csv", "made"));
	struct offer now = offered(""), then = recalled(set);
	/* x.csv is new since. */
	assert_int_equal(now.n, 3);
	assert_int_equal(then.n, 2);
	expect_text(&then, "a.csv", "one");
	expect_text(&then, "x.csv", "-");
	assert_null(then.absent);
	assert_int_equal(then.folders.n, 2);
	/* Again: the same layers, by the note. */
	struct offer again = recalled(set);
	assert_int_equal(again.layers.n, then.layers.n);
	for (size_t i = 0; i < then.layers.n; i++)
		assert_string_equal(again.layers.v[i], then.layers.v[i]);
	offer_free(&again);
	offer_free(&then);
	offer_free(&now);
	int64_t present = offered_to(attempt(0, "", NULL, 0));
	now = offered("");
	then = recalled(present);
	assert_string_equal(then.layers.v[0], now.layers.v[0]);
	offer_free(&then);
	offer_free(&now);
}

static void recorded_bytes_from_everywhere(void **state)
{
	struct store *st = workspace_store(ws, NULL);
	struct uuid owner = uuid_new();
	struct digest d;

	(void)state;
	put_old("kept.csv", "kept");
	put_old("folder.csv", "in the folder");
	put_old("gone/lost.csv", "12345678");
	put_old("same-size.csv", "abcd");
	int64_t set = offered_to(makes("x.csv", "made"));
	int64_t with_artifact = offered_to(makes("y.csv", "made too"));
	OK(store_blob_put(st, &owner, "kept", 4, &d, err)); /* as an input that was opened */
	erase("kept.csv");
	erase("gone");
	put_old("same-size.csv", "ABCD");
	/* The layers still have all. */
	struct offer o = recalled(set);
	assert_null(o.absent);
	expect_text(&o, "gone/lost.csv", "12345678");
	offer_free(&o);
	/* Without them, what can be had. */
	for (int i = 0; i < 2; i++) {
		OK(fs_remove_tree(ws->home, "cache", err));
		o = recalled(i ? with_artifact : set);
		expect_text(&o, "kept.csv", "kept");
		expect_text(&o, "folder.csv", "in the folder");
		assert_non_null(o.absent);
		for (size_t k = 0; k < o.n; k++) {
			bool lost = strcmp(o.entries[k].path, "gone/lost.csv") == 0 || strcmp(o.entries[k].path, "same-size.csv") == 0;
			assert_int_equal(o.absent[k], lost);
		}
		if (i)
			expect_text(&o, "x.csv", "made");
		offer_free(&o);
	}
	/* When it comes back, it is found: nothing was noted about the gap. */
	put_old("gone/lost.csv", "12345678");
	put_old("same-size.csv", "abcd");
	o = recalled(set);
	assert_null(o.absent);
	offer_free(&o);
	expect_offer("", "folder.csv=in the folder\ngone/lost.csv=12345678\nsame-size.csv=abcd\nx.csv=made\ny.csv=made too\n");
}

static void recorded_from_elsewhere(void **state)
{
	char *source = path_join(top, "rates.csv");

	(void)state;
	put("../rates.csv", "rates");
	OK(attach_add(ws, source, "in/rates.csv", err));
	int64_t set = offered_to(attempt(0, "", NULL, 0));
	OK(fs_remove_tree(ws->home, "cache", err));
	struct offer o = recalled(set);
	assert_null(o.absent);
	expect_text(&o, "in/rates.csv", "rates");
	offer_free(&o);
	free(source);
}

static void recorded_empty_and_unknown(void **state)
{
	struct offer o;
	struct err e = { 0 };

	(void)state;
	int64_t set = offered_to(attempt(0, "", NULL, 0));
	o = recalled(set);
	assert_int_equal(o.n, 0);
	assert_int_equal(o.layers.n, 0);
	offer_free(&o);
	put("a", "1");
	o = recalled(set);
	assert_int_equal(o.n, 0);
	assert_int_equal(o.layers.n, 0);
	offer_free(&o);
	assert_false(offer_recorded(ws, 4711, &o, &e));
	assert_int_not_equal(e.code, ERR_NONE);
}

/* ---- many at once ---- */

/* One process that keeps offering and checks what it gets; 0 when all was well. */
static int offer_often(int rounds, int64_t set)
{
	struct err e = { 0 };

	OK(ws = workspace_open(root, err));
	for (int i = 0; i < rounds; i++) {
		struct offer o;
		bool ok = i % 3 == 2 ? offer_recorded(ws, set, &o, &e) : offer_present(ws, "", 0, &o, &e);
		if (!ok && e.code == ERR_BUSY)
			continue;
		if (!ok)
			fail_msg("%s", e.msg);
		check_copies(&o);
		offer_free(&o);
	}
	return 0;
}

static void many_processes(void **state)
{
	char name[64], text[32];
	pid_t pids[4];
	int status;

	(void)state;
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "d%d/f%02d", i % 3, i);
		put(name, name);
	}
	int64_t set = offered_to(attempt(0, "", NULL, 0));
	workspace_close(ws);
	ws = NULL;
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(offer_often(25, set));
	}
	OK(ws = workspace_open(root, err));
	for (int i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), "d%d/f%02d", i % 3, i);
		snprintf(text, sizeof(text), "changed %d", i);
		if (i % 5 == 0)
			erase(name);
		else
			put(name, text);
		nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL);
	}
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		waitpid(pids[i], &status, 0);
		assert_int_equal(status, 0);
	}
	struct offer o = offered("");
	assert_int_equal(o.n, 48);
	offer_free(&o);
}

static void a_file_that_never_holds_still(void **state)
{
	(void)state;
	put("log.txt", "start");
	put_old("a.csv", "one");
	pid_t pid = fork();
	if (pid == 0) {
		int fd = openat(ws->dir, "log.txt", O_WRONLY | O_APPEND);
		alarm(120);
		for (;;)
			if (write(fd, "more and more\n", 14) != 14)
				_exit(1);
	}
	for (int i = 0; i < 10; i++) {
		struct offer o;
		struct err e = { 0 };
		if (offer_present(ws, "", 0, &o, &e)) {
			check_copies(&o);
			offer_free(&o);
		} else {
			assert_int_equal(e.code, ERR_BUSY);
			assert_non_null(strstr(e.msg, "log.txt changes while"));
		}
		assert_int_equal(ftruncate(openat(ws->dir, "log.txt", O_WRONLY), 0), 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	struct offer o = offered("");
	assert_int_equal(o.n, 2);
	offer_free(&o);
}

static size_t count_names(const char *folder)
{
	int fd = workspace_open_dir(ws, folder, NULL);
	DIR *d = fdopendir(fd);
	size_t n = 0;

	for (struct dirent *en; (en = readdir(d));)
		n += en->d_name[0] != '.';
	closedir(d);
	return n;
}

static void a_full_disk_is_said(void **state)
{
	struct rlimit was, little = { .rlim_cur = 65536 };
	struct offer o;
	struct err e = { 0 };
	static char big[200000];

	(void)state;
	offer_free(&(struct offer){ 0 });
	expect_offer("", "");
	put_bytes("big.bin", big, sizeof(big) - 1);
	memset(big, 'x', sizeof(big));
	put_bytes("big.bin", big, sizeof(big));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	little.rlim_max = was.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	bool ok = offer_present(ws, "", 0, &o, &e);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_false(ok);
	assert_int_equal(e.code, ERR_FULL);
	assert_non_null(strstr(e.msg, "big.bin"));
	assert_non_null(strstr(e.msg, "free some space"));
	/* Nothing is left lying about, and the next one works. */
	assert_int_equal(count_names("cache/tmp"), 0);
	o = offered("");
	assert_int_equal(o.n, 1);
	offer_free(&o);
}

/* Hundreds of changes leave a bounded cache and a bounded stack. */
static void the_cache_is_bounded(void **state)
{
	char text[32];

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(text, sizeof(text), "keep/%d", i);
		put_old(text, text);
	}
	for (int i = 0; i < 120; i++) {
		snprintf(text, sizeof(text), "%d", i);
		put("script.py", text);
		struct offer o;
		OK(offer_present(ws, "", 0, &o, err));
		assert_in_range(o.layers.n, 1, VIEW_LAYERS);
		expect_text(&o, "script.py", text);
		offer_free(&o);
	}
	assert_in_range(count_names("cache/layer"), 2, 2 * (48 + VIEW_LAYERS));
}

static void many_files_with_threads(void **state)
{
	char name[64];

	(void)state;
	for (int i = 0; i < 2500; i++) {
		snprintf(name, sizeof(name), "d%02d/f%04d.csv", i % 25, i);
		put(name, name);
	}
	struct offer o = offered("");
	assert_int_equal(o.n, 2500);
	assert_int_equal(o.folders.n, 26);
	offer_free(&o);
	put("d03/f0003.csv", "changed");
	o = offered("");
	expect_text(&o, "d03/f0003.csv", "changed");
	assert_int_equal(o.layers.n, 2);
	offer_free(&o);
}

static void two_gigabytes(void **state)
{
	const char *soak = getenv("SOAK");

	(void)state;
	if (!soak || !*soak)
		skip();
	int fd = openat(ws->dir, "big.bin", O_CREAT | O_RDWR, 0600);
	assert_int_equal(ftruncate(fd, INT64_C(2200) << 20), 0);
	assert_int_equal(pwrite(fd, "end", 3, INT64_C(2100) << 20), 3);
	close(fd);
	struct offer o = offered("");
	assert_int_equal(o.entries[0].size, INT64_C(2200) << 20);
	offer_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORKSPACE(an_empty_folder),
		IN_WORKSPACE(files_as_they_are),
		IN_WORKSPACE(nothing_changed_nothing_done),
		IN_WORKSPACE(every_change_is_seen),
		IN_WORKSPACE(rules_from_outside_count),
		IN_WORKSPACE(racing_writers_are_caught),
		IN_WORKSPACE(too_many_is_said),
		IN_WORKSPACE(unreadable_files_are_left_out),
		IN_WORKSPACE(a_lost_cache_is_made_again),
		IN_WORKSPACE(a_copied_workspace_makes_its_own_layers),
		IN_WORKSPACE(a_spoiled_layer_is_not_believed_again),
		IN_WORKSPACE(rotten_indexes),
		IN_WORKSPACE(after_another_boot_layers_are_looked_at),
		IN_WORKSPACE(artifacts_are_offered),
		IN_WORKSPACE(the_latest_step_counts),
		IN_WORKSPACE(against_the_file_of_that_name),
		IN_WORKSPACE(through_a_chain_of_artifacts),
		IN_WORKSPACE(excluded_files_do_not_compete),
		IN_WORKSPACE(a_file_cannot_be_a_folder),
		IN_WORKSPACE(mentioned_artifacts),
		IN_WORKSPACE(bytes_that_cannot_be_had),
		IN_WORKSPACE(attached_by_hand),
		IN_WORKSPACE(recorded_is_what_is_there),
		IN_WORKSPACE(recorded_bytes_from_everywhere),
		IN_WORKSPACE(recorded_from_elsewhere),
		IN_WORKSPACE(recorded_empty_and_unknown),
		IN_WORKSPACE(many_processes),
		IN_WORKSPACE(a_file_that_never_holds_still),
		IN_WORKSPACE(a_full_disk_is_said),
		IN_WORKSPACE(the_cache_is_bounded),
		IN_WORKSPACE(many_files_with_threads),
		IN_WORKSPACE(two_gigabytes),
	};
	return cmocka_run_group_tests_name("model/offer", tests, NULL, NULL);
}
