/* attach.c, scan.c, gitrules.c: what is attached, and why what is not. As root and as anybody. */
#include "model_case.h"

#include "model/gitrules.h"
#include "model/scan.h"

#include <sys/socket.h>
#include <sys/un.h>

/* ---- the list as text: "path" or "path: reason (detail)", one a line ---- */

struct listing {
	struct buf text;
	bool details;
	const char *stop; /* ends the walk at this path */
	int64_t calls;
};

static bool add(void *ctx, const struct attached *a)
{
	struct listing *l = ctx;

	l->calls++;
	buf_adds(&l->text, a->path);
	if (a->source)
		buf_adds(&l->text, " <elsewhere>");
	if (a->excluded)
		buf_addf(&l->text, ": %s", exclusion_text(a->excluded));
	if (l->details && a->detail)
		buf_addf(&l->text, " (%s)", a->detail);
	buf_addc(&l->text, '\n');
	return !l->stop || strcmp(l->stop, a->path) != 0;
}

static void expect_list(bool details, const char *want)
{
	struct listing l = { .details = details };

	OK(attach_scan(ws, NULL, add, &l, NULL, err));
	assert_string_equal(l.text.data ? l.text.data : "", want);
	buf_free(&l.text);
}

static void expect(const char *want)
{
	expect_list(false, want);
}

static void git_init(const char *path)
{
	char *dir = path_join(path, ".git"), *head = path_join(dir, "HEAD"), *info = path_join(dir, "info");

	OK(fs_mkdirs(ws->dir, info, err));
	put(head, "ref: refs/heads/main\n");
	free(info);
	free(head);
	free(dir);
}

static void everything_by_default_in_order_of_path(void **state)
{
	(void)state;
	expect("");
	put("b.csv", "1");
	put("a/x.csv", "1");
	put("a-b.csv", "1");
	put("a.csv", "1");
	put("a/y/z.csv", "1");
	put("\xff\xfe\n.csv", "1");
	put("caf\xc3\xa9 1.csv", "1");
	OK(fs_mkdirs(ws->dir, "empty", err));
	expect("a-b.csv\na.csv\na/x.csv\na/y/z.csv\nb.csv\ncaf\xc3\xa9 1.csv\n\xff\xfe\n.csv\n");
}

static void default_rules(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	(void)state;
	put(".hidden", "1");
	put(".dir/x", "1");
	put("node_modules/m/x.js", "1");
	put("__pycache__/x.pyc", "1");
	put("sub/__pycache__/x.pyc", "1");
	put("venv/pyvenv.cfg", "home = /usr");
	put("venv/bin/python", "1");
	put("~$book.xlsx", "1");
	put("book.xlsx", "1");
	assert_int_equal(mkfifoat(ws->dir, "fifo", 0600), 0);
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "%.80s/sock", root);
	assert_int_equal(bind(s, (struct sockaddr *)&at, sizeof(at)), 0);
	close(s);
	expect(".dir/: hidden\n"
	       ".hidden: hidden\n"
	       "__pycache__/: __pycache__\n"
	       "book.xlsx\n"
	       "fifo: no regular file\n"
	       "node_modules/: node_modules\n"
	       "sock: no regular file\n"
	       "sub/__pycache__/: __pycache__\n"
	       "venv/: virtual environment\n"
	       "~$book.xlsx: lock file of an office program\n");
	/* Files may have the names that make folders special. */
	erase("node_modules");
	erase("__pycache__");
	put("node_modules", "1");
	put("__pycache__", "1");
	struct attach_totals t;
	OK(attach_scan(ws, NULL, NULL, NULL, &t, err));
	assert_int_equal(t.files, 3);
	assert_int_equal(t.bytes, 3);
	assert_int_equal(t.excluded[EXCLUDE_HIDDEN], 2);
	assert_int_equal(t.excluded[EXCLUDE_PYCACHE], 1);
	assert_int_equal(t.excluded[EXCLUDE_VENV], 1);
	assert_int_equal(t.excluded[EXCLUDE_SPECIAL], 2);
	assert_int_equal(t.excluded[EXCLUDE_LOCK], 1);
}

