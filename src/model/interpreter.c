/* Which interpreter a run gets, by rule, and which there are. */
#include "interpreter_probe.h"
#include "shim.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void interpreter_free(struct interpreter *i)
{
	if (!i)
		return;
	free(i->path);
	free(i->origin);
	free(i->problem);
	free(i->user_base);
	strv_free(&i->prefixes);
	strv_free(&i->sites);
	if (i->arena)
		strv_free(i->arena);
	free(i->arena);
	*i = (struct interpreter){ 0 };
}

/* The version that has this package, by the lines of the environment. */
bool interpreter_has(const struct interpreter *i, const char *package, char version[32])
{
	size_t n = strlen(package);

	for (const char *p = i->env.packages ? i->env.packages : ""; *p;) {
		const char *end = strchrnul(p, '\n');
		if (strncasecmp(p, package, n) == 0 && p[n] == ' ') {
			snprintf(version, 32, "%.*s", (int)(end - p - (ptrdiff_t)n - 1), p + n + 1);
			return true;
		}
		p = *end ? end + 1 : end;
	}
	return false;
}

/* ---- choosing ---- */

static char *here(void)
{
	char *cwd = getcwd(NULL, 0);

	return cwd ? cwd : xstrdup("/");
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A path, a name in PATH, or a version ("3.11" is python3.11). Owned; NULL with error. */
static char *look_up(const char *wanted, const char *from, struct err *e)
{
	if (strchr(wanted, '/')) {
		char *joined = wanted[0] == '/' ? xstrdup(wanted) : path_join(from, wanted);
		char *clean = path_clean(joined), *found = NULL;
		free(joined);
		if (access(clean, X_OK) != 0)
			err_sys(e, "cannot use the interpreter %s", clean);
		else if (is_folder(clean))
			err_set(e, ERR_INPUT, "%s is a folder and no interpreter", clean);
		else if (!(found = shim_resolve(clean, from)))
			err_set(e, ERR_NOTFOUND, "%s stands for a version that is not installed", clean);
		free(clean);
		return found;
	}
	char *name = wanted[0] >= '0' && wanted[0] <= '9' ? xasprintf("python%s", wanted) : xstrdup(wanted);
	char *found = shim_find(name, from, e);
	free(name);
	return found;
}

static char *active_environment(const char **origin)
{
	static const struct {
		const char *variable;
		const char *origin;
	} kinds[] = {
		{ "VIRTUAL_ENV", "active virtual environment" },
		{ "CONDA_PREFIX", "active conda environment" },
	};

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		const char *dir = getenv(kinds[k].variable);
		if (!dir || dir[0] != '/')
			continue;
		char *python = path_join(dir, "bin/python3");
		if (access(python, X_OK) == 0) {
			*origin = kinds[k].origin;
			return python;
		}
		free(python);
	}
	return NULL;
}

static char *by_rule(struct workspace *ws, const char *wanted, const char *from, const char **origin, struct err *e)
{
	const char *source = NULL;
	struct err problem = { 0 };

	if (wanted) {
		*origin = "--python";
		return look_up(wanted, from, e);
	}
	char *setting = setting_get(ws, "python", &source, &problem);
	if (!setting && problem.code != ERR_NONE) {
		if (e)
			*e = problem;
		return NULL;
	}
	if (setting && *setting) {
		bool ours = source && strcmp(source, "workspace") == 0;
		*origin = ours ? "workspace setting" : "user setting";
		char *path = look_up(setting, ours ? ws->root : from, e);
		if (!path)
			err_prefix(e, "%s 'python'", *origin);
		free(setting);
		return path;
	}
	free(setting);
	char *active = active_environment(origin);
	if (active)
		return active;
	*origin = "PATH";
	return shim_find("python3", from, e);
}

bool interpreter_is_there(struct workspace *ws, const char *wanted, struct err *e)
{
	char *from = here(), *path = look_up(wanted, ws ? ws->root : from, e);
	bool there = path != NULL;

	free(path);
	free(from);
	return there;
}

bool interpreter_choose(struct workspace *ws, const char *wanted, struct interpreter *out, struct err *e)
{
	const char *origin = "";
	char *from = here(), *path = by_rule(ws, wanted, from, &origin, e);

	*out = (struct interpreter){ 0 };
	free(from);
	if (!path || !interpreter_examine(ws, path, origin, out, e)) {
		interpreter_free(out);
		return false;
	}
	if (out->problem) {
		err_set(e, ERR_INPUT, "%s (%s) %s; tickmark run --python PATH takes another one", out->path, out->origin,
		        out->problem);
		interpreter_free(out);
		return false;
	}
	return true;
}

/* ---- all there are ---- */

struct found {
	struct strv paths;
	struct strv origins;
	struct strv seen;    /* what they lead to; virtual environments count by their own path */
};

