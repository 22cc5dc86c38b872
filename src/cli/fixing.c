/* run --fix: a failed attempt, the user's fixer, the next attempt. */
#include "cmd.h"
#include "model/fixer.h"

#include <stdlib.h>
#include <string.h>

struct fixing {
	struct cmd *cmd;
	char *command, *name;      /* of the fixer */
	int64_t most;              /* corrections */
	int64_t failed;            /* attempt to be corrected; 0: none */
	struct detail last;        /* of it */
	struct buf code;           /* that corrects it */
};

static bool begin(struct fixing *f, struct err *e)
{
	char *most;

	if (!cmd_folder(f->cmd, e))
		return false;
	f->command = setting_get(f->cmd->ws, "fixer", NULL, e);
	if (!f->command)
		return e->code != ERR_NONE ? false
		       : err_set(e, ERR_NOTFOUND, "there is no fixer; tickmark config --user fixer COMMAND sets it, tickmark help run says what it gets");
	f->name = fixer_name(f->command);
	most = setting_get(f->cmd->ws, "fix-attempts", NULL, e);
	bool ok = most && int_parse(most, 1, 20, &f->most, e);
	free(most);
	return ok;
}

static void end(struct fixing *f)
{
	free(f->command);
	free(f->name);
	query_detail_free(&f->last);
	buf_free(&f->code);
}

/* Runs once; f->failed says whether it wants to be corrected. `more`: a failure would be. */
static int run_once(struct fixing *f, const struct run_request *req, bool more)
{
	struct foreground fg = { .quiet = f->cmd->json };
	struct strv remarks = { 0 };
	bool json = f->cmd->json;
	struct err e = { 0 };
	int status;

	query_detail_free(&f->last);
	f->failed = 0;
	bool ok = foreground_run(f->cmd, req, &fg, &remarks, &e) && cmd_query(f->cmd, &e) &&
	          query_detail(f->cmd->query, fg.attempt, &f->last, &e);
	if (ok && !fg.left && fixer_can_help(f->last.state))
		f->failed = fg.attempt;
	/* One document comes out: that of the last. */
	f->cmd->json = json && !(more && f->failed);
	status = ok ? cmd_run_report(f->cmd, &fg, &remarks, &e) : cmd_fail(f->cmd, &e);
	f->cmd->json = json;
	strv_free(&remarks);
	return status;
}

static bool add_code(void *ctx, const void *p, size_t n, struct err *e)
{
	(void)e;
	buf_add(ctx, p, n);
	return true;
}

/* The same code would fail the same way. */
static bool is_new(struct fixing *f, struct err *e)
{
	struct buf old = { 0 };
	bool ok = query_code(f->cmd->query, f->failed, add_code, &old, e);
	bool same = ok && old.len == f->code.len && (old.len == 0 || memcmp(old.data, f->code.data, old.len) == 0);

	buf_free(&old);
	return ok && (!same || err_set(e, ERR_INPUT, "the fixer gave back the same code"));
}

static bool correct(struct fixing *f, struct err *e)
{
	buf_clear(&f->code);
	if (!cmd_query(f->cmd, e))
		return false;
	char *document = fixer_document(f->cmd->query, f->cmd->ws, f->failed, e);
	bool ok = document && fixer_run(f->cmd->ws, f->command, document, &f->code, e);

	if (document && !ok)
		err_prefix(e, "fixer %s", f->command);
	ok = ok && is_new(f, e);

	free(document);
	return ok;
}

/* As the one that failed, with other code, by the fixer. */
static struct run_request next_request(const struct fixing *f, const struct run_request *first)
{
	struct run_request next = *first;
	size_t i = 0;

	next.script = NULL;
	next.code = f->code.data;
	next.code_len = f->code.len;
	next.code_name = f->last.attempt.script;
	next.step = 0;
	next.new_step = false;
	next.retry_of = f->failed;
	next.asker = (struct asker){ .kind = ASKER_ASSISTANT, .name = f->name };
	/* A correction has the time that the original had, not what assistants have by default. */
	while (next.limits[i].name && strcmp(next.limits[i].name, "timeout") != 0)
		i++;
	if (!next.limits[i].name && i + 1 < ARRAY_LEN(next.limits)) {
		next.limits[i].name = "timeout";
		next.limits[i].value = f->last.policy.limits.wall_ms;
	}
	return next;
}

int cmd_run_fixed(struct cmd *c, const struct run_request *req)
{
	struct fixing f = { .cmd = c };
	struct err e = { 0 };
	int status;

	if (!begin(&f, &e)) {
		end(&f);
		return cmd_fail(c, &e);
	}
	status = run_once(&f, req, true);
	for (int64_t i = 1; f.failed && i <= f.most; i++) {
		console_note("correcting %s with %s (%lld of %lld) …", f.last.ref, f.name, (long long)i, (long long)f.most);
		if (!correct(&f, &e)) {
			console_say(c, "%s was not corrected: %s", f.last.ref, e.msg);
			break;
		}
		char *script = xstrdup(f.last.attempt.script);
		struct run_request next = next_request(&f, req);
		next.code_name = script;
		status = run_once(&f, &next, i < f.most);
		free(script);
		if (f.last.state == OUTCOME_OK)
			console_note("the corrected code is in the record: tickmark export %s --code -o FILE", f.last.ref);
	}
	end(&f);
	return status;
}