static void links(void **state)
{
	(void)state;
	put("data/real.csv", "12345");
	put("../outside.csv", "1");
	link_to("data/real.csv", "inside.csv");
	link_to("../data/real.csv", "data/up.csv");
	link_to("../outside.csv", "outside.csv");
	link_to("/etc/passwd", "absolute.csv");
	link_to("nothing", "dangling.csv");
	link_to("data", "folder");
	link_to("loop", "loop");
	link_to(".tickmark/record.db", "record.csv");
	char *whole = path_join(root, "data/real.csv");
	link_to(whole, "whole.csv");
	free(whole);
	expect("absolute.csv: link that leaves the workspace\n"
	       "dangling.csv: link that leaves the workspace\n"
	       "data/real.csv\n"
	       "data/up.csv\n"
	       "folder: link that leaves the workspace\n"
	       "inside.csv\n"
	       "loop: link that leaves the workspace\n"
	       "outside.csv: link that leaves the workspace\n"
	       "record.csv: link that leaves the workspace\n"
	       "whole.csv\n");
	struct attach_totals t;
	OK(attach_scan(ws, NULL, NULL, NULL, &t, err));
	assert_int_equal(t.bytes, 4 * 5);
}

/* Closing any descriptor of it would drop the locks that SQLite holds. */
static void the_record_under_another_name(void **state)
{
	(void)state;
	assert_int_equal(linkat(ws->dir, ".tickmark/record.db", ws->dir, "record.db", 0), 0);
	put("a.csv", "1");
	expect_list(true, "a.csv\nrecord.db: no regular file (the record itself under another name)\n");
}

static void unreadable(void **state)
{
	(void)state;
	if (geteuid() == 0)
		skip();
	put("a.csv", "1");
	put("closed.csv", "1");
	put("shut/x.csv", "1");
	put("listed/x.csv", "1");
	assert_int_equal(fchmodat(ws->dir, "closed.csv", 0, 0), 0);
	assert_int_equal(fchmodat(ws->dir, "shut", 0, 0), 0);
	assert_int_equal(fchmodat(ws->dir, "listed", 0400, 0), 0);
	expect_list(true, "a.csv\n"
	                  "closed.csv: not readable (Permission denied)\n"
	                  "listed/x.csv: not readable (listed/x.csv cannot be reached)\n"
	                  "shut/: not readable (Permission denied)\n");
	assert_int_equal(fchmodat(ws->dir, "shut", 0700, 0), 0);
	assert_int_equal(fchmodat(ws->dir, "listed", 0700, 0), 0);
}

static void limits(void **state)
{
	(void)state;
	put("a.csv", "1");
	put("b/big.csv", "12345678901");
	put("b/c.csv", "1");
	put("c.csv", "1");
	put("d.csv", "1");
	OK(setting_set(ws, "attached-size", "10", err));
	OK(setting_set(ws, "attached-files", "4", err));
	expect_list(true, "a.csv\n"
	                  "b/big.csv: over the limit of a file (11, the limit is 10 (setting attached-size))\n"
	                  "b/c.csv\n"
	                  "c.csv\n"
	                  "d.csv: over the limit of files (the limit is 4 files (setting attached-files))\n");
}

/* ---- rule files ---- */

static void gitignore_counts_in_a_git_tree_alone(void **state)
{
	(void)state;
	put(".gitignore", "*.log\n");
	put("a.log", "1");
	expect(".gitignore: hidden\na.log\n");
	git_init(".");
	expect(".git/: hidden\n.gitignore: hidden\na.log: ignored by .gitignore\n");
	/* A .git that is no repository makes no tree. */
	erase(".git");
	OK(fs_mkdirs(ws->dir, ".git", err));
	expect(".git/: hidden\n.gitignore: hidden\na.log\n");
}

static void nested_rule_files(void **state)
{
	(void)state;
	git_init(".");
	put(".git/info/exclude", "excluded\n");
	put(".gitignore", "*.log\n/only-here\nout/\n");
	put("sub/.gitignore", "!keep.log\n# comment\n*.tmp\n");
	put("sub/keep.log", "1");
	put("sub/drop.log", "1");
	put("sub/x.tmp", "1");
	put("x.tmp", "1");
	put("only-here", "1");
	put("sub/only-here", "1");
	put("sub/excluded", "1");
	put("out/.gitignore", "!*\n");
	put("out/x", "1");
	expect_list(true, ".git/: hidden\n"
	                  ".gitignore: hidden\n"
	                  "only-here: ignored by .gitignore (.gitignore:2: /only-here)\n"
	                  "out/: ignored by .gitignore (.gitignore:3: out/)\n"
	                  "sub/.gitignore: hidden\n"
	                  "sub/drop.log: ignored by .gitignore (.gitignore:1: *.log)\n"
	                  "sub/excluded: ignored by .gitignore (.git/info/exclude:1: excluded)\n"
	                  "sub/keep.log\n"
	                  "sub/only-here\n"
	                  "sub/x.tmp: ignored by .gitignore (sub/.gitignore:3: *.tmp)\n"
	                  "x.tmp\n");
}

