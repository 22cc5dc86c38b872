/*
 * view.c, layer.c, build.c: stacks of layers show exactly the set, in a real overlay where one can be
 * mounted, after any sequence of changes. As root and as anybody.
 */
#include "model_case.h"

#include "model/build.h"
#include "model/index.h"

#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

/* ---- sets ---- */

#define MOST 200

struct set {
	struct entry v[MOST];
	size_t n;
	char *bytes[MOST]; /* owned, as the paths */
};

static void set_free(struct set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free((char *)s->v[i].path);
		free(s->bytes[i]);
	}
	s->n = 0;
}

static void set_put(struct set *s, const char *path, const char *bytes, int64_t mtime_us, uint16_t mode)
{
	size_t at = 0;

	while (at < s->n && strcmp(s->v[at].path, path) < 0)
		at++;
	if (at < s->n && strcmp(s->v[at].path, path) == 0) {
		free((char *)s->v[at].path);
		free(s->bytes[at]);
	} else {
		assert_true(s->n < MOST);
		memmove(&s->v[at + 1], &s->v[at], (s->n - at) * sizeof(*s->v));
		memmove(&s->bytes[at + 1], &s->bytes[at], (s->n - at) * sizeof(*s->bytes));
		s->n++;
	}
	s->bytes[at] = xstrdup(bytes);
	s->v[at] = (struct entry){ .path = xstrdup(path), .size = (int64_t)strlen(bytes), .mtime_us = mtime_us, .mode = mode,
		                   .sha256 = hash_bytes(bytes, strlen(bytes)) };
}

static void set_take(struct set *s, size_t at)
{
	free((char *)s->v[at].path);
	free(s->bytes[at]);
	s->n--;
	memmove(&s->v[at], &s->v[at + 1], (s->n - at) * sizeof(*s->v));
	memmove(&s->bytes[at], &s->bytes[at + 1], (s->n - at) * sizeof(*s->bytes));
}

static void set_copy(struct set *to, const struct set *from)
{
	set_free(to);
	for (size_t i = 0; i < from->n; i++)
		set_put(to, from->v[i].path, from->bytes[i], from->v[i].mtime_us, from->v[i].mode);
}

/* Takes away what a path collides with: files where it needs folders, a folder in its own place. */
static void set_make_room(struct set *s, const char *path)
{
	size_t n = strlen(path);

	for (size_t i = s->n; i-- > 0;) {
		size_t m = strlen(s->v[i].path);
		bool above = m < n && strncmp(s->v[i].path, path, m) == 0 && path[m] == '/';
		bool below = m > n && strncmp(s->v[i].path, path, n) == 0 && s->v[i].path[n] == '/';
		if (above || below)
			set_take(s, i);
	}
}

static bool write_bytes(void *ctx, size_t i, int fd, struct err *e)
{
	const struct set *s = ctx;

	return fs_write_fd(fd, s->bytes[i], strlen(s->bytes[i]), s->v[i].path, e);
}

/* ---- what a stack shows ---- */

struct shown {
	struct buf text; /* sorted lines of what is there */
};