static void add(struct found *f, const char *path, const char *origin)
{
	char *real = realpath(path, NULL), *dir = path_dir(path), *up = path_dir(dir), *config = path_join(up, "pyvenv.cfg");
	bool venv = fs_exists(AT_FDCWD, config);
	const char *key = venv ? path : real;

	if (real && access(path, X_OK) == 0 && !strv_has(&f->seen, key)) {
		strv_add(&f->seen, key);
		strv_add(&f->paths, path);
		strv_add(&f->origins, origin);
	}
	free(config);
	free(up);
	free(dir);
	free(real);
}

/* python3, python3.9, python3.12, not python3-config. */
static bool is_python_name(const char *name)
{
	if (strncmp(name, "python3", 7) != 0)
		return false;
	name += 7;
	if (*name == '.')
		name += 1 + strspn(name + 1, "0123456789");
	return *name == '\0';
}

static void add_folder(struct found *f, const char *dir, const char *origin)
{
	DIR *d = opendir(dir);
	struct strv names = { 0 };

	for (struct dirent *de; d && (de = readdir(d));)
		if (is_python_name(de->d_name))
			strv_add(&names, de->d_name);
	if (d)
		closedir(d);
	/* The plain name first: it is the one that people use. */
	if (strv_has(&names, "python3")) {
		char *path = path_join(dir, "python3");
		add(f, path, origin);
		free(path);
	}
	for (size_t k = 0; k < names.n; k++) {
		char *path = path_join(dir, names.v[k]);
		add(f, path, origin);
		free(path);
	}
	strv_free(&names);
}

static void add_path(struct found *f, const char *from)
{
	char *copy = xstrdup(getenv("PATH") ? getenv("PATH") : ""), *save = NULL;
	char *first = shim_find("python3", from, NULL);

	if (first)
		add(f, first, "PATH");
	free(first);
	for (char *dir = strtok_r(copy, ":", &save); dir; dir = strtok_r(NULL, ":", &save))
		if (dir[0] == '/' && strcmp(path_base(dir), "shims") != 0)
			add_folder(f, dir, "PATH");
	free(copy);
	add_folder(f, "/usr/bin", "/usr/bin");
}

static void add_version(void *ctx, const char *bin)
{
	add_folder(ctx, bin, "pyenv or asdf");
}

static void add_below(struct found *f, const char *dir, const char *origin)
{
	DIR *d = opendir(dir);

	for (struct dirent *de; d && (de = readdir(d));) {
		if (strcmp(de->d_name, ".") == 0 || strcmp(de->d_name, "..") == 0)
			continue;
		char *one = path_join(dir, de->d_name), *config = path_join(one, "pyvenv.cfg"), *bin = path_join(one, "bin/python3");
		char *meta = path_join(one, "conda-meta");
		if (fs_exists(AT_FDCWD, config) || fs_exists(AT_FDCWD, meta))
			add(f, bin, origin);
		free(meta);
		free(bin);
		free(config);
		free(one);
	}
	if (d)
		closedir(d);
}

/* Pythons that uv keeps: prefixes side by side. */
static void add_uv(struct found *f)
{
	const char *home = getenv("HOME"), *set = getenv("UV_PYTHON_INSTALL_DIR");
	char *folder = set && set[0] == '/' ? xstrdup(set) : home ? path_join(home, ".local/share/uv/python") : NULL;
	DIR *d = folder ? opendir(folder) : NULL;

	for (struct dirent *de; d && (de = readdir(d));) {
		char *bin = xasprintf("%s/%s/bin", folder, de->d_name);
		if (de->d_name[0] != '.')
			add_folder(f, bin, "uv");
		free(bin);
	}
	if (d)
		closedir(d);
	free(folder);
}

static void add_conda(struct found *f)
{
	static const char *const roots[] = { "miniconda3", "anaconda3", "miniforge3", "mambaforge" };
	const char *home = getenv("HOME");

	for (size_t k = 0; home && k < ARRAY_LEN(roots); k++) {
		char *root = path_join(home, roots[k]), *bin = path_join(root, "bin/python3"), *envs = path_join(root, "envs");
		add(f, bin, "conda");
		add_below(f, envs, "conda");
		free(envs);
		free(bin);
		free(root);
	}
}

bool interpreter_each(struct workspace *ws, bool (*fn)(void *ctx, const struct interpreter *i), void *ctx, struct err *e)
{
	struct found f = { 0 };
	const char *origin = NULL;
	char *from = here(), *active = active_environment(&origin);
	bool ok = true, more = true;

	if (active)
		add(&f, active, origin);
	add_path(&f, from);
	add_below(&f, ws->root, "virtual environment in the workspace");
	shim_each_version(add_version, &f);
	add_conda(&f);
	add_uv(&f);
	for (size_t k = 0; ok && more && k < f.paths.n; k++) {
		struct interpreter i = { 0 };
		ok = interpreter_examine(ws, xstrdup(f.paths.v[k]), f.origins.v[k], &i, e);
		if (ok)
			more = fn(ctx, &i);
		interpreter_free(&i);
	}
	strv_free(&f.paths);
	strv_free(&f.origins);
	strv_free(&f.seen);
	free(active);
	free(from);
	return ok;
}