static void rules_above_the_workspace(void **state)
{
	char above[PATH_MAX + 64];

	(void)state;
	snprintf(above, sizeof(above), "%s: ignored by .gitignore (%s/.gitignore:1: *.log)\n", "a.log", top);
	OK(fs_mkdirs(ws->dir, "../.git/info", err));
	put("../.git/HEAD", "ref: x\n");
	put("../.gitignore", "*.log\n/w/x.csv\nw/sub/y.csv\n");
	put("a.log", "1");
	put("x.csv", "1");
	put("sub/y.csv", "1");
	put("sub/x.csv", "1");
	struct buf want = { 0 };
	buf_adds(&want, above);
	buf_addf(&want, "sub/x.csv\nsub/y.csv: ignored by .gitignore (%s/.gitignore:3: w/sub/y.csv)\n", top);
	buf_addf(&want, "x.csv: ignored by .gitignore (%s/.gitignore:2: /w/x.csv)\n", top);
	expect_list(true, want.data);
	buf_free(&want);
	/* Rules that leave out the workspace itself do not make it empty. */
	put("../.gitignore", "w/\n*.log\n");
	expect("a.log\nsub/x.csv\nsub/y.csv\nx.csv\n");
}

static void a_tree_within_a_tree_has_its_own_rules(void **state)
{
	(void)state;
	git_init(".");
	put(".gitignore", "*.log\n");
	put("inner/a.log", "1");
	put("inner/b.txt", "1");
	expect(".git/: hidden\n.gitignore: hidden\ninner/a.log: ignored by .gitignore\ninner/b.txt\n");
	git_init("inner");
	put("inner/.git/info/exclude", "b.txt\n");
	expect(".git/: hidden\n.gitignore: hidden\ninner/.git/: hidden\ninner/a.log\n"
	       "inner/b.txt: ignored by .gitignore\n");
	/* A worktree: .git is a file, info/exclude lies in the common folder. */
	erase("inner/.git");
	OK(fs_mkdirs(ws->dir, ".store/worktrees/inner", err));
	OK(fs_mkdirs(ws->dir, ".store/info", err));
	put(".store/worktrees/inner/commondir", "../..\n");
	put(".store/info/exclude", "a.log\n");
	put("inner/.git", "gitdir: ../.store/worktrees/inner\n");
	expect(".git/: hidden\n.gitignore: hidden\n.store/: hidden\ninner/.git: hidden\n"
	       "inner/a.log: ignored by .gitignore\ninner/b.txt\n");
}

static void own_rules(void **state)
{
	(void)state;
	put(".tickmarkignore", "*.bak\n/secret/\n");
	put("a.bak", "1");
	put("a.csv", "1");
	put("secret/x", "1");
	put("sub/secret/x", "1");
	put("sub/.tickmarkignore", "!b.bak\n");
	put("sub/b.bak", "1");
	expect(".tickmarkignore: hidden\na.bak: ignored by .tickmarkignore\na.csv\nsecret/: ignored by .tickmarkignore\n"
	       "sub/.tickmarkignore: hidden\nsub/b.bak\nsub/secret/x\n");
	/* Data that git need not know is taken in again by our own rules. */
	git_init(".");
	put(".gitignore", "*.csv\ndata/\n");
	put(".tickmarkignore", "!a.csv\n!data/\n");
	put("data/x.csv", "1");
	put("data/x.txt", "1");
	erase("sub");
	erase("secret");
	expect(".git/: hidden\n.gitignore: hidden\n.tickmarkignore: hidden\na.bak\na.csv\n"
	       "data/x.csv: ignored by .gitignore\ndata/x.txt\n");
}

static void rule_files_that_are_links_are_none(void **state)
{
	(void)state;
	git_init(".");
	put("rules", "*.csv\n");
	link_to("rules", ".gitignore");
	link_to("rules", ".tickmarkignore");
	put("a.csv", "1");
	expect(".git/: hidden\n.gitignore: hidden\n.tickmarkignore: hidden\na.csv\nrules\n");
}

/* ---- against git: random trees with random rules at every level ---- */

