/*
 * Settings: what a workspace (.tickmark/config) or its user (~/.config/tickmark/config) sets in place
 * of a default. A workspace can come from anywhere, so its settings may name nothing that runs
 * outside the sandbox.
 */
#include "settings.h"

#include "model/legend.h"
#include "text/noise.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ATTACHED_FILES 20000
#define ATTACHED_SIZE (INT64_C(4) << 30)
#define AT_ONCE 4
#define SEEN_MOST 1000 /* names that are compared with later ones; nobody has so many */
#define NAME_MAX_BYTES 200

const struct setting_info setting_table[] = {
	{ "python", "interpreter of new attempts: a path, or a name that is looked up in PATH", "/usr/bin/python3.11" },
	{ "user-site", "yes: runs see your own packages too (pip install --user)", "yes" },
	{ "name", "your name in the record", "Jo Miller" },
	{ "noise", "regular expression: what it matches may differ in repeats", "run id [0-9a-f]+|seed=\\d+" },
	{ "fixer", "command that corrects failed code (run --fix); of the user only", "my-fixer --quiet" },
	{ "assistant", "command that drafts code (key A, tickmark draft); of the user only", "my-assistant" },
	{ "assistant-runs", "runs of one assistant's program at once, 1 to 32; more wait their turn", "4" },
	{ "fix-attempts", "most corrections of one run --fix", "3" },
	{ "signing-key", "SSH key that signs your marks: a private key, or the .pub of one in ssh-agent", "~/.ssh/id_ed25519" },
	{ "reviewer", "your name on marks and notes; yours alone, a workspace cannot set it", "Jo Miller, CPA" },
	{ "tier", "least isolation that is accepted: A, A-noproc, A-root or B", "A" },
	{ "at-once", "runs that the screen, and `repeat` of many, let go on at once; more wait", "2" },
	{ "attached-files", "most files of the folder that are attached", "50000" },
	{ "attached-size", "largest file that is attached", "8G" },
	{ "timeout", "wall clock time of a run", "30m" },
	{ "cpu", "processor time of one process", "2h" },
	{ "memory", "memory of all processes of a run", "8G" },
	{ "scratch", "files written by a run", "2G" },
	{ "scratch-files", "number of files and folders written by a run", "50000" },
	{ "file-size", "size of one written file", "1G" },
	{ "open-files", "files open at once in one process", "4096" },
	{ "processes", "processes and threads of a run", "256" },
	{ "stream-head", "kept of the beginning of a stream", "48M" },
	{ "stream-tail", "kept of the end of a stream", "16M" },
	{ "stream-total", "produced on a stream before the run is ended", "1G" },
	{ "artifacts", "files kept of a run", "2000" },
	{ "artifact-depth", "depth of folders collected", "40" },
	{ "blas-threads", "threads of the linear algebra libraries", "4" },
};
const size_t setting_table_len = ARRAY_LEN(setting_table);

/* The screen keeps its own in the user's file; it reads and checks them itself. */
static bool is_of_screen(const char *name)
{
	return strcmp(name, "theme") == 0 || strcmp(name, "mouse") == 0 || strncmp(name, "key.", 4) == 0;
}

/* What runs outside the sandbox, the name under a mark and the look of the screen are the user's own affair and
 * never that of a workspace, which may come from anywhere. */
static bool is_of_user_only(const char *name)
{
	static const char *const users[] = { "fixer", "assistant", "reviewer", "signing-key" };

	for (size_t i = 0; i < ARRAY_LEN(users); i++)
		if (strcmp(name, users[i]) == 0)
			return true;
	return is_of_screen(name);
}

static const struct setting_info *find(const char *name)
{
	for (size_t i = 0; i < setting_table_len; i++)
		if (strcmp(setting_table[i].name, name) == 0)
			return &setting_table[i];
	return NULL;
}

bool setting_is_known(const char *name)
{
	return find(name) || legend_is_setting(name) || is_of_screen(name);
}

static bool check_known(const char *name, struct err *e)
{
	return setting_is_known(name) || err_set(e, ERR_INPUT, "there is no setting '%s'; tickmark config lists them", name);
}

/* ---- values ---- */

static bool parse_limit(const struct limit_info *limit, const char *value, int64_t *out, struct err *e)
{
	if (strcmp(value, "none") == 0) {
		*out = 0;
		return true;
	}
	return limit_parse(limit, value, out, e);
}

static bool check_text(const char *value, struct err *e)
{
	size_t n = strlen(value);

	if (n == 0 || n > NAME_MAX_BYTES)
		return err_set(e, ERR_INPUT, "expected 1 to %d bytes", NAME_MAX_BYTES);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)value[i] < ' ' || value[i] == 127)
			return err_set(e, ERR_INPUT, "control characters cannot stand in it");
	return utf8_valid(value, n) || err_set(e, ERR_INPUT, "it is no UTF-8");
}

static bool check_noise(const char *value, struct err *e)
{
	return !*value || noise_check(value, e);
}

