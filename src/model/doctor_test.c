/* doctor --self-test: the sandbox's own attacks on the sandbox of this machine. */
#include "private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct telling {
	void (*fn)(void *ctx, const struct trial *t);
	void *ctx;
	bool all;
};

static void tell(void *ctx, const struct sandbox_tried *t)
{
	struct telling *telling = ctx;
	struct trial trial = { .area = t->area, .tried = t->tried, .answer = t->answer, .held = t->held };

	telling->all = telling->all && t->held;
	telling->fn(telling->ctx, &trial);
}

/* Owned path of a new folder for it; below the workspace's own, which others cannot enter. */
static char *make_folder(struct workspace *ws, struct err *e)
{
	int fd = ws ? workspace_open_dir(ws, "cache/tmp", NULL) : -1;
	char *path = fd >= 0 ? path_join(ws->root, ".tickmark/cache/tmp/self-test-XXXXXX") : xstrdup("/tmp/tickmark-self-test-XXXXXX");

	if (fd >= 0)
		close(fd);
	if (mkdtemp(path))
		return path;
	err_sys(e, "cannot make a folder for the self-test (%s)", path);
	free(path);
	return NULL;
}

bool doctor_self_test(struct workspace *ws, void (*fn)(void *ctx, const struct trial *t), void *ctx, const char **tier,
                      bool *held, struct err *e)
{
	struct telling telling = { fn, ctx, true };
	struct sandbox_caps caps;
	struct err reason = { 0 };

	*held = false;
	*tier = tier_word(TIER_NONE);
	if (!doctor_caps(ws, &caps, e))
		return false;
	if (caps.tier == TIER_NONE)
		return err_set(e, ERR_SANDBOX, "no sandbox can be had here, so nothing runs: %s", caps.why);
	*tier = tier_word(caps.tier);
	char *folder = make_folder(ws, e);
	if (!folder)
		return false;
	bool ok = sandbox_self_test(&caps, folder, tell, &telling, &reason);
	*held = ok;
	fs_remove_tree(AT_FDCWD, folder, NULL);
	free(folder);
	/* "Something got through" is an answer; that it could not be tried at all is none. */
	if (!ok && telling.all) {
		*e = reason;
		return false;
	}
	return true;
}