static void random_tree(const char *path, int depth)
{
	static const char *const names[] = { "a", "b", "c.log", "d.csv", "e e" };
	static const char *const rules[] = { "a", "b/", "*.log", "*.csv", "!d.csv", "/a", "**/b", "a/**", "!a/b", "[a-c]*", "e\\ *",
		                             "*", "!*/", "!/a" };
	struct buf b = { 0 };

	if (rand() % 2) {
		for (int i = rand() % 4; i >= 0; i--)
			buf_addf(&b, "%s\n", rules[(size_t)rand() % ARRAY_LEN(rules)]);
		char *file = path_join(path, ".gitignore");
		put_bytes(file, b.data, b.len);
		free(file);
		buf_free(&b);
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char *whole = path_join(path, names[i]);
		if (depth < 3 && i < 3 && rand() % 3) {
			OK(fs_mkdirs(ws->dir, whole, err));
			random_tree(whole, depth + 1);
		} else {
			put(whole, "1");
		}
		free(whole);
	}
}

struct sorted {
	struct strv paths;
};

static bool collect(void *ctx, const struct attached *a)
{
	struct sorted *s = ctx;

	if (!a->excluded)
		strv_addf(&s->paths, "./%s", a->path);
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void git_agrees(void **state)
{
	char command[3 * PATH_MAX];

	(void)state;
	if (system("git --version >/dev/null 2>&1") != 0)
		skip();
	/* The workspace is a folder of the tree, so that rules from above are in play. */
	snprintf(command, sizeof(command), "git init -q '%s' >/dev/null 2>&1", top);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command),
	         "cd '%s' && git -c core.excludesFile=/dev/null ls-files -z --others --exclude-standard", root);
	srand(815);
	for (int round = 0; round < 40; round++) {
		struct sorted ours = { 0 }, theirs = { 0 };
		struct buf b = { 0 };
		put("../.gitignore", round % 2 ? "c.log\n" : "*.csv\n!w/d.csv\n");
		OK(fs_mkdirs(ws->dir, "t", err));
		random_tree("t", 0);
		OK(attach_scan(ws, NULL, collect, &ours, NULL, err));
		FILE *p = popen(command, "r");
		OK(fs_read_fd(fileno(p), "git", 1 << 20, &b, err));
		pclose(p);
		for (const char *at = b.data; at && at < b.data + b.len; at += strlen(at) + 1)
			if (!strstr(at, "/.gitignore") && at[0] != '.')
				strv_addf(&theirs.paths, "./%s", at);
		if (theirs.paths.n > 0)
			qsort(theirs.paths.v, theirs.paths.n, sizeof(char *), by_text);
		for (size_t i = 0; i < MAX(ours.paths.n, theirs.paths.n); i++) {
			const char *we = i < ours.paths.n ? ours.paths.v[i] : "-", *they = i < theirs.paths.n ? theirs.paths.v[i] : "-";
			if (strcmp(we, they) != 0)
				fail_msg("round %d: we say %s, git says %s", round, we, they);
		}
		buf_free(&b);
		strv_free(&ours.paths);
		strv_free(&theirs.paths);
		erase("t");
	}
}

/* ---- without a record ---- */

static void a_folder_that_is_no_workspace(void **state)
{
	struct listing l = { 0 };
	struct attach_totals t;
	struct err e = { 0 };
	char *dir = path_join(top, "plain"), *none = path_join(top, "none");

	(void)state;
	OK(fs_mkdirs(ws->dir, "../plain", err));
	put("../plain/a.csv", "123");
	put("../plain/.x", "1");
	OK(attach_scan(NULL, dir, add, &l, &t, err));
	assert_string_equal(l.text.data, ".x: hidden\na.csv\n");
	assert_int_equal(t.files, 1);
	assert_int_equal(t.bytes, 3);
	buf_free(&l.text);
	assert_false(attach_scan(NULL, none, add, &l, &t, &e));
	assert_int_equal(e.code, ERR_NOTFOUND);
	free(dir);
	free(none);
}

static void a_listing_can_be_ended(void **state)
{
	struct listing l = { .stop = "b" };

	(void)state;
	put("a", "1");
	put("b", "1");
	put("c", "1");
	OK(attach_scan(ws, NULL, add, &l, NULL, err));
	assert_string_equal(l.text.data, "a\nb\n");
	buf_free(&l.text);
}

/* ---- by hand ---- */

static char *in_root(const char *path)
{
	return path_join(root, path);
}

