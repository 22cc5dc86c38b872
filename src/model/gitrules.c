/*
 * The stack of rule files that hold in a folder. Git's order of precedence: the deepest .gitignore
 * first, info/exclude last, and nothing from above the top of a git tree.
 */
#include "gitrules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULES_MAX ((size_t)4 << 20) /* a larger file is no list of rules */
#define GITDIR_MAX ((size_t)8192)

struct gitrules {
	const struct gitrules *parent;
	bool owns_parent;       /* levels above the workspace hang on its root */
	bool in_git;
	bool top;               /* a git tree begins here */
	char *label;            /* folder as shown in front of a file name: "", "sub/", "/home/jm/repo/" */
	char *exclude_label;    /* path of info/exclude */
	char *lead;             /* owned by the root level: path from the outermost top to the workspace, with slash */
	const char *full_lead;  /* the same, for everybody */
	size_t at;              /* where this folder's own part begins in lead + path */
	struct ignore *exclude; /* of a top */
	struct ignore *git;
	struct ignore *tick;
	struct digest seen;     /* of the rule files read for this level */
};

/* ---- reading ---- */

static bool read_small(int dir, const char *path, size_t max, struct buf *out)
{
	struct stat st;
	/* As git: a rule file that is a link is none. */
	int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && fs_read_fd(fd, path, max, out, NULL);

	if (fd >= 0)
		close(fd);
	return ok;
}

static struct ignore *read_rules(int dir, const char *path, struct hasher *seen)
{
	struct buf b = { 0 };
	struct ignore *g = NULL;

	if (read_small(dir, path, RULES_MAX, &b)) {
		g = ignore_parse(b.data, b.len);
		hash_blob(seen, b.data ? b.data : "", b.len);
	} else {
		hash_null(seen);
	}
	buf_free(&b);
	if (g && ignore_is_empty(g)) {
		ignore_free(g);
		return NULL;
	}
	return g;
}

static void cut_line(struct buf *b)
{
	while (b->len > 0 && (b->data[b->len - 1] == '\n' || b->data[b->len - 1] == '\r'))
		b->data[--b->len] = '\0';
}

/* Where a .git file ("gitdir: PATH") of a worktree or submodule leads; owned, NULL: nowhere. */
static char *linked_gitdir(int folder)
{
	struct buf b = { 0 }, common = { 0 };
	char *dir = NULL;

	if (read_small(folder, ".git", GITDIR_MAX, &b) && b.len > 8 && memcmp(b.data, "gitdir: ", 8) == 0) {
		cut_line(&b);
		dir = xstrdup(b.data + 8);
		char *file = path_join(dir, "commondir");
		if (read_small(folder, file, GITDIR_MAX, &common) && common.len > 0) {
			cut_line(&common);
			char *joined = common.data[0] == '/' ? xstrdup(common.data) : path_join(dir, common.data);
			free(dir);
			dir = joined;
		}
		free(file);
	}
	buf_free(&b);
	buf_free(&common);
	return dir;
}

char *gitrules_info(int folder)
{
	struct stat st;

	if (fstatat(folder, ".git", &st, 0) < 0)
		return NULL;
	if (S_ISDIR(st.st_mode))
		return fstatat(folder, ".git/HEAD", &st, AT_SYMLINK_NOFOLLOW) == 0 ? xstrdup(".git/info") : NULL;
	char *dir = S_ISREG(st.st_mode) ? linked_gitdir(folder) : NULL;
	char *info = dir ? path_join(dir, "info") : NULL;
	free(dir);
	return info;
}

/* Reads what stands in one folder. */
static void read_level(struct gitrules *g, int folder, bool git, bool tick, const char *info)
{
	struct hasher seen;

	hash_begin(&seen);
	if (info) {
		char *file = path_join(info, "exclude");
		g->exclude = read_rules(folder, file, &seen);
		g->exclude_label = file[0] == '/' ? xstrdup(file) : xasprintf("%s%s", g->label, file);
		free(file);
	}
	if (g->in_git && git)
		g->git = read_rules(folder, ".gitignore", &seen);
	if (tick)
		g->tick = read_rules(folder, ".tickmarkignore", &seen);
	g->seen = hash_end(&seen);
}

/* ---- above the workspace ---- */

/* The top of the git tree that holds `path`, as git finds it: not over the border of a file system.
 * Owned; NULL when there is none. */
static char *find_top(const char *path)
{
	struct stat st, start;
	char *at = xstrdup(path);

	if (stat(at, &start) < 0) {
		free(at);
		return NULL;
	}
	for (;;) {
		int fd = open(at, O_PATH | O_DIRECTORY | O_CLOEXEC);
		char *info = fd >= 0 ? gitrules_info(fd) : NULL;
		bool same = fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == start.st_dev;
		if (fd >= 0)
			close(fd);
		if (info && same) {
			free(info);
			return at;
		}
		free(info);
		char *up = path_dir(at);
		if (!same || strcmp(up, at) == 0) {
			free(up);
			free(at);
			return NULL;
		}
		free(at);
		at = up;
	}
}

static void free_chain(const struct gitrules *g)
{
	while (g) {
		const struct gitrules *up = g->parent;
		gitrules_free((struct gitrules *)g);
		g = up;
	}
}

static enum ignore_answer match_git(const struct gitrules *g, const char *full, bool is_folder, struct buf *detail);

