/* stop and wait: what can be done about an attempt that somebody else's runner runs. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#define STOP_WAIT_MS 15000 /* for the end to be in the record; the sandbox is killed long before */

static bool attempt_line(struct cmd *c, int64_t attempt, enum outcome *state, struct err *e)
{
	struct detail d = { 0 };

	if (!cmd_query(c, e) || !query_detail(c->query, attempt, &d, e))
		return false;
	*state = d.state;
	char *word = console_tinted(stdout, summary_tone(d.state), outcome_word(d.state));
	char *reason = summary_reason(&d), *safe = console_str(stdout, reason);
	printf("%s %s%s%s\n", d.ref, word, *safe ? "  " : "", safe);
	free(word);
	free(reason);
	free(safe);
	query_detail_free(&d);
	return true;
}

/* The same as an object: what stop and wait print with --json. */
static bool attempt_object(struct cmd *c, int64_t attempt, struct json_writer *w, enum outcome *state, struct err *e)
{
	struct detail d = { 0 };

	if (!cmd_query(c, e) || !query_detail(c->query, attempt, &d, e))
		return false;
	*state = d.state;
	json_put_text(w, "ref", d.ref);
	json_put_text(w, "state", outcome_word(d.state));
	json_put_bool(w, "ended", outcome_is_end(d.state));
	query_detail_free(&d);
	return true;
}

static bool find_attempt(struct cmd *c, const char *text, int64_t *attempt, struct err *e)
{
	return cmd_query(c, e) && query_resolve_text(c->query, text, attempt, e);
}

/* ---- stop ----------------------------------------------------------------------------------------- */

static const struct cmd_option stop_options[] = {
	{ .name = "all", .letter = 'a', .help = "every attempt of this record that runs on this machine" },
	{ .name = NULL },
};

static const struct cmd_member stop_members[] = {
	{ "stopped", "number of attempts that were told to stop" },
	{ "ref", "reference of the attempt; not with --all" },
	{ "state", "what became of it; not with --all" },
	{ "ended", "whether its end is in the record; not with --all" },
	{ NULL, NULL },
};

static int stop_all(struct cmd *c, const char *by)
{
	struct err e = { 0 };
	int64_t n = 0;

	if (!run_stop_all(c->ws, by, &n, &e))
		return cmd_fail(c, &e);
	if (!c->json) {
		printf("%lld stopped\n", (long long)n);
		return STATUS_DONE;
	}
	struct json_writer *w = json_writer_new();
	json_put_int(w, "stopped", n);
	return cmd_print_json(c, w, STATUS_DONE);
}

/* Why it cannot be stopped: the reference in front, and what it has become when it has ended. */
static bool tell_unstopped(struct cmd *c, int64_t attempt, struct err *e)
{
	struct detail d = { 0 };

	if (e->code != ERR_NOTFOUND || !query_detail(c->query, attempt, &d, NULL))
		return false;
	if (outcome_is_end(d.state))
		err_set(e, ERR_NOTFOUND, "%s has ended already: %s", d.ref, outcome_word(d.state));
	else
		err_prefix(e, "%s", d.ref);
	query_detail_free(&d);
	return false;
}

static int stopped_status(enum outcome state)
{
	return outcome_is_end(state) ? STATUS_DONE : STATUS_UNDECIDED;
}

static int stop_one(struct cmd *c, const char *by)
{
	struct err e = { 0 };
	enum outcome state = OUTCOME_RUNNING;
	int64_t attempt;

	if (!find_attempt(c, c->args[0], &attempt, &e) ||
	    (!run_stop_attempt(c->ws, attempt, by, &e) && !tell_unstopped(c, attempt, &e)))
		return cmd_fail(c, &e);
	if (!run_wait(c->ws, attempt, STOP_WAIT_MS, &e) && e.code != ERR_BUSY)
		return cmd_fail(c, &e);
	if (!c->json)
		return attempt_line(c, attempt, &state, &e) ? stopped_status(state) : cmd_fail(c, &e);
	struct json_writer *w = json_writer_new();
	json_put_int(w, "stopped", 1);
	if (attempt_object(c, attempt, w, &state, &e))
		return cmd_print_json(c, w, stopped_status(state));
	cmd_drop_json(w);
	return cmd_fail(c, &e);
}

static int stop_run(struct cmd *c)
{
	struct err e = { 0 };
	bool all = option_given(c, "all");

	if (all == (c->args_n == 1))
		return cmd_usage(c, "give a reference, or --all");
	if (!cmd_workspace(c, &e))
		return cmd_fail(c, &e);
	char *person = settings_person(c->ws, NULL);
	char *by = xasprintf("tickmark stop by %s", person);
	int status = all ? stop_all(c, by) : stop_one(c, by);
	free(person);
	free(by);
	return status;
}

const struct cmd_entry cmd_stop_entry = {
	.name = "stop",
	.args = "REF|--all",
	.brief = "Stops an attempt that is running",
	.detail = "The attempt ends as stopped, with who stopped it; what it wrote so far stays in the record.",
	.statuses = "0 it was stopped (or had just ended), 2 it is not running, or no such attempt, 3 wrong use, 4 told "
	            "to stop, but its end is not in the record yet",
	.examples = "tickmark stop 7.2\ntickmark stop --all",
	.options = stop_options,
	.members = stop_members,
	.flags = CMD_REVIEWS,
	.max_args = 1,
	.run = stop_run,
};

/* ---- wait ----------------------------------------------------------------------------------------- */

static const struct cmd_option wait_options[] = {
	{ .name = "timeout", .arg = "TIME", .help = "wait no longer than that" },
	{ .name = NULL },
};

static const struct cmd_member wait_members[] = {
	{ "ref", "reference of the attempt" },
	{ "state", "its outcome, or running" },
	{ "ended", "whether its end is in the record" },
	{ NULL, NULL },
};

static int ended_status(enum outcome state)
{
	if (!outcome_is_end(state))
		return STATUS_UNDECIDED;
	return state == OUTCOME_OK ? STATUS_DONE : STATUS_NOT_GOOD;
}

static int wait_run(struct cmd *c)
{
	const char *timeout = option_value(c, "timeout");
	enum outcome state = OUTCOME_RUNNING;
	int64_t attempt, ms = -1;
	struct err e = { 0 };

	if (timeout && !duration_parse(timeout, &ms, &e)) {
		e.code = ERR_INPUT;
		err_prefix(&e, "--timeout");
		return cmd_fail(c, &e);
	}
	if (!find_attempt(c, c->args[0], &attempt, &e))
		return cmd_fail(c, &e);
	/* Of evidence nobody here is told of an end: it is what it is. */
	if (c->ws && !run_wait(c->ws, attempt, ms, &e) && e.code != ERR_BUSY)
		return cmd_fail(c, &e);
	if (!c->json)
		return attempt_line(c, attempt, &state, &e) ? ended_status(state) : cmd_fail(c, &e);
	struct json_writer *w = json_writer_new();
	if (attempt_object(c, attempt, w, &state, &e))
		return cmd_print_json(c, w, ended_status(state));
	cmd_drop_json(w);
	return cmd_fail(c, &e);
}

const struct cmd_entry cmd_wait_entry = {
	.name = "wait",
	.args = "[--timeout TIME] REF",
	.brief = "Waits until an attempt has ended",
	.statuses = "0 it ended ok, 1 with another outcome, 2 no such attempt, 3 wrong use, 4 still running",
	.examples = "tickmark wait last\ntickmark wait --timeout 10s 7.2",
	.options = wait_options,
	.members = wait_members,
	.flags = CMD_REVIEWS,
	.min_args = 1,
	.run = wait_run,
};