static void added_from_elsewhere(void **state)
{
	char *source = path_join(top, "rates.csv"), *own = in_root("a.csv"), *hidden = in_root(".hidden.csv");
	struct err e = { 0 };

	(void)state;
	put("../rates.csv", "1234");
	put("a.csv", "1");
	put("data/rates.csv", "12");
	put(".hidden.csv", "1");
	OK(attach_add(ws, source, NULL, err));
	OK(attach_add(ws, source, "data/rates.csv", err));
	OK(attach_add(ws, hidden, NULL, err));
	OK(attach_add(ws, own, "copy/of a.csv", err));
	expect(".hidden.csv\na.csv\ncopy/of a.csv <elsewhere>\ndata/rates.csv <elsewhere>\nrates.csv <elsewhere>\n");
	/* Gone: said, and still listed. */
	erase("../rates.csv");
	expect(".hidden.csv\na.csv\ncopy/of a.csv <elsewhere>\ndata/rates.csv <elsewhere>: not readable\n"
	       "rates.csv <elsewhere>: not readable\n");

	static const char *const bad[] = { "../x", "/x", "", "a//b", ".tickmark/record.db", ".tickmark", "a.csv/x", "data" };
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		e = (struct err){ 0 };
		assert_false(attach_add(ws, own, bad[i], &e));
		if (e.code != ERR_INPUT)
			fail_msg("%s: %s", bad[i], e.msg);
	}
	assert_false(attach_add(ws, source, NULL, &e));
	assert_int_equal(e.code, ERR_NOTFOUND);
	assert_false(attach_add(ws, root, "x", &e));
	assert_non_null(strstr(e.msg, "is a folder"));
	assert_false(attach_add(ws, "/dev/null", "x", &e));
	assert_non_null(strstr(e.msg, "attach add -"));
	char *record = in_root(".tickmark/record.db");
	e = (struct err){ 0 };
	assert_false(attach_add(ws, record, "x", &e));
	assert_int_equal(e.code, ERR_INPUT);
	free(record);
	OK(setting_set(ws, "attached-size", "1", err));
	put("big.csv", "12");
	char *big = in_root("big.csv");
	assert_false(attach_add(ws, big, "x", &e));
	assert_int_equal(e.code, ERR_LIMIT);
	free(big);
	free(source);
	free(own);
	free(hidden);
}

static void added_from_a_pipe(void **state)
{
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	assert_int_equal(write(p[1], "piped", 5), 5);
	close(p[1]);
	OK(attach_add_fd(ws, p[0], "in/piped.csv", "curl x", err));
	close(p[0]);
	struct attach_totals t;
	OK(attach_scan(ws, NULL, NULL, NULL, &t, err));
	assert_int_equal(t.files, 1);
	assert_int_equal(t.bytes, 5);
	expect("in/piped.csv\n");
}

static void taken_out_and_in_again(void **state)
{
	struct err e = { 0 };
	char *a = in_root("a.csv");

	(void)state;
	put("a.csv", "1");
	put("sub/b.csv", "1");
	put("sub/c.csv", "1");
	OK(attach_remove(ws, "a.csv", err));
	OK(attach_remove(ws, "./sub/", err));
	expect("a.csv: taken out\nsub/: taken out\n");
	assert_false(attach_remove(ws, "a.csv", &e));
	assert_int_equal(e.code, ERR_NOTFOUND);
	assert_false(attach_remove(ws, "nothing", &e));
	assert_int_equal(e.code, ERR_NOTFOUND);
	OK(attach_add(ws, a, NULL, err));
	expect("a.csv\nsub/: taken out\n");
	free(a);
}

static void expect_why(const char *path, enum exclusion want, const char *detail)
{
	struct buf b = { 0 };
	enum exclusion x = EXCLUDE_COUNT;

	OK(attach_why(ws, path, &x, &b, err));
	assert_int_equal(x, want);
	assert_string_equal(b.data ? b.data : "", detail);
	buf_free(&b);
}