static void describe(struct buf *b, const char *path, const struct stat *st, const char *bytes)
{
	if (S_ISDIR(st->st_mode))
		buf_addf(b, "%s/ %o %lld\n", path, st->st_mode & 07777, (long long)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000);
	else
		buf_addf(b, "%s %o %lld %s\n", path, st->st_mode & 07777,
		         (long long)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000, bytes);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void walk_real(int dir, const char *path, struct buf *out)
{
	struct strv names = { 0 };
	struct stat st;
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (!d) {
		buf_addf(out, "%s: %s\n", path, strerror(errno));
		return;
	}
	for (struct dirent *en; (en = readdir(d));)
		if (strcmp(en->d_name, ".") != 0 && strcmp(en->d_name, "..") != 0)
			strv_add(&names, en->d_name);
	closedir(d);
	if (fstatat(dir, path, &st, 0) == 0)
		describe(out, path, &st, "");
	if (names.n > 1)
		qsort(names.v, names.n, sizeof(char *), by_name);
	for (size_t i = 0; i < names.n; i++) {
		char *whole = strcmp(path, ".") == 0 ? xstrdup(names.v[i]) : path_join(path, names.v[i]);
		struct buf b = { 0 };
		if (fstatat(dir, whole, &st, AT_SYMLINK_NOFOLLOW) < 0)
			buf_addf(out, "%s: %s\n", whole, strerror(errno));
		else if (S_ISDIR(st.st_mode))
			walk_real(dir, whole, out);
		else if (S_ISREG(st.st_mode) && fs_read(dir, whole, 1 << 16, &b, NULL))
			describe(out, whole, &st, b.data ? b.data : "");
		else
			buf_addf(out, "%s is %o\n", whole, st.st_mode);
		buf_free(&b);
		free(whole);
	}
	strv_free(&names);
}

/* The lines for the set itself. */
static void expected(const struct set *s, struct buf *out)
{
	size_t n;
	struct view_folder *folders = view_folders(s->v, s->n, &n);
	struct strv paths = { 0 };

	/* In the order of walk_real: a folder's names by strcmp, so lines are sorted by parts. Both sides are
	 * sorted as lines in the end, which is simpler. */
	for (size_t i = 0; i < n; i++) {
		struct stat st = { .st_mode = S_IFDIR | 0700, .st_mtim.tv_sec = folders[i].mtime_us / 1000000,
			           .st_mtim.tv_nsec = folders[i].mtime_us % 1000000 * 1000 };
		char *path = folders[i].len ? xstrndup(folders[i].path, folders[i].len) : xstrdup(".");
		describe(out, path, &st, "");
		free(path);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct stat st = { .st_mode = S_IFREG | (s->v[i].mode & 0111 ? 0700 : 0600),
			           .st_mtim.tv_sec = s->v[i].mtime_us / 1000000,
			           .st_mtim.tv_nsec = s->v[i].mtime_us % 1000000 * 1000 };
		describe(out, s->v[i].path, &st, s->bytes[i]);
	}
	strv_free(&paths);
	free(folders);
}

static void sort_lines(struct buf *b)
{
	struct strv lines = { 0 };
	char *rest = b->data;

	for (char *line; rest && (line = strsep(&rest, "\n"));)
		if (*line)
			strv_add(&lines, line);
	if (lines.n > 1)
		qsort(lines.v, lines.n, sizeof(char *), by_name);
	buf_free(b);
	for (size_t i = 0; i < lines.n; i++)
		buf_addf(b, "%s\n", lines.v[i]);
	strv_free(&lines);
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* In a child of its own: mounts the stack as a run would, and writes what it sees. */
static int show_in_overlay(const struct view_stack *s, const char *at, int out)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	struct buf options = { 0 }, text = { 0 };
	char map[64];

	if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) < 0)
		return 2;
	if (uid) {
		write_text("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "0 %u 1", (unsigned)uid);
		if (!write_text("/proc/self/uid_map", map))
			return 2;
		snprintf(map, sizeof(map), "0 %u 1", (unsigned)gid);
		if (!write_text("/proc/self/gid_map", map))
			return 2;
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 2;
	char *empty = path_join(at, "empty"), *merged = path_join(at, "merged");
	buf_adds(&options, "lowerdir=");
	for (size_t i = 0; i < s->n; i++) {
		char *layer = view_layer_path(ws, s->ids[i]);
		buf_addf(&options, "%s:", layer);
		free(layer);
	}
	buf_adds(&options, empty);
	if (mount("overlay", merged, "overlay", 0, options.data) < 0)
		return 2;
	int fd = open(merged, O_RDONLY | O_DIRECTORY);
	walk_real(fd, ".", &text);
	return fs_write_fd(out, text.data, text.len, "pipe", NULL) ? 0 : 3;
}

static int overlays; /* how many could really be mounted */

/* The topmost of each path, hidden ones left out: overlayfs.rst in a few lines, where it cannot be mounted. */
static void show_by_rule(const struct view_stack *s, int layer_fd[], const char *path, struct buf *out)
{
	struct strv names = { 0 };
	struct stat st, top_st = { 0 };
	size_t depth = s->n;

	for (size_t i = 0; i < s->n; i++) {
		if (layer_fd[i] < 0 || fstatat(layer_fd[i], path, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (!S_ISDIR(st.st_mode)) {
			depth = i;
			break;
		}
		if (top_st.st_mode == 0)
			top_st = st;
		DIR *d = fdopendir(openat(layer_fd[i], path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		for (struct dirent *en; (en = readdir(d));)
			if (strcmp(en->d_name, ".") != 0 && strcmp(en->d_name, "..") != 0 && !strv_has(&names, en->d_name))
				strv_add(&names, en->d_name);
		closedir(d);
	}
	describe(out, path, &top_st, "");
	int below[VIEW_STACK_MAX];
	for (size_t i = 0; i < s->n; i++)
		below[i] = i < depth ? layer_fd[i] : -1;
	for (size_t k = 0; k < names.n; k++) {
		char *whole = strcmp(path, ".") == 0 ? xstrdup(names.v[k]) : path_join(path, names.v[k]);
		struct buf b = { 0 };
		size_t i = 0;
		while (i < s->n && (below[i] < 0 || fstatat(below[i], whole, &st, AT_SYMLINK_NOFOLLOW) < 0))
			i++;
		if (i < s->n && S_ISDIR(st.st_mode))
			show_by_rule(s, below, whole, out);
		else if (i < s->n && S_ISREG(st.st_mode) && fs_read(below[i], whole, 1 << 16, &b, NULL))
			describe(out, whole, &st, b.data ? b.data : "");
		buf_free(&b);
		free(whole);
	}
	strv_free(&names);
}

static void expect_shown(const struct view_stack *s, const struct set *set)
{
	struct buf want = { 0 }, rule = { 0 }, real = { 0 };
	int fds[VIEW_STACK_MAX], p[2], status;

	if (set->n == 0) {
		assert_int_equal(s->n, 0);
		return;
	}
	expected(set, &want);
	sort_lines(&want);
	for (size_t i = 0; i < s->n; i++) {
		char *path = view_layer_path(ws, s->ids[i]);
		fds[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(fds[i] >= 0);
		free(path);
	}
	show_by_rule(s, fds, ".", &rule);
	for (size_t i = 0; i < s->n; i++)
		close(fds[i]);
	sort_lines(&rule);
	assert_string_equal(rule.data, want.data);

	mkdirat(ws->dir, "../empty", 0700);
	mkdirat(ws->dir, "../merged", 0700);
	assert_int_equal(pipe(p), 0);
	pid_t pid = fork();
	if (pid == 0)
		_exit(show_in_overlay(s, top, p[1]));
	close(p[1]);
	OK(fs_read_fd(p[0], "pipe", 1 << 22, &real, err));
	close(p[0]);
	waitpid(pid, &status, 0);
	if (status == 0) {
		overlays++;
		sort_lines(&real);
		assert_string_equal(real.data, want.data);
	} else {
		assert_int_equal(WEXITSTATUS(status), 2);
	}
	buf_free(&want);
	buf_free(&rule);
	buf_free(&real);
}

/* ---- building ---- */

/* A stack with the set that it shows. */
struct shelf {
	struct view view;
	struct set set;
	uint8_t *layer_of;
};

static void advance(struct shelf *s, const struct set *to)
{
	struct build b = { .ws = ws, .have = &s->view, .want = to->v, .want_n = to->n, .bytes = write_bytes, .ctx = (void *)to };

	OK(build_stack(&b, err));
	set_copy(&s->set, to);
	free(s->layer_of);
	s->layer_of = b.layer_of;
	s->view = (struct view){ .stack = b.stack, .entries = s->set.v, .layer_of = s->layer_of, .n = s->set.n };
	/* Every file is where it is said to be. */
	for (size_t i = 0; i < s->view.n; i++) {
		int fd = view_open_file(ws, s->view.stack.ids[s->layer_of[i]], s->view.entries[i].path);
		if (fd < 0)
			fail_msg("%s is not in layer %d of %u", s->view.entries[i].path, s->layer_of[i], s->view.stack.n);
		struct buf bytes = { 0 };
		OK(fs_read_fd(fd, "file", 1 << 16, &bytes, err));
		assert_string_equal(bytes.data ? bytes.data : "", s->set.bytes[i]);
		buf_free(&bytes);
		close(fd);
	}
	assert_true(view_is_whole(ws, &s->view));
	expect_shown(&s->view.stack, to);
}

static void shelf_free(struct shelf *s)
{
	set_free(&s->set);
	free(s->layer_of);
}

static void one_layer_for_a_set(void **state)
{
	struct set t = { .n = 0 };
	struct shelf s = { .layer_of = NULL };

	(void)state;
	advance(&s, &t);
	assert_int_equal(s.view.stack.n, 0);
	set_put(&t, "a.csv", "1", 1700000000123456, 0644);
	set_put(&t, "sub/deep/b.csv", "", 1600000000000001, 0755);
	set_put(&t, "sub-x", "3", 1, 0644);
	set_put(&t, "\xff\n", "4", 0, 0644);
	advance(&s, &t);
	assert_int_equal(s.view.stack.n, 1);
	struct view_stack same = s.view.stack;
	advance(&s, &t);
	assert_memory_equal(&same, &s.view.stack, sizeof(same));
	set_free(&t);
	advance(&s, &t);
	assert_int_equal(s.view.stack.n, 0);
	shelf_free(&s);
}

static void belongs_to_the_run(void **state)
{
	struct set t = { .n = 0 };
	struct shelf s = { .layer_of = NULL };
	struct stat st;
	uid_t uid;
	gid_t gid;

	(void)state;
	sandbox_owner(&uid, &gid);
	/* A folder that hands its group and the set-group-id bit on. */
	int cache = workspace_open_dir(ws, "cache/tmp", NULL);
	assert_int_equal(fchmod(cache, 02700), 0);
	close(cache);
	set_put(&t, "sub/a.csv", "1", 1700000000123456, 0644);
	set_put(&t, "sub/b.sh", "1", 1700000000123456, 0755);
	umask(0277);
	advance(&s, &t);
	umask(022);
	char *layer = view_layer_path(ws, s.view.stack.ids[0]);
	int fd = open(layer, O_RDONLY | O_DIRECTORY);
	static const struct { const char *path; mode_t mode; } want[] = {
		{ ".", S_IFDIR | 0700 }, { "sub", S_IFDIR | 0700 }, { "sub/a.csv", S_IFREG | 0600 }, { "sub/b.sh", S_IFREG | 0700 },
	};
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_int_equal(fstatat(fd, want[i].path, &st, 0), 0);
		assert_int_equal(st.st_mode, want[i].mode);
		assert_int_equal(st.st_uid, uid);
		assert_int_equal(st.st_gid, gid);
	}
	close(fd);
	free(layer);
	set_free(&t);
	shelf_free(&s);
}

/* Every kind of step from one set to another, one at a time. */
static void changes_of_kind(void **state)
{
	static const struct {
		const char *remove, *put; /* NULL: none */
		int64_t mtime;
		uint16_t mode;
	} steps[] = {
		{ NULL, "new.csv", 5, 0644 },
		{ NULL, "a/1", 9, 0644 },         /* changed time */
		{ NULL, "a/1", 9, 0755 },         /* changed mode */
		{ "a/2", NULL, 0, 0 },
		{ "b/x/1", NULL, 0, 0 },          /* the last of its folder */
		{ NULL, "b/x/1", 7, 0644 },       /* and back */
		{ "c", "c/now/folder", 8, 0644 }, /* a file becomes a folder */
		{ "c/now/folder", "c", 8, 0644 }, /* and a file again */
		{ "a/1", "a", 3, 0644 },          /* a folder becomes a file */
		{ "a", "a/fresh", 3, 0644 },      /* and a folder with other files */
		{ "a/fresh", NULL, 0, 0 },
		{ "new.csv", "new.csv.gz", 4, 0644 },
		{ "d-1", "d/1", 4, 0644 },
		{ "d/1", "d-1", 4, 0644 },
	};
	struct set t = { .n = 0 };
	struct shelf s = { .layer_of = NULL };
	char name[32];

	(void)state;
	/* Enough that a change is a small one. */
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "keep/%02d", i);
		set_put(&t, name, name, i + 1, 0644);
	}
	set_put(&t, "a/1", "one", 1, 0644);
	set_put(&t, "a/2", "two", 2, 0644);
	set_put(&t, "b/x/1", "one", 1, 0644);
	set_put(&t, "c", "c", 1, 0644);
	set_put(&t, "d-1", "d", 1, 0644);
	advance(&s, &t);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (steps[i].remove) {
			ssize_t at = view_find(t.v, t.n, steps[i].remove);
			assert_true(at >= 0);
			set_take(&t, (size_t)at);
		}
		if (steps[i].put) {
			set_make_room(&t, steps[i].put);
			set_put(&t, steps[i].put, i % 2 ? "odd" : "even", steps[i].mtime, steps[i].mode);
		}
		advance(&s, &t);
		assert_in_range(s.view.stack.n, 1, VIEW_LAYERS);
	}
	set_free(&t);
	shelf_free(&s);
}

static void random_sequences(void **state)
{
	static const char *const parts[] = { "a", "b", "a-", "a.b", "c" };
	struct set t = { .n = 0 };
	struct shelf s = { .layer_of = NULL };
	const char *soak = getenv("SOAK");

	(void)state;
	srand(2024);
	for (int round = 0, rounds = soak && *soak ? 1500 : 60; round < rounds; round++) {
		for (int k = rand() % (round % 10 ? 4 : 40); k >= 0; k--) {
			char path[64], bytes[16];
			if (t.n > 0 && rand() % 5 < 2) {
				set_take(&t, (size_t)rand() % t.n);
				continue;
			}
			int n = 0;
			for (int d = rand() % 4; d >= 0; d--)
				n += snprintf(path + n, sizeof(path) - (size_t)n, "%s%s", n ? "/" : "", parts[(size_t)rand() % ARRAY_LEN(parts)]);
			set_make_room(&t, path);
			snprintf(bytes, sizeof(bytes), "%d", rand() % 20);
			if (t.n < MOST - 1)
				set_put(&t, path, bytes, rand() % 1000 * INT64_C(1000003), rand() % 4 ? 0644 : 0755);
		}
		advance(&s, &t);
		if (round % 7 == 0)
			view_evict(ws, &s.view.stack, 0);
		if (round % 23 == 0)
			layer_sweep(ws);
	}
	print_message("%d stacks were mounted\n", overlays);
	set_free(&t);
	shelf_free(&s);
}

static size_t count_layers(void)
{
	int fd = workspace_open_dir(ws, "cache/layer", NULL);
	DIR *d = fdopendir(fd);
	size_t n = 0;

	for (struct dirent *en; (en = readdir(d));)
		n += strlen(en->d_name) == VIEW_ID - 1;
	closedir(d);
	return n;
}

static void held_layers_stay(void **state)
{
	struct set t = { .n = 0 };
	struct shelf s = { .layer_of = NULL };
	struct view_locks locks;
	char name[16];
	int ready[2], go[2], status;
	char c;

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%02d", i);
		set_put(&t, name, name, 1, 0644);
	}
	advance(&s, &t);
	struct view_stack first = s.view.stack;
	/* A runner: forked with the locks, which the parent then closes. */
	assert_true(view_hold(ws, &first, &locks));
	assert_int_equal(pipe(ready) | pipe(go), 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (write(ready[1], "x", 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	view_release(&locks);
	view_evict(ws, NULL, 0);
	assert_int_equal(count_layers(), 1);
	assert_int_equal(write(go[1], "x", 1), 1);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	view_evict(ws, &first, 0); /* named as current: stays */
	assert_int_equal(count_layers(), 1);
	view_evict(ws, NULL, 1000000); /* within the budget: stays */
	assert_int_equal(count_layers(), 1);
	view_evict(ws, NULL, 0);
	assert_int_equal(count_layers(), 0);
	assert_false(view_hold(ws, &first, &locks));
	/* And is made anew, from the bytes. */
	advance(&s, &t);
	set_put(&t, "00", "changed", 1, 0644);
	view_evict(ws, NULL, 0);
	advance(&s, &t);
	assert_int_equal(s.view.stack.n, 1);
	for (int i = 0; i < 2; i++) {
		close(ready[i]);
		close(go[i]);
	}
	set_free(&t);
	shelf_free(&s);
}

static void a_lost_file_is_noticed(void **state)
{
	struct set t = { .n = 0 };
	struct shelf s = { .layer_of = NULL };

	(void)state;
	set_put(&t, "a", "12345", 1, 0644);
	set_put(&t, "b/c", "12345", 1, 0644);
	advance(&s, &t);
	char *layer = view_layer_path(ws, s.view.stack.ids[0]), *file = path_join(layer, "b/c");
	assert_int_equal(truncate(file, 0), 0);
	assert_false(view_is_whole(ws, &s.view));
	assert_int_equal(truncate(file, 5), 0);
	assert_true(view_is_whole(ws, &s.view));
	assert_int_equal(unlink(file), 0);
	assert_false(view_is_whole(ws, &s.view));
	OK(fs_remove_tree(AT_FDCWD, layer, err));
	assert_false(view_is_whole(ws, &s.view));
	free(layer);
	free(file);
	set_free(&t);
	shelf_free(&s);
}

static void unfinished_layers_are_swept(void **state)
{
	struct err e = { 0 };
	struct stat st;

	(void)state;
	struct layer *l = layer_begin(ws, &e);
	OK(layer_make_folders(l, "a/b/c", err));
	char *path = xasprintf("cache/tmp/%s", layer_id(l));
	layer_sweep(ws); /* somebody works on it */
	assert_int_equal(fstatat(ws->home, path, &st, 0), 0);
	layer_free(l);
	assert_int_equal(fstatat(ws->home, path, &st, 0), -1);
	free(path);
	layer_free(NULL);
	/* One whose maker died. */
	pid_t pid = fork();
	int status;
	if (pid == 0)
		_exit(layer_begin(ws, &e) ? 0 : 1);
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	layer_sweep(ws);
	int fd = workspace_open_dir(ws, "cache/tmp", NULL);
	DIR *d = fdopendir(fd);
	size_t n = 0;
	while (readdir(d))
		n++;
	closedir(d);
	assert_int_equal(n, 2);
}

/* ---- folders of a set ---- */

static void folders_are_found(void **state)
{
	struct set t = { .n = 0 };
	static const char *const paths[] = { "a-b/1", "a/1", "a/b/c/2", "a/b-c/3", "z", "a.b/4" };
	size_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		set_put(&t, paths[i], "", (int64_t)i * 10 - 20, 0644);
	struct view_folder *f = view_folders(t.v, t.n, &n);
	static const struct { const char *path; int64_t mtime; } want[] = {
		{ "", 30 }, { "a-b", -20 }, { "a.b", 30 }, { "a", 10 }, { "a/b-c", 10 }, { "a/b", 0 }, { "a/b/c", 0 },
	};
	assert_int_equal(n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct view_folder *found = view_find_folder(f, n, want[i].path, strlen(want[i].path));
		if (!found)
			fail_msg("%s is not found", want[i].path);
		assert_int_equal(found->mtime_us, want[i].mtime);
	}
	static const char *const none[] = { "b", "a/1", "z", "a/b/", "a-", "a/b/c/2" };
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		assert_null(view_find_folder(f, n, none[i], strlen(none[i])));
	free(f);
	f = view_folders(NULL, 0, &n);
	assert_int_equal(n, 0);
	assert_null(view_find_folder(f, n, "", 0));
	free(f);
	set_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORKSPACE(one_layer_for_a_set),
		IN_WORKSPACE(belongs_to_the_run),
		IN_WORKSPACE(changes_of_kind),
		IN_WORKSPACE(random_sequences),
		IN_WORKSPACE(held_layers_stay),
		IN_WORKSPACE(a_lost_file_is_noticed),
		IN_WORKSPACE(unfinished_layers_are_swept),
		IN_WORKSPACE(folders_are_found),
	};
	return cmocka_run_group_tests_name("model/view", tests, NULL, NULL);
}
