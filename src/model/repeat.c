/* Substitutes for an interpreter, and what they differ in from the recorded one. */
#include "repeat.h"

#include "interpreter_probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMED_MOST 3 /* differing packages that are named */

void repeat_qualify_add(struct buf *out, const char *text)
{
	buf_adds(out, out->len ? "; " : "");
	buf_adds(out, text);
}

/* ---- differences of environment ---- */

struct package {
	const char *name;
	size_t name_n;
	const char *version;
	size_t version_n;
};

static const char *next_package(const char *p, struct package *out)
{
	const char *end = strchrnul(p, '\n'), *blank = memchr(p, ' ', (size_t)(end - p));

	if (*p == '\0')
		return NULL;
	const char *stop = blank ? blank : end;
	*out = (struct package){ .name = p, .name_n = (size_t)(stop - p), .version = blank ? blank + 1 : end };
	out->version_n = (size_t)(end - out->version);
	return *end ? end + 1 : end;
}

static int compare_names(const struct package *a, const struct package *b)
{
	int c = strncasecmp(a->name, b->name, MIN(a->name_n, b->name_n));

	return c ? c : (a->name_n > b->name_n) - (a->name_n < b->name_n);
}

static void tell_package(struct buf *out, const struct package *was, const struct package *is)
{
	buf_adds(out, out->len ? "; " : "");
	if (was && is)
		buf_addf(out, "%.*s %.*s for %.*s", (int)is->name_n, is->name, (int)is->version_n, is->version,
		         (int)was->version_n, was->version);
	else if (was)
		buf_addf(out, "without %.*s %.*s", (int)was->name_n, was->name, (int)was->version_n, was->version);
}

/* How many recorded packages are not there, or in another version; the first are told (out NULL: none). Both lists are
 * sorted by name. What is there in addition cannot have been used, and does not count. */
static int64_t compare_packages(struct buf *out, const char *recorded, const char *now)
{
	struct package was = { 0 }, is = { 0 };
	const char *a = next_package(recorded, &was), *b = next_package(now, &is);
	int64_t differing = 0;

	while (a) {
		int order = b ? compare_names(&was, &is) : -1;
		bool differs = order < 0 || (order == 0 && (was.version_n != is.version_n ||
		                                            memcmp(was.version, is.version, was.version_n) != 0));
		if (differs && differing++ < NAMED_MOST && out)
			tell_package(out, &was, order == 0 ? &is : NULL);
		if (order <= 0)
			a = next_package(a, &was);
		if (order >= 0)
			b = next_package(b, &is);
	}
	if (differing > NAMED_MOST && out)
		buf_addf(out, "; %lld more packages differ", (long long)(differing - NAMED_MOST));
	return differing;
}

static void qualify_text(struct buf *out, const char *what, const char *recorded, const char *now)
{
	if (strcmp(recorded, now) == 0)
		return;
	char *text = xasprintf("%s%s%s for %s", what, *what ? " " : "", now, recorded);
	repeat_qualify_add(out, text);
	free(text);
}

void repeat_qualify(struct buf *out, const struct environment *recorded, const struct environment *now)
{
	qualify_text(out, "", recorded->implementation, now->implementation);
	qualify_text(out, "Python", recorded->version, now->version);
	(void)compare_packages(out, recorded->packages, now->packages);
	qualify_text(out, "", recorded->platform, now->platform);
	qualify_text(out, "zone", recorded->zone, now->zone);
}

/* ---- the interpreter ---- */

/* How good a substitute it is: 3 same version, 2 same minor version, 1 other. */
static int rank(const struct environment *recorded, const struct environment *e)
{
	const char *dot = strchr(recorded->version, '.'), *second = dot ? strchr(dot + 1, '.') : NULL;
	size_t minor = second ? (size_t)(second - recorded->version) + 1 : strlen(recorded->version);

	if (strcmp(recorded->implementation, e->implementation) != 0)
		return 1;
	if (strcmp(recorded->version, e->version) == 0)
		return 3;
	return strncmp(recorded->version, e->version, minor) == 0 ? 2 : 1;
}

struct search {
	const struct environment *recorded;
	char *best;        /* owned path */
	int rank;
	int64_t differing; /* packages of it */
};

/* The nearest version is the best; of several, the one with the fewest packages that differ. */
static bool consider(void *ctx, const struct interpreter *i)
{
	struct search *s = ctx;
	int r = i->problem ? 0 : rank(s->recorded, &i->env);
	int64_t differing = r > 1 ? compare_packages(NULL, s->recorded->packages, i->env.packages) : 0;

	if (r > 1 && (r > s->rank || (r == s->rank && differing < s->differing))) {
		free(s->best);
		s->best = xstrdup(i->path);
		s->rank = r;
		s->differing = differing;
	}
	return s->rank < 3 || s->differing > 0;
}

/* True when the recorded one is there and fits at least as well as any other could. */
static bool take_recorded(struct workspace *ws, const struct environment *recorded, struct interpreter *out)
{
	if (recorded->python[0] != '/' || access(recorded->python, X_OK) != 0)
		return false;
	if (interpreter_examine(ws, xstrdup(recorded->python), "recorded", out, NULL) && !out->problem &&
	    rank(recorded, &out->env) == 3)
		return true;
	interpreter_free(out);
	return false;
}

static bool choose(struct workspace *ws, const struct environment *recorded, const char *wanted,
                   struct interpreter *out, struct err *e)
{
	struct search s = { .recorded = recorded };

	if (wanted)
		return interpreter_choose(ws, wanted, out, e);
	/* A record from elsewhere names no program that runs here. */
	if (!ws->review && take_recorded(ws, recorded, out))
		return true;
	if (!interpreter_each(ws, consider, &s, e)) {
		free(s.best);
		return false;
	}
	bool ok = interpreter_choose(ws, s.best, out, e);
	free(s.best);
	return ok;
}

#define ZONES "/usr/share/zoneinfo/"

static bool zone_is_here(const char *zone)
{
	char *path = xasprintf(ZONES "%s", zone);
	bool here = path_is_plain_relative(zone) && access(path, R_OK) == 0;

	free(path);
	return here;
}

bool repeat_python(struct workspace *ws, const struct environment *recorded, const char *wanted,
                   struct interpreter *out, struct buf *qualified, struct err *e)
{
	if (!choose(ws, recorded, wanted, out, e))
		return false;
	if (!qualified)
		return true;
	if (strcmp(recorded->zone, out->env.zone) != 0 && zone_is_here(recorded->zone))
		interpreter_in_zone(out, recorded->zone);
	repeat_qualify(qualified, recorded, &out->env);
	return true;
}
