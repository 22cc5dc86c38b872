/* rerun: recorded code on the files of now, as a new attempt; alone, or with the later steps that follow. */
#include "cmd.h"
#include "model/dependents.h"

#include <stdlib.h>
#include <string.h>

static const struct cmd_option rerun_options[] = {
	{ .name = "dry-run", .letter = 'n', .help = "only list which inputs changed, and which later steps follow" },
	{ .name = "dependents", .letter = 'd', .help = "then run the later steps that read its files, in order" },
	{ .name = "changed", .help = "every step of which an input changed, and the later ones that follow" },
	{ .name = "python", .arg = "PATH", .help = "interpreter: a path, or a name looked up in PATH" },
	{ .name = "pass-status", .help = "exit with the script's own status, or 128 and the signal" },
	{ .name = NULL },
};

struct rerunning {
	struct cmd *c;
	int64_t *attempts; /* what will run, in order */
	size_t n, cap;
	int64_t step;      /* of the attempt that was named; 0 */
};

static void add_attempt(struct rerunning *r, int64_t attempt)
{
	r->attempts = grow(r->attempts, r->n, &r->cap, sizeof(*r->attempts));
	r->attempts[r->n++] = attempt;
}

/* ---- what is said before ---- */

struct changes { size_t n; };

static void say_input(void *ctx, const struct entry *in, enum input_now now)
{
	struct changes *x = ctx;

	x->n++;
	console_note("%s: %s", in->path, input_now_word(now));
}

/* Which inputs of the attempt are not what they were, and what there is against those that others made. */
static bool list_changes(struct cmd *c, int64_t attempt, const char *ref, struct err *e)
{
	struct changes x = { 0 };
	size_t inputs;

	if (!dependents_inputs(c->query, c->ws, attempt, say_input, &x, &inputs, e))
		return false;
	if (x.n == 0 && inputs == 0)
		console_note("%s read no file that could have changed", ref);
	else if (x.n == 0)
		console_note("%s: none of its %zu input%s changed", ref, inputs, inputs == 1 ? "" : "s");
	char *doubts = dependents_doubts(c->query, attempt, e);
	if (doubts)
		console_note("%s read %s", ref, doubts);
	free(doubts);
	return e->code == ERR_NONE;
}

static void say_dependent(void *ctx, const struct dependent *d)
{
	struct rerunning *r = ctx;

	console_note("%s follows: it read %s of step %lld%s%s", d->ref, d->path, (long long)d->from, d->doubt ? "; " : "",
	             d->doubt ? d->doubt : "");
	if (option_given(r->c, "dependents") || option_given(r->c, "changed"))
		add_attempt(r, d->attempt);
}

static bool list_dependents(struct rerunning *r, const int64_t *steps, size_t n, struct err *e)
{
	return dependents_each(r->c->query, steps, n, say_dependent, r, e);
}

/* ---- running ---- */

/* One behind the other; the first that is not ok ends it, since what follows would read what it did not make. */
static int run_all(struct rerunning *r)
{
	int status = STATUS_DONE;

	for (size_t i = 0; i < r->n && status == STATUS_DONE; i++) {
		struct run_request req = { .asker = { .kind = ASKER_PERSON }, .python = option_value(r->c, "python"),
			                       .rerun_of = r->attempts[i] };
		status = cmd_run_watched(r->c, &req, 0);
		if (status != STATUS_DONE && i + 1 < r->n)
			console_say(r->c, "%zu that follow %s not run", r->n - i - 1, r->n - i == 2 ? "is" : "are");
	}
	return status;
}

static bool prepare_one(struct rerunning *r, struct err *e)
{
	struct cmd *c = r->c;
	struct detail d;
	int64_t attempt;

	if (!query_resolve_text(c->query, c->args[0], &attempt, e) || !query_detail(c->query, attempt, &d, e))
		return false;
	bool ok = list_changes(c, attempt, d.ref, e);
	r->step = d.step.number;
	query_detail_free(&d);
	add_attempt(r, attempt);
	return ok && list_dependents(r, &r->step, 1, e);
}

static bool prepare_changed(struct rerunning *r, struct err *e)
{
	size_t n;
	int64_t *ids = dependents_changed(r->c->query, r->c->ws, &n, e);
	int64_t *steps = xcalloc(n + 1, sizeof(*steps));
	bool ok = ids != NULL;

	for (size_t i = 0; i < n && ok; i++) {
		struct detail d;
		ok = query_detail(r->c->query, ids[i], &d, e) && list_changes(r->c, ids[i], d.ref, e);
		if (!ok)
			break;
		console_note("%s runs again", d.ref);
		steps[i] = d.step.number;
		query_detail_free(&d);
		add_attempt(r, ids[i]);
	}
	ok = ok && list_dependents(r, steps, n, e);
	if (ok && n == 0)
		console_note("no input of any step changed");
	free(ids);
	free(steps);
	return ok && dependents_order(r->c->query, r->attempts, r->n, e);
}

static int rerun_run(struct cmd *c)
{
	struct rerunning r = { .c = c };
	struct err e = { 0 };
	bool changed = option_given(c, "changed");
	int status = STATUS_DONE;

	if (changed == (c->args_n == 1))
		return cmd_usage(c, "which attempt? REF, or --changed");
	if (!cmd_query(c, &e) || !(changed ? prepare_changed(&r, &e) : prepare_one(&r, &e)))
		status = cmd_fail(c, &e);
	else if (!option_given(c, "dry-run"))
		status = run_all(&r);
	free(r.attempts);
	return status;
}

const struct cmd_entry cmd_rerun_entry = {
	.name = "rerun",
	.alias = "refresh",
	.args = "[OPTION]... [REF]",
	.brief = "Runs recorded code again on the files as they are now, as a new attempt",
	.detail = "First the inputs that changed, are missing or are new are listed on stderr, and the later steps that read files "
	          "of this one, directly or through each other; then the recorded code runs with the recorded arguments, as the "
	          "next attempt of its step. With --dependents the later steps follow in order, until one is not ok. repeat is the "
	          "command that uses the recorded inputs instead.",
	.statuses = "0 ok, 1 any other outcome, 2 it could not be run, 3 wrong use, 4 still running",
	.examples = "tickmark rerun 7.2\ntickmark rerun --dry-run last # which inputs changed, what follows\n"
	            "tickmark rerun --changed # all that is out of date",
	.options = rerun_options,
	.members = detail_members,
	.min_args = 0,
	.max_args = 1,
	.run = rerun_run,
};
