/* What runs: its bytes, read once, and the path at which they stand in the folder of the run. */
#include "runplan_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CODE_MOST (64 << 20)
#define PIPE_NAME "stdin.py"

/* Absolute, the folder's links resolved; the script itself may be a link. */
static char *real_place(const char *path, struct err *e)
{
	char *dir = path_dir(path), *real = realpath(dir, NULL);

	if (!real)
		err_sys(e, "cannot find the folder %s", dir);
	char *place = real ? path_join(real, path_base(path)) : NULL;
	free(real);
	free(dir);
	return place;
}

/* Relative to the workspace; NULL outside, and for what is our own. */
static const char *inside(const struct runplan *p, const char *path)
{
	const char *below = path_below(p->ws->root, path);

	if (below && (strcmp(below, ".tickmark") == 0 || strncmp(below, ".tickmark/", 10) == 0))
		return NULL;
	return below;
}

static bool take_script(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	char *place = real_place(p->req->script, e);

	if (!place)
		return false;
	runplan_keep(p, place);
	if (!fs_read(AT_FDCWD, p->req->script, CODE_MOST, &p->code, e))
		return err_prefix(e, "script %s", p->req->script);
	const char *below = inside(p, place);
	a->script = below ? below : path_base(place);
	a->origin = below ? NULL : place;
	return true;
}

static bool take_code(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	const char *name = p->req->code_name ? p->req->code_name : PIPE_NAME;

	if (p->req->code_len > CODE_MOST)
		return err_set(e, ERR_LIMIT, "the code is larger than 64 MiB");
	if (!path_is_plain_relative(name))
		return err_set(e, ERR_INPUT, "\"%s\" cannot be the name of a script in the workspace", name);
	buf_add(&p->code, p->req->code, p->req->code_len);
	a->script = runplan_keep_dup(p, name);
	a->origin = "-";
	return true;
}

static bool take_recorded(struct runplan *p, struct err *e)
{
	int64_t id = runplan_is_check(p) ? p->req->check_of : p->req->rerun_of;
	struct store *st = workspace_store(p->ws, e);
	struct attempt *a = &p->attempt;

	if (!st || !store_attempt_get(st, id, &p->original, e))
		return false;
	const struct attempt *o = &p->original.attempt;
	if (runplan_is_check(p) && o->check_of)
		return err_set(e, ERR_INPUT, "%lld.%lldr%lld is a check; repeat the attempt itself", (long long)o->step,
		               (long long)o->number, (long long)o->check);
	if (runplan_is_check(p) && p->original.end.attempt == 0)
		return err_set(e, ERR_BUSY, "%lld.%lld has no end yet, so there is nothing to compare with", (long long)o->step,
		               (long long)o->number);
	if (!store_blob_read(st, &o->code, CODE_MOST, &p->code, e))
		return err_prefix(e, "the code of %lld.%lld", (long long)o->step, (long long)o->number);
	a->script = o->script;
	a->origin = o->origin;
	a->step = o->step;
	a->check_of = runplan_is_check(p) ? id : 0;
	return true;
}

bool runplan_code(struct runplan *p, struct err *e)
{
	const struct run_request *req = p->req;
	int given = (req->script != NULL) + (req->code != NULL) + (req->rerun_of != 0) + (req->check_of != 0);

	if (given != 1)
		return err_set(e, ERR_INPUT, "one of a script, code, or an attempt is to be run");
	bool ok = req->script ? take_script(p, e) : req->code ? take_code(p, e) : take_recorded(p, e);
	if (ok && !p->code.data)
		buf_add(&p->code, "", 0);
	p->attempt.code = hash_bytes(p->code.data, p->code.len);
	return ok;
}

/* The user's current folder where it is in the workspace, so that relative paths mean what they mean. */
bool runplan_place(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;

	if (runplan_is_recorded(p)) {
		a->box = runplan_is_check(p) ? p->original.attempt.box : p->ws->root;
		a->cwd = p->original.attempt.cwd;
		return true;
	}
	char *cwd = getcwd(NULL, 0);
	if (!cwd)
		return err_sys(e, "cannot tell the current folder");
	runplan_keep(p, cwd);
	const char *below = inside(p, cwd);
	a->box = p->ws->root;
	a->cwd = below ? below : ".";
	return true;
}

/* Code from elsewhere must not hide a file of the workspace: stdin.py, stdin-1.py … */
bool runplan_free_name(struct runplan *p, struct err *e)
{
	struct attempt *a = &p->attempt;
	const char *name = a->script, *dot = strrchr(path_base(name), '.');
	size_t stem = dot && dot != path_base(name) ? (size_t)(dot - name) : strlen(name);

	(void)e;
	if (!a->origin || runplan_is_check(p) || !offer_find(&p->offer, name, NULL))
		return true;
	for (int k = 1; offer_find(&p->offer, a->script, NULL); k++)
		a->script = runplan_keep(p, xasprintf("%.*s-%d%s", (int)stem, name, k, name + stem));
	strv_addf(&p->remarks, "the code runs as %s: the workspace has a %s of its own", a->script, name);
	return true;
}

/* Path of `to` as seen from folder `from`, both relative to the same root. */
char *runplan_relative(const char *from, const char *to)
{
	struct buf b = { 0 };
	size_t common = 0;

	if (strcmp(from, ".") == 0)
		return xstrdup(to);
	for (size_t i = 0;; i++) {
		bool from_ends = from[i] == '/' || from[i] == '\0', to_ends = to[i] == '/';
		if (from_ends && to_ends)
			common = i + 1;
		if (from[i] == '\0' || to[i] == '\0' || from[i] != to[i])
			break;
	}
	if (common <= strlen(from)) {
		buf_adds(&b, "../");
		for (const char *p = from + common; *p; p++)
			if (*p == '/')
				buf_adds(&b, "../");
	}
	buf_adds(&b, to + common);
	return buf_take(&b);
}
