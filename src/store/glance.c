/* A glance at an attempt. */
#include "store/glance.h"

#include "db.h"

bool store_glance(struct store *st, int64_t attempt, void (*fn)(void *ctx, const struct glance *g), void *ctx, struct err *e)
{
	struct glance g = { 0 };
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_GLANCE, &q, e))
		return false;
	bind_int(&q, attempt);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		g.has_purpose = col_int(&q) != 0;
		g.code_row = col_int(&q);
		g.code = col_digest(&q);
		g.offered = col_int(&q);
		g.inputs = col_int(&q);
		g.artifacts = col_int(&q);
		g.refused = col_int(&q);
		g.call = col_text(&q);
		g.argument = col_text(&q);
		g.check = col_int(&q);
		g.verdict = verdict_parse(col_text(&q));
		fn(ctx, &g);
	}
	sql_end(&q);
	if (answer == SQL_DONE)
		return err_set(e, ERR_NOTFOUND, "%s: the attempt is not in the record any more", st->path);
	return answer != SQL_FAILED;
}