static void why_a_path_is_out(void **state)
{
	struct err e = { 0 };
	enum exclusion x;
	struct buf b = { 0 };
	char *source = path_join(top, "s.csv"), *detail = xasprintf("from %s", source), *a = in_root("a.log");

	(void)state;
	git_init(".");
	put(".gitignore", "*.log\nout/\n");
	put("a.log", "1");
	put("a.csv", "1");
	put("out/deep/x", "1");
	put("../s.csv", "1");
	OK(attach_add(ws, source, "s.csv", err));
	assert_int_equal(chdir(root), 0);
	expect_why("a.csv", EXCLUDE_NOT, "");
	expect_why("./a.log", EXCLUDE_GITIGNORE, ".gitignore:1: *.log");
	expect_why(a, EXCLUDE_GITIGNORE, ".gitignore:1: *.log");
	expect_why("out/deep/x", EXCLUDE_GITIGNORE, ".gitignore:2: out/");
	expect_why("out", EXCLUDE_GITIGNORE, ".gitignore:2: out/");
	expect_why(".git/HEAD", EXCLUDE_HIDDEN, "");
	expect_why("s.csv", EXCLUDE_NOT, detail);
	assert_false(attach_why(ws, "none", &x, &b, &e));
	assert_int_equal(e.code, ERR_NOTFOUND);
	assert_int_equal(chdir("/"), 0);
	free(source);
	free(detail);
	free(a);
}

/* ---- many, with threads, and deep ---- */

static void many_files(void **state)
{
	struct attach_totals t;
	char name[64];

	(void)state;
	for (int d = 0; d < 30; d++) {
		for (int i = 0; i < 100; i++) {
			snprintf(name, sizeof(name), "d%02d/f%03d.csv", d, i);
			put(name, i % 2 ? "123" : "1");
		}
	}
	OK(attach_scan(ws, NULL, NULL, NULL, &t, err));
	assert_int_equal(t.files, 3000);
	assert_int_equal(t.bytes, 6000);
}

static void deeper_than_a_path_can_be(void **state)
{
	struct attach_totals t;
	char name[201];

	(void)state;
	memset(name, 'd', 200);
	name[200] = '\0';
	int at = dup(ws->dir);
	for (int i = 0; i < 30; i++) {
		assert_int_equal(mkdirat(at, name, 0700), 0);
		int next = openat(at, name, O_PATH | O_DIRECTORY);
		close(at);
		at = next;
		int f = openat(at, "f", O_CREAT | O_WRONLY, 0600);
		assert_true(f >= 0);
		close(f);
	}
	close(at);
	OK(attach_scan(ws, NULL, NULL, NULL, &t, err));
	assert_in_range(t.files, 15, 21);
	assert_int_equal(t.excluded[EXCLUDE_UNREADABLE], 1);
}

static void outer_rules_are_part_of_the_hash(void **state)
{
	struct digest d[4];
	struct hasher h;

	(void)state;
	for (int i = 0; i < 4; i++) {
		if (i == 1) {
			OK(fs_mkdirs(ws->dir, "../.git/info", err));
			put("../.git/HEAD", "ref: x\n");
		} else if (i == 2) {
			put("../.gitignore", "*.log\n");
		} else if (i == 3) {
			put("../.git/info/exclude", "x\n");
		}
		hash_begin(&h);
		scan_outer_hash(ws->dir, ws->root, &h);
		d[i] = hash_end(&h);
		for (int k = 0; k < i; k++)
			assert_false(digest_equal(&d[i], &d[k]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORKSPACE(everything_by_default_in_order_of_path),
		IN_WORKSPACE(default_rules),
		IN_WORKSPACE(links),
		IN_WORKSPACE(the_record_under_another_name),
		IN_WORKSPACE(unreadable),
		IN_WORKSPACE(limits),
		IN_WORKSPACE(gitignore_counts_in_a_git_tree_alone),
		IN_WORKSPACE(nested_rule_files),
		IN_WORKSPACE(rules_above_the_workspace),
		IN_WORKSPACE(a_tree_within_a_tree_has_its_own_rules),
		IN_WORKSPACE(own_rules),
		IN_WORKSPACE(rule_files_that_are_links_are_none),
		IN_WORKSPACE(git_agrees),
		IN_WORKSPACE(a_folder_that_is_no_workspace),
		IN_WORKSPACE(a_listing_can_be_ended),
		IN_WORKSPACE(added_from_elsewhere),
		IN_WORKSPACE(added_from_a_pipe),
		IN_WORKSPACE(taken_out_and_in_again),
		IN_WORKSPACE(why_a_path_is_out),
		IN_WORKSPACE(many_files),
		IN_WORKSPACE(deeper_than_a_path_can_be),
		IN_WORKSPACE(outer_rules_are_part_of_the_hash),
	};
	return cmocka_run_group_tests_name("model/attach", tests, NULL, NULL);
}