/* The levels from the top of the git tree down to the folder above the workspace; NULL when there
 * are none, or when they leave the workspace itself out: whoever made it there wants its files. */
static struct gitrules *read_outer(const char *top, const char *path, const char *lead)
{
	struct gitrules *g = NULL;
	char *at = xstrdup(top);
	bool left_out = false;

	while (!left_out && strcmp(at, path) != 0) {
		struct gitrules *level = xcalloc(1, sizeof(*level));
		int fd = open(at, O_PATH | O_DIRECTORY | O_CLOEXEC);
		char *info = fd >= 0 && !g ? gitrules_info(fd) : NULL;
		level->parent = g;
		level->top = g == NULL;
		level->in_git = true;
		level->label = xasprintf("%s%s", at, strcmp(at, "/") == 0 ? "" : "/");
		level->full_lead = lead;
		level->at = g ? strlen(at) - strlen(top) + (strcmp(top, "/") == 0) : 0;
		if (fd >= 0) {
			read_level(level, fd, true, false, info);
			close(fd);
		}
		free(info);
		g = level;

		const char *below = path_below(at, path);
		char *next = path_join(at, below);
		next[strlen(next) - strlen(below) + strcspn(below, "/")] = '\0';
		left_out = match_git(g, path_below(top, next), true, NULL) == IGNORE_YES;
		free(at);
		at = next;
	}
	free(at);
	if (left_out) {
		free_chain(g);
		return NULL;
	}
	return g;
}

struct gitrules *gitrules_root(int root, const char *path)
{
	struct gitrules *g = xcalloc(1, sizeof(*g));
	char *top = find_top(path);
	char *info = top && strcmp(top, path) == 0 ? gitrules_info(root) : NULL;

	g->label = xstrdup("");
	g->in_git = top != NULL;
	g->top = true;
	if (top && !info) {
		char *lead = xasprintf("%s/", path_below(top, path));
		struct gitrules *outer = read_outer(top, path, lead);
		if (outer) {
			g->parent = outer;
			g->owns_parent = true;
			g->top = false;
			g->lead = lead;
			g->at = strlen(lead);
		} else {
			free(lead);
		}
	}
	g->full_lead = g->lead ? g->lead : "";
	read_level(g, root, true, true, info);
	free(info);
	free(top);
	return g;
}

struct gitrules *gitrules_below(const struct gitrules *parent, int folder, const char *path,
                                const struct gitrules_names *names)
{
	struct gitrules *g = xcalloc(1, sizeof(*g));
	char *info = names->git ? gitrules_info(folder) : NULL;

	g->parent = parent;
	g->in_git = parent->in_git || info;
	g->top = info != NULL;
	g->label = xasprintf("%s/", path);
	g->full_lead = parent->full_lead;
	g->at = strlen(g->full_lead) + strlen(path) + 1;
	read_level(g, folder, names->gitignore, names->tickmarkignore, info);
	free(info);
	return g;
}

void gitrules_free(struct gitrules *g)
{
	if (!g)
		return;
	if (g->owns_parent)
		free_chain(g->parent);
	ignore_free(g->exclude);
	ignore_free(g->git);
	ignore_free(g->tick);
	free(g->label);
	free(g->exclude_label);
	free(g->lead);
	free(g);
}

void gitrules_hash_outer(const struct gitrules *g, struct hasher *h)
{
	hash_text(h, g->full_lead);
	for (; g; g = g->parent) {
		hash_text(h, g->label);
		hash_int(h, g->in_git);
		hash_blob(h, g->seen.b, sizeof(g->seen.b));
	}
}

/* ---- deciding ---- */

static enum ignore_answer ask(const struct ignore *rules, const char *path, bool is_folder, const char *label,
                              const char *file, struct buf *detail)
{
	struct ignore_rule rule;
	enum ignore_answer a = rules ? ignore_match(rules, path, is_folder, &rule) : IGNORE_SILENT;

	if (a != IGNORE_SILENT && detail)
		buf_addf(detail, "%s%s:%zu: %s", label, file, rule.line, rule.text);
	return a;
}

/* `full` is relative to the outermost top. */
static enum ignore_answer match_git(const struct gitrules *g, const char *full, bool is_folder, struct buf *detail)
{
	for (; g && g->in_git; g = g->parent) {
		enum ignore_answer a = ask(g->git, full + g->at, is_folder, g->label, ".gitignore", detail);
		if (a == IGNORE_SILENT && g->top)
			return ask(g->exclude, full + g->at, is_folder, g->exclude_label, "", detail);
		if (a != IGNORE_SILENT)
			return a;
	}
	return IGNORE_SILENT;
}

enum exclusion gitrules_match(const struct gitrules *g, const char *path, bool is_folder, struct buf *detail)
{
	size_t lead = strlen(g->full_lead);
	enum ignore_answer a;

	for (const struct gitrules *l = g; l && l->at >= lead; l = l->parent) {
		a = ask(l->tick, path + (l->at - lead), is_folder, l->label, ".tickmarkignore", detail);
		if (a != IGNORE_SILENT)
			return a == IGNORE_YES ? EXCLUDE_IGNORE : EXCLUDE_NOT;
	}
	if (lead == 0) {
		a = match_git(g, path, is_folder, detail);
	} else {
		char *full = xasprintf("%s%s", g->full_lead, path);
		a = match_git(g, full, is_folder, detail);
		free(full);
	}
	return a == IGNORE_YES ? EXCLUDE_GITIGNORE : EXCLUDE_NOT;
}