static bool check_value(const char *name, const char *value, struct err *e)
{
	const struct limit_info *limit = limit_find(name);
	int64_t n;

	if (limit)
		return parse_limit(limit, value, &n, e);
	if (strcmp(name, "attached-files") == 0)
		return int_parse(value, 1, 10000000, &n, e);
	if (strcmp(name, "attached-size") == 0)
		return size_parse(value, &n, e);
	if (strcmp(name, "tier") == 0 && tier_parse(value) == TIER_NONE)
		return err_set(e, ERR_INPUT, "expected A, A-noproc, A-root or B, not '%s'", value);
	if (strcmp(name, "assistant-runs") == 0)
		return int_parse(value, 1, ASSISTANT_RUNS_MOST, &n, e);
	if (strcmp(name, "fix-attempts") == 0)
		return int_parse(value, 1, 20, &n, e);
	if (strcmp(name, "at-once") == 0)
		return int_parse(value, 1, 64, &n, e);
	if (strcmp(name, "fixer") == 0 || strcmp(name, "assistant") == 0)
		return value[strspn(value, " \t")] || err_set(e, ERR_INPUT, "expected a command");
	if (strcmp(name, "python") == 0)
		return *value || err_set(e, ERR_INPUT, "expected a path or a name");
	if (strcmp(name, "noise") == 0)
		return check_noise(value, e);
	if (strcmp(name, "user-site") == 0)
		return strcmp(value, "yes") == 0 || strcmp(value, "no") == 0 || err_set(e, ERR_INPUT, "expected yes or no, not '%s'", value);
	return (strcmp(name, "name") != 0 && strcmp(name, "reviewer") != 0 && strcmp(name, "signing-key") != 0) ||
	       check_text(value, e);
}

static bool check(const char *name, const char *value, struct err *e)
{
	if (!check_known(name, e))
		return false;
	if (is_of_screen(name) || (legend_is_setting(name) ? legend_check(name, value, e) : check_value(name, value, e)))
		return true;
	return err_prefix(e, "setting %s", name);
}

/* ---- files ---- */

char *settings_user_path(void)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	/* The base directory specification: what is not absolute does not count. */
	if (xdg && xdg[0] == '/')
		return path_join(xdg, "tickmark/config");
	return home && home[0] == '/' ? path_join(home, ".config/tickmark/config") : NULL;
}

static char *workspace_path(const struct workspace *ws)
{
	return path_join(ws->root, ".tickmark/config");
}

struct lookup {
	const char *name; /* NULL: every setting */
	char *value;      /* owned; the last one counts */
	struct limits *limits;
	struct strv *others; /* names that the table has not; NULL */
	bool own;         /* the file is the workspace's */
	struct strv seen; /* names in this file */
};

/* Of two lines for one setting nobody can tell which is meant. */
static bool is_first(struct lookup *l, const char *key, struct err *e)
{
	for (size_t i = 0; i < l->seen.n; i++)
		if (strcmp(l->seen.v[i], key) == 0)
			return err_set(e, ERR_INPUT, "%s stands twice in this file", key);
	if (l->seen.n < SEEN_MOST)
		strv_add(&l->seen, key);
	return true;
}

static bool take(void *ctx, const char *key, const char *value, struct err *e)
{
	struct lookup *l = ctx;
	const struct limit_info *limit = limit_find(key);
	int64_t n;

	if (l->own && is_of_screen(key))
		return err_set(e, ERR_INPUT, "%s is a setting of the user and of no workspace", key);
	if (l->own && is_of_user_only(key))
		return true;
	if (!check(key, value, e) || !is_first(l, key, e))
		return false;
	if (l->name && strcmp(l->name, key) == 0) {
		free(l->value);
		l->value = xstrdup(value);
	}
	if (l->others && !find(key) && !strv_has(l->others, key))
		strv_add(l->others, key);
	if (l->limits && limit) {
		if (!parse_limit(limit, value, &n, e))
			return false;
		limit_put(l->limits, limit, n);
	}
	return true;
}

static bool read_file(char *path, struct lookup *l, bool own, struct err *e)
{
	l->own = own;
	bool ok = !path || conf_read(path, take, l, e);

	strv_free(&l->seen);
	free(path);
	return ok;
}

/* Default of what is no limit of a run; those depend on the asker. NULL: none. */
static char *default_of(const char *name)
{
	const struct limit_info *limit = limit_find(name);
	char text[UNIT_TEXT];
	struct policy p;

	if (strcmp(name, "attached-files") == 0)
		return xasprintf("%d", ATTACHED_FILES);
	if (strcmp(name, "fix-attempts") == 0 || strcmp(name, "assistant-runs") == 0)
		return xstrdup("2");
	if (strcmp(name, "at-once") == 0)
		return xasprintf("%ld", MAX(1, MIN(sysconf(_SC_NPROCESSORS_ONLN), (long)AT_ONCE)));
	if (strcmp(name, "attached-size") == 0) {
		size_format(ATTACHED_SIZE, text);
		return xstrdup(text);
	}
	if (!limit)
		return NULL;
	policy_defaults(ASKER_PERSON, &p);
	int64_t n = limit_get(&p.limits, limit);
	if (n == 0)
		return xstrdup("none");
	if (limit->unit == UNIT_COUNT)
		return xasprintf("%lld", (long long)n);
	if (limit->unit == UNIT_BYTES)
		size_format(n, text);
	else
		duration_format(n * 1000, text);
	return xstrdup(text);
}

