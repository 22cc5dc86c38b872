/*
 * Are the packages of an interpreter compiled? A run cannot write byte code, so a module without is
 * compiled anew by every run (importing pandas takes 4.3 times as long).
 */
#include "bytecode.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 60000
#define MOST_DEPTH 12

/* "cpython-311" of 3.11.2: https://peps.python.org/pep-3147/ */
static bool make_tag(const struct environment *env, char tag[32])
{
	int minor;

	if (strcmp(env->implementation, "CPython") != 0 || sscanf(env->version, "3.%d.", &minor) != 1)
		return false;
	snprintf(tag, 32, "cpython-3%d", minor);
	return true;
}

struct walk {
	const char *tag;
	struct bytecode *sum;
	int64_t looked;
};

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && strcmp(name + n - m, end) == 0;
}

static void look_at_module(struct walk *w, int cache, const char *name)
{
	char *compiled = xasprintf("%.*s.%s.pyc", (int)(strlen(name) - 3), name, w->tag);

	w->sum->modules++;
	w->sum->without += cache < 0 || faccessat(cache, compiled, F_OK, 0) != 0;
	free(compiled);
}

static void look_at_folder(struct walk *w, int fd, int depth)
{
	int cache = openat(fd, "__pycache__", O_PATH | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fdopendir(fd);

	if (!d)
		close(fd);
	for (struct dirent *ent; d && w->looked < MOST_FILES && (ent = readdir(d)); w->looked++) {
		const char *name = ent->d_name;
		if (ends_in(name, ".py")) {
			look_at_module(w, cache, name);
		} else if (name[0] != '.' && ent->d_type == DT_DIR && depth < MOST_DEPTH && strcmp(name, "__pycache__") != 0) {
			int down = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (down >= 0)
				look_at_folder(w, down, depth + 1);
		}
	}
	if (d)
		closedir(d);
	if (cache >= 0)
		close(cache);
}

void bytecode_count(const struct interpreter *i, struct bytecode *out)
{
	char tag[32];
	struct walk w = { .tag = tag, .sum = out };

	*out = (struct bytecode){ 0 };
	if (!make_tag(&i->env, tag))
		return;
	for (size_t k = 0; k < i->sites.n; k++) {
		const char *path = i->sites.v[k];
		/* The standard library comes compiled, and its tests are not imported. */
		if (!strstr(path, "-packages"))
			continue;
		int64_t before = out->without;
		int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			look_at_folder(&w, fd, 0);
		if (out->without > before && !out->folder)
			out->folder = path;
	}
}
