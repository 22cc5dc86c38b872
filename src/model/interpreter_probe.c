/* Prefixes from the file system, identity from the probe, both checked against each other. */
#include "interpreter_probe.h"
#include "own_python.h"

#include <gen/interpreter_probe_py.h>

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define ANSWER_MOST (4 << 20)
#define CACHE_MOST (8 << 20)
#define COMPLAINT_MOST 400
#define PROBE_MS 60000
#define LOCALE "C.UTF-8" /* what every run gets */

/* ---- which folders it needs ---- */

static bool is_below(const char *dir, const char *path)
{
	return path_below(dir, path) != NULL;
}

/* Shown to every run anyway. */
static bool is_system(const char *path)
{
	return is_below("/usr", path);
}

static bool is_a_home(const char *path)
{
	const char *home = getenv("HOME");
	struct passwd *pw = getpwuid(getuid());
	char *up = path_dir(path);
	bool yes = strcmp(up, "/home") == 0 || strcmp(path, "/home") == 0 || strcmp(path, "/root") == 0;

	yes = yes || (home && strcmp(home, path) == 0) || (pw && strcmp(pw->pw_dir, path) == 0);
	free(up);
	return yes;
}

static void set_problem(struct interpreter *i, char *text)
{
	if (i->problem)
		free(text);
	else
		i->problem = text;
}

/* A run sees the whole of a prefix, so it must not be a folder that holds more than an interpreter. */
static void add_prefix(struct workspace *ws, struct interpreter *i, const char *dir)
{
	if (is_system(dir) || strv_has(&i->prefixes, dir))
		return;
	if (strcmp(dir, "/") == 0 || is_a_home(dir))
		set_problem(i, xasprintf("its prefix is %s itself, and a run would see all of it", dir));
	else if (is_below(dir, ws->root))
		set_problem(i, xasprintf("its prefix %s holds this workspace, and a run would see all of it", dir));
	else
		strv_add(&i->prefixes, dir);
}

/* The interpreter that a virtual environment was made from, by the key `home` of its pyvenv.cfg. */
static bool note_home(void *ctx, const char *key, const char *value, struct err *e)
{
	char **home = ctx;

	(void)e;
	if (strcmp(key, "home") == 0 && !*home)
		*home = xstrdup(value);
	return true;
}

static void add_base(struct workspace *ws, struct interpreter *i, const char *config)
{
	char *home = NULL;

	(void)conf_read(config, note_home, &home, NULL);
	char *bin = home ? realpath(home, NULL) : NULL;
	if (bin) {
		/* Only a folder that really holds an interpreter: this file belongs to the workspace. */
		char *python = path_join(bin, "python3");
		if (access(python, X_OK) == 0) {
			char *prefix = path_dir(bin);
			add_prefix(ws, i, prefix);
			free(prefix);
		}
		free(python);
	}
	free(bin);
	free(home);
}

static char *up_two(const char *path)
{
	char *dir = path_dir(path), *up = path_dir(dir);

	free(dir);
	return up;
}

/* Makes i->path canonical and fills i->prefixes. */
static void find_prefixes(struct workspace *ws, struct interpreter *i)
{
	char *real = realpath(i->path, NULL), *dir = path_dir(i->path), *real_dir = realpath(dir, NULL);

	if (!real || !real_dir || access(real, X_OK) != 0) {
		set_problem(i, xasprintf("cannot be run: %s", strerror(errno)));
		goto out;
	}
	char *path = path_join(real_dir, path_base(i->path));
	char *prefix = path_dir(real_dir), *real_prefix = up_two(real), *config = path_join(prefix, "pyvenv.cfg");
	if (fs_exists(AT_FDCWD, config)) {
		add_prefix(ws, i, prefix);
		add_base(ws, i, config);
	} else if (strcmp(prefix, real_prefix) != 0 && !is_system(path)) {
		/* A link in a folder of links: the run gets what it leads to. */
		free(path);
		path = xstrdup(real);
	}
	add_prefix(ws, i, real_prefix);
	free(config);
	free(real_prefix);
	free(prefix);
	free(i->path);
	i->path = path;
out:
	free(real_dir);
	free(dir);
	free(real);
}

