/* The user's own packages and variables, by looking at the folders and at our environment. */
#include "own_python.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PTH_MOST ((size_t)65536)
#define USER_SITE "tickmark config user-site yes"

char *own_python_base(void)
{
	const char *set = getenv("PYTHONUSERBASE"), *home = getenv("HOME");

	if (set && set[0] == '/')
		return path_clean(set);
	return home && home[0] == '/' ? path_join(home, ".local") : NULL;
}

static bool is_version_folder(const char *name)
{
	static const char start[] = "python3.";

	return strncmp(name, start, strlen(start)) == 0 && name[strlen(start) + strspn(name + strlen(start), "0123456789")] == '\0';
}

void own_python_sites(const char *base, struct strv *out)
{
	char *lib = path_join(base, "lib");
	DIR *d = opendir(lib);

	for (struct dirent *ent; d && (ent = readdir(d));) {
		if (!is_version_folder(ent->d_name))
			continue;
		char *site = xasprintf("%s/%s/site-packages", lib, ent->d_name), *real = realpath(site, NULL);
		if (real)
			strv_add(out, site);
		free(real);
		free(site);
	}
	if (d)
		closedir(d);
	free(lib);
}

/* The folder of user packages of one version; owned, NULL: not there. */
static char *site_of(const char *version)
{
	const char *dot = strchr(version, '.'), *second = dot ? strchr(dot + 1, '.') : NULL;
	int n = second ? (int)(second - version) : (int)strlen(version);
	char *base = own_python_base(), *site = base ? xasprintf("%s/lib/python%.*s/site-packages", base, n, version) : NULL;

	free(base);
	if (site && access(site, X_OK) != 0) {
		free(site);
		site = NULL;
	}
	return site;
}

static bool holds(const char *folder, const char *module, size_t n)
{
	static const char *const forms[] = { "", ".py", ".so" };
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(forms) && !found; i++) {
		char *path = xasprintf("%s/%.*s%s", folder, (int)n, module, forms[i]);
		found = access(path, F_OK) == 0;
		free(path);
	}
	return found;
}

/* Folders of PYTHONPATH, one after the other; false: there are no more. */
static bool next_folder(const char **rest, char **folder)
{
	while (**rest == ':')
		(*rest)++;
	size_t n = strcspn(*rest, ":");
	if (n == 0)
		return false;
	*folder = xstrndup(*rest, n);
	*rest += n;
	return true;
}

static char *find_in_user_site(const struct interpreter *i, const char *module, size_t n)
{
	char *site = site_of(i->env.version), *text = NULL;

	if (site && holds(site, module, n))
		text = xasprintf("it is among your own packages in %s, which runs see after " USER_SITE, site);
	free(site);
	return text;
}

static char *find_in_path(const char *module, size_t n)
{
	const char *rest = getenv("PYTHONPATH") ? getenv("PYTHONPATH") : "";
	char *folder, *text = NULL;

	while (!text && next_folder(&rest, &folder)) {
		if (holds(folder, module, n))
			text = xasprintf("it is in %s of your PYTHONPATH, which a run does not get: copy it into the workspace, or install it",
			                 folder);
		free(folder);
	}
	return text;
}

/* Lines of a .pth file are folders; some are code. https://docs.python.org/3/library/site.html */
static char *find_in_pth(int dir, const char *site, const char *name, const char *module, size_t n)
{
	struct buf b = { 0 };
	char *text = NULL, *rest = fs_read(dir, name, PTH_MOST, &b, NULL) ? b.data : NULL;

	for (char *line; !text && rest && (line = strsep(&rest, "\n"));)
		if (line[0] == '/' && holds(line, module, n))
			text = xasprintf("it is in %s, which %s/%s names and a run does not see: install it without -e, or copy it into the "
			                 "workspace", line, site, name);
	buf_free(&b);
	return text;
}

/* Packages under development (pip install -e) lie elsewhere. */
static char *find_in_site(const char *site, const char *module, size_t n)
{
	static const char end[] = ".pth";
	DIR *d = opendir(site);
	char *text = NULL;

	for (struct dirent *ent; d && !text && (ent = readdir(d));) {
		size_t len = strlen(ent->d_name);
		if (len > strlen(end) && strcmp(ent->d_name + len - strlen(end), end) == 0)
			text = find_in_pth(dirfd(d), site, ent->d_name, module, n);
	}
	if (d)
		closedir(d);
	return text;
}

char *own_python_find(const struct interpreter *i, const char *module, size_t n)
{
	const char *dot = n ? memchr(module, '.', n) : NULL;
	char *text;

	n = dot ? (size_t)(dot - module) : n;
	if (n == 0 || memchr(module, '/', n))
		return NULL;
	text = find_in_user_site(i, module, n);
	text = text ? text : find_in_path(module, n);
	for (size_t k = 0; !text && k < i->sites.n; k++)
		text = find_in_site(i->sites.v[k], module, n);
	return text;
}

/* ---- for doctor ---- */

static int64_t count_packages(const char *site)
{
	static const char end[] = ".dist-info";
	DIR *d = opendir(site);
	int64_t count = 0;

	for (struct dirent *ent; d && (ent = readdir(d));) {
		size_t n = strlen(ent->d_name);
		count += n > strlen(end) && strcmp(ent->d_name + n - strlen(end), end) == 0;
	}
	if (d)
		closedir(d);
	return count;
}

void own_python_each(const char *version, bool user_site, void (*fn)(void *ctx, char *state, const char *remedy), void *ctx)
{
	static const struct {
		const char *name, *remedy;
	} variables[] = {
		{ "PYTHONPATH", "install what is in it, or copy it into the workspace; --env gives a run a variable, but not the folders" },
		{ "PYTHONHOME", "choose the interpreter instead: tickmark config python PATH" },
		{ "PYTHONOPTIMIZE", "with it asserts do not run: tickmark run --env PYTHONOPTIMIZE=1" },
		{ "PYTHONWARNINGS", "tickmark run --env PYTHONWARNINGS=…" },
		{ "PYTHONINTMAXSTRDIGITS", "tickmark run --env PYTHONINTMAXSTRDIGITS=…" },
	};
	char *site = site_of(version);
	int64_t packages = site ? count_packages(site) : 0;

	if (packages > 0 && user_site)
		fn(ctx, xasprintf("runs see your own packages (%lld in %s)", (long long)packages, site), "");
	else if (packages > 0)
		fn(ctx, xasprintf("runs do not see your own packages (%lld in %s)", (long long)packages, site), USER_SITE);
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		if (getenv(variables[i].name))
			fn(ctx, xasprintf("%s is set in your shell, and runs do not get it", variables[i].name), variables[i].remedy);
	free(site);
}