/* The least isolation that its user accepts is nothing that a workspace can lower. */
static bool is_looser(const char *name, const char *own, const char *user)
{
	return strcmp(name, "tier") == 0 && tier_parse(own) > tier_parse(user);
}

char *setting_get(struct workspace *ws, const char *name, const char **from, struct err *e)
{
	struct lookup user = { .name = name }, own = { .name = name };
	const char *source = NULL;
	char *value = NULL;

	if (!check_known(name, e))
		return NULL;
	if (!read_file(settings_user_path(), &user, false, e) || (ws && !read_file(workspace_path(ws), &own, true, e)))
		goto out;
	if (own.value && !(user.value && is_looser(name, own.value, user.value))) {
		value = own.value;
		own.value = NULL;
		source = "workspace";
	} else if (user.value) {
		value = user.value;
		user.value = NULL;
		source = "user";
	} else {
		value = default_of(name);
		source = "default";
	}
	if (from)
		*from = source;
out:
	free(user.value);
	free(own.value);
	return value;
}

bool settings_others(struct workspace *ws, struct strv *names, struct err *e)
{
	struct lookup l = { .others = names };

	return read_file(settings_user_path(), &l, false, e) && (!ws || read_file(workspace_path(ws), &l, true, e));
}

bool setting_read(struct workspace *ws, const char *name, char **value, struct err *e)
{
	struct err fault = { 0 };

	*value = setting_get(ws, name, NULL, &fault);
	if (!*value && fault.code != ERR_NONE && e)
		*e = fault;
	return *value || fault.code == ERR_NONE;
}

bool setting_set(struct workspace *ws, const char *name, const char *value, struct err *e)
{
	if (strcmp(name, "reviewer") == 0 || strcmp(name, "signing-key") == 0 || is_of_screen(name))
		ws = NULL;
	if (value ? !check(name, value, e) : !check_known(name, e))
		return false;
	if (ws && is_of_user_only(name))
		return err_set(e, ERR_INPUT, "%s is a program outside the sandbox, so it is a setting of yours and of no workspace: "
		               "tickmark config --user %s COMMAND", name, name);

	char *path = ws ? workspace_path(ws) : settings_user_path();
	if (!path)
		return err_set(e, ERR_NOTFOUND, "no place for your settings: HOME is not set; set HOME or XDG_CONFIG_HOME");
	char *real = ws ? NULL : realpath(path, NULL); /* dotfiles are often links: where one leads is written */
	bool ok = conf_write(real ? real : path, name, value, e);
	free(real);
	free(path);
	if (!ok || !ws)
		return ok;

	struct store *st = workspace_store(ws, e);
	char *text = xasprintf("%s = %s", name, value ? value : "(unset)");
	ok = st && store_event(st, "setting changed", 0, text, e);
	free(text);
	return ok;
}

bool settings_policy(struct workspace *ws, enum asker_kind asker, struct policy *out, struct err *e)
{
	struct lookup l = { .limits = &out->limits };

	policy_defaults(asker, out);
	return read_file(settings_user_path(), &l, false, e) && (!ws || read_file(workspace_path(ws), &l, true, e));
}

bool settings_assistant_runs(struct workspace *ws, int64_t *n, struct err *e)
{
	char *value = setting_get(ws, "assistant-runs", NULL, e);
	bool ok = value && int_parse(value, 1, ASSISTANT_RUNS_MOST, n, e);

	free(value);
	return ok;
}

bool settings_attached(struct workspace *ws, int64_t *files, int64_t *size, struct err *e)
{
	char *n = setting_get(ws, "attached-files", NULL, e);
	char *s = n ? setting_get(ws, "attached-size", NULL, e) : NULL;
	bool ok = n && s && int_parse(n, 1, INT64_MAX, files, e) && size_parse(s, size, e);

	free(n);
	free(s);
	return ok;
}

bool settings_check_tier(struct workspace *ws, const struct sandbox_caps *caps, struct err *e)
{
	char *word;

	if (!setting_read(ws, "tier", &word, e))
		return false;
	if (!word)
		return true;
	enum tier least = tier_parse(word);
	free(word);
	/* Best first; TIER_NONE stands before all. */
	if (caps->tier != TIER_NONE && caps->tier <= least)
		return true;
	return err_set(e, ERR_SANDBOX, "the settings ask for isolation of tier %s, this machine has %s%s%s", tier_word(least),
	               tier_word(caps->tier), *caps->why ? ": " : "", caps->why);
}