static bool wants_user_site(struct workspace *ws)
{
	char *value = setting_get(ws, "user-site", NULL, NULL);
	bool yes = value && strcmp(value, "yes") == 0;

	free(value);
	return yes;
}

/* The user's own packages, where he wants them: their folders alone, not all that lies beside them. */
static void add_user_sites(struct workspace *ws, struct interpreter *i)
{
	struct strv sites = { 0 };
	char *base = wants_user_site(ws) ? own_python_base() : NULL;

	if (base)
		own_python_sites(base, &sites);
	for (size_t k = 0; k < sites.n; k++)
		add_prefix(ws, i, sites.v[k]);
	if (sites.n > 0)
		i->user_base = xstrdup(base);
	strv_free(&sites);
	free(base);
}

/* ---- the run of a script of ours ---- */

struct answer {
	struct buf *out;
	struct buf *complaint;
};

static void take(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	struct answer *a = ctx;
	struct buf *b = stream == STREAM_OUT ? a->out : a->complaint;

	(void)group;
	(void)offset_us;
	if (b->len < ANSWER_MOST)
		buf_add(b, p, MIN(n, ANSWER_MOST - b->len));
}

static bool run_spec(const struct sandbox_spec *spec, struct answer *a, struct sandbox_result *result, struct err *e)
{
	struct sandbox_sink sink = { .stream = take, .ctx = a };
	struct sandbox *sb = sandbox_prepare(spec, e);

	if (!sb)
		return false;
	bool ok = sandbox_start(sb, e) && sandbox_run(sb, &sink, result, e);
	sandbox_free(sb);
	return ok;
}

bool interpreter_run_ours(struct workspace *ws, const struct interpreter *i, const struct sandbox_file *script,
                          struct buf *out, struct buf *complaint, struct err *e)
{
	const struct sandbox_caps *caps;
	struct sandbox_result result = { 0 };
	struct answer answer = { out, complaint };
	char *path = path_join(SANDBOX_SUPPORT, script->path);
	const char *argv[] = { i->path, path, NULL };
	char *base = i->user_base ? xasprintf("PYTHONUSERBASE=%s", i->user_base) : NULL;
	const char *env[] = { base, NULL };
	bool ok = workspace_caps(ws, &caps, e);

	if (ok) {
		char *disk = path_join(ws->root, ".tickmark/cache");
		struct sandbox_spec spec = {
			.argv = argv, .env = env, .box = "/probe", .cwd = ".", .support = script, .support_count = 1,
			.prefixes = (const char *const *)i->prefixes.v, .prefix_count = i->prefixes.n,
			.stop_fd = -1, .disk_scratch = disk,
		};
		policy_defaults(ASKER_PERSON, &spec.policy);
		spec.policy.tier = caps->tier;
		spec.policy.scratch = caps->scratch;
		spec.policy.limits.wall_ms = PROBE_MS;
		ok = run_spec(&spec, &answer, &result, e);
		free(disk);
	}
	if (ok && (result.end != SANDBOX_EXIT || result.exit_code != 0))
		ok = err_set(e, ERR_SANDBOX, "%s did not answer: %s", i->path,
		             result.end == SANDBOX_FAULT ? result.fault : complaint->len ? complaint->data : "no output");
	sandbox_result_free(&result);
	free(base);
	free(path);
	return ok;
}

/* ---- the cache ---- */

