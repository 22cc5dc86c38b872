/* Folders and files of the host that a run is shown: opened by the launcher and handed to the child, which
 * mounts them. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

struct opened {
	int fds[MAX_SOURCES];
	size_t n;
	int root; /* of the child's mount namespace */
};

static bool too_many(const char *path, struct err *e)
{
	return err_set(e, ERR_LIMIT, "%s: more than %d folders to show to a run", path, MAX_SOURCES);
}

/* As the launcher, whose rights reach further than the child's, but in the child's namespace. */
static bool open_source(struct opened *o, const char *path, bool optional, uint8_t *have, struct err *e)
{
	if (o->n == MAX_SOURCES)
		return too_many(path, e);
	int fd = sys_openat2(o->root, path, O_PATH | O_CLOEXEC, RESOLVE_IN_ROOT);
	if (fd < 0 && optional)
		return true;
	if (fd < 0)
		return err_sys(e, "cannot show %s to the run", path);
	*have = 1;
	o->fds[o->n++] = fd;
	return true;
}

bool sources_send(struct sandbox *sb, struct err *e)
{
	struct message m = { .type = MSG_SOURCES };
	struct opened o = { .root = sb->root };
	size_t k = 0; /* sources asked for, there or not: at most as many as `have` has room for */
	uint8_t one = 0;
	bool ok = true;

	if (!sb->tier->spaces) /* it sees what we see */
		return parcel_send(sb->control, &m, NULL, 0) || err_sys(e, "cannot reach the sandbox");
	for (size_t i = 0; i < sb->plan.n && ok; i++) {
		const struct mount_step *s = &sb->plan.steps[i];
		if (s->kind == MOUNT_BIND && k == MAX_SOURCES)
			ok = too_many(s->source, e);
		else if (s->kind == MOUNT_BIND)
			ok = open_source(&o, s->source, s->optional, &m.have[k++], e);
	}
	if (sb->policy.scratch != SCRATCH_COPY)
		for (size_t i = 0; i < sb->layers.n && ok; i++)
			ok = open_source(&o, sb->layers.v[i], false, &one, e);
	if (sb->disk != NULL && ok)
		ok = open_source(&o, sb->disk, false, &one, e);
	m.fds = (uint32_t)o.n;
	if (ok && !parcel_send(sb->control, &m, o.fds, o.n))
		ok = err_sys(e, "cannot hand folders to the sandbox");
	for (size_t i = 0; i < o.n; i++)
		close(o.fds[i]);
	close(sb->root);
	sb->root = -1;
	return ok;
}
