/* The workspace: looked for at the first request that needs it, made by the first run. */
#include "server.h"

#include <fcntl.h>
#include <unistd.h>

/* Paths of calls and runs are relative to the workspace, wherever the client started us. */
static bool go_there(struct server *sv, struct err *e)
{
	if (chdir(workspace_root(sv->ws)) == 0)
		return true;
	(void)err_sys(e, "cannot go to %s", workspace_root(sv->ws));
	/* Not open, so that the next call tries again and none works where we happen to be. */
	workspace_close(sv->ws);
	sv->ws = NULL;
	return false;
}

bool place_open(struct server *sv, struct err *e)
{
	struct err why = { 0 };

	/* Somebody removed the record, or put another in its place, while we serve. */
	if (sv->ws && !sv->lives && !fs_exists(AT_FDCWD, workspace_record(sv->ws))) {
		workspace_close(sv->ws);
		sv->ws = NULL;
	}
	if (sv->ws)
		return true;
	sv->ws = workspace_open(sv->dir, &why);
	if (sv->ws)
		return go_there(sv, e);
	if (why.code == ERR_NOTFOUND)
		return err_set(e, ERR_NOTFOUND, "there is no record in %s yet; the first run_python makes one", sv->dir);
	return err_set(e, why.code, "%s", why.msg);
}

bool place_make(struct server *sv, bool *made, struct err *e)
{
	struct err why = { 0 };

	*made = false;
	if (place_open(sv, &why))
		return true;
	if (why.code != ERR_NOTFOUND)
		return err_set(e, why.code, "%s", why.msg);
	why = (struct err){ 0 };
	*made = workspace_create(sv->dir, &why);
	/* Another server of the same folder may have been quicker. */
	if (!*made && why.code != ERR_EXISTS)
		return err_set(e, why.code, "%s", why.msg);
	return place_open(sv, e);
}

struct query *place_query(struct server *sv, struct err *e)
{
	return place_open(sv, e) ? query_open(sv->ws, e) : NULL;
}