static void stamp_path(struct buf *b, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		buf_addf(b, "%s -\n", path);
	else
		buf_addf(b, "%s %lld %lld.%09ld %lld.%09ld %lld %lld\n", path, (long long)st.st_size,
		         (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec,
		         st.st_ctim.tv_nsec, (long long)st.st_ino, (long long)st.st_dev);
}

/* What must be unchanged for an answer to hold. */
static void stamp(const struct interpreter *i, char *const *sites, size_t n, struct buf *b)
{
	struct utsname name;
	char *up = up_two(i->path), *config = path_join(up, "pyvenv.cfg");

	uname(&name);
	buf_addf(b, "%s %s %s\n", TICKMARK_VERSION, name.release, name.machine);
	if (i->user_base)
		buf_addf(b, "user %s\n", i->user_base);
	stamp_path(b, i->path);
	stamp_path(b, config);
	for (size_t k = 0; k < n; k++)
		stamp_path(b, sites[k]);
	free(config);
	free(up);
}

void interpreter_cache_name(const char *what, const char *path, char name[80])
{
	struct digest d = hash_bytes(path, strlen(path));
	char hex[DIGEST_HEX];

	digest_hex(&d, hex);
	snprintf(name, 80, "%s-%.16s", what, hex);
}

static char *keep(struct interpreter *i, char *text)
{
	struct strv *all = i->arena;

	strv_take(all, text);
	return text;
}

static const char *keep_text(struct interpreter *i, const struct json_value *v, const char *key)
{
	return keep(i, xstrdup(json_text(json_get(v, key), "")));
}

static const char *keep_lines(struct interpreter *i, const struct json_value *list)
{
	struct buf b = { 0 };

	for (size_t k = 0; k < json_count(list); k++)
		buf_addf(&b, "%s\n", json_text(json_at(list, k), ""));
	return keep(i, buf_take(&b));
}

static void list_texts(const struct json_value *list, struct strv *out)
{
	for (size_t k = 0; k < json_count(list); k++)
		strv_add(out, json_text(json_at(list, k), ""));
}

static void fill(struct interpreter *i, const struct json_value *v)
{
	struct environment *env = &i->env;

	env->python = keep(i, xstrdup(i->path));
	env->version = keep_text(i, v, "version");
	env->implementation = keep_text(i, v, "implementation");
	env->prefix = keep_text(i, v, "prefix");
	env->base_prefix = keep_text(i, v, "base_prefix");
	env->platform = keep_text(i, v, "platform");
	env->packages = keep_lines(i, json_get(v, "packages"));
	strv_free(&i->sites);
	list_texts(json_get(v, "sites"), &i->sites);
	env->locale = LOCALE;
	env->zone = keep(i, xstrdup(clock_zone()));
	env->fingerprint = store_environment_hash(env);
}

void interpreter_in_zone(struct interpreter *i, const char *zone)
{
	i->env.zone = keep(i, xstrdup(zone));
	i->env.fingerprint = store_environment_hash(&i->env);
}

static bool is_visible(const struct interpreter *i, const char *path)
{
	bool yes = is_system(path);

	for (size_t k = 0; !yes && k < i->prefixes.n; k++)
		yes = is_below(i->prefixes.v[k], path);
	return yes;
}

static void check(struct interpreter *i)
{
	const char *version = i->env.version;

	if (strncmp(version, "3.", 2) != 0)
		set_problem(i, xasprintf("Python %s; version 3 is needed", *version ? version : "of an unknown version"));
	else if (!is_visible(i, i->env.prefix) || !is_visible(i, i->env.base_prefix))
		set_problem(i, xasprintf("its prefix %s is not where the program lies", i->env.prefix));
}

/* True when the cache held an answer that still holds. */
static bool recall(struct workspace *ws, struct interpreter *i, const char *file)
{
	struct buf b = { 0 }, now = { 0 };
	struct strv sites = { 0 };
	int dir = workspace_open_dir(ws, "cache", NULL);
	bool ok = dir >= 0 && fs_read(dir, file, CACHE_MOST, &b, NULL) && b.len > 0;
	struct json_value *v = ok ? json_read(b.data, b.len, NULL) : NULL;

	if (v) {
		list_texts(json_get(v, "sites"), &sites);
		stamp(i, sites.v, sites.n, &now);
	}
	ok = v && strcmp(json_text(json_get(v, "stamp"), ""), now.data) == 0;
	if (ok)
		fill(i, v);
	json_free(v);
	strv_free(&sites);
	buf_free(&now);
	buf_free(&b);
	if (dir >= 0)
		close(dir);
	return ok;
}

static void put_list(struct json_writer *w, const char *key, const struct json_value *list)
{
	json_open(w, key, '[');
	for (size_t k = 0; k < json_count(list); k++)
		json_put_text(w, NULL, json_text(json_at(list, k), ""));
	json_close(w);
}

/* A cache that cannot be written costs time only. */
static void remember(struct workspace *ws, const struct interpreter *i, const struct json_value *v, const char *file)
{
	static const char *const texts[] = { "version", "implementation", "prefix", "base_prefix", "platform" };
	struct json_writer *w = json_writer_new();
	struct strv sites = { 0 };
	struct buf now = { 0 };

	list_texts(json_get(v, "sites"), &sites);
	stamp(i, sites.v, sites.n, &now);
	json_put_text(w, "stamp", now.data);
	for (size_t k = 0; k < ARRAY_LEN(texts); k++)
		json_put_text(w, texts[k], json_text(json_get(v, texts[k]), ""));
	put_list(w, "sites", json_get(v, "sites"));
	put_list(w, "packages", json_get(v, "packages"));
	char *text = json_writer_text(w);
	int dir = workspace_open_dir(ws, "cache", NULL);
	if (dir >= 0) {
		(void)fs_write(dir, file, text, strlen(text), false, NULL);
		close(dir);
	}
	free(text);
	buf_free(&now);
	strv_free(&sites);
}

/* The end of what it complained, on one line. */
static char *why_not(const struct err *e, const struct buf *complaint)
{
	size_t from = complaint->len > COMPLAINT_MOST ? complaint->len - COMPLAINT_MOST : 0, end = complaint->len;

	while (end > from && complaint->data[end - 1] == '\n')
		end--;
	for (size_t k = end; k > from; k--)
		if (complaint->data[k - 1] == '\n') {
			from = k;
			break;
		}
	if (end == from)
		return xasprintf("does not run in the sandbox: %s", e->msg);
	return xasprintf("does not run in the sandbox: %.*s", (int)(end - from), complaint->data + from);
}

static bool ask(struct workspace *ws, struct interpreter *i, const char *file, struct err *e)
{
	struct sandbox_file script = { "interpreter_probe.py", interpreter_probe_py, sizeof(interpreter_probe_py) - 1 };
	struct buf out = { 0 }, complaint = { 0 };
	const struct sandbox_caps *caps;
	struct err why = { 0 };

	if (!workspace_caps(ws, &caps, e))
		return false;
	if (caps->tier == TIER_NONE)
		return err_set(e, ERR_SANDBOX, "no sandbox can be had here: %s", caps->why);
	bool ok = interpreter_run_ours(ws, i, &script, &out, &complaint, &why);
	struct json_value *v = ok ? json_read(out.data, out.len, &why) : NULL;
	if (v) {
		fill(i, v);
		remember(ws, i, v, file);
	} else {
		set_problem(i, why_not(&why, &complaint));
	}
	json_free(v);
	buf_free(&out);
	buf_free(&complaint);
	return true;
}

bool interpreter_examine(struct workspace *ws, char *path, const char *origin, struct interpreter *out, struct err *e)
{
	char file[80];

	*out = (struct interpreter){ .path = path, .origin = xstrdup(origin), .arena = xcalloc(1, sizeof(struct strv)) };
	find_prefixes(ws, out);
	add_user_sites(ws, out);
	out->env.python = keep(out, xstrdup(out->path));
	if (out->problem)
		return true;
	interpreter_cache_name("python", out->path, file);
	if (!recall(ws, out, file) && !ask(ws, out, file, e))
		return false;
	if (!out->problem)
		check(out);
	return true;
}
