/* repeat: recorded code on recorded inputs, and what came out of it. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

static const struct cmd_option repeat_options[] = {
	{ .name = "vary", .arg = "WHAT", .help = "change one thing that should not matter: hashseed=N" },
	{ .name = "python", .arg = "PATH", .help = "interpreter, instead of the recorded one" },
	{ .name = "streams", .help = "show the streams of the repeats" },
	{ .name = NULL },
};

static const struct cmd_member repeat_members[] = {
	{ "checks[].ref", "reference of the check, \"7.2r1\"; null when it could not be run" },
	{ "checks[].check_of", "reference of what was repeated, as it was given when it could not be found" },
	{ "checks[].verdict", "same, same but for noise, differs, cannot compare" },
	{ "checks[].first_difference", "where it differs first, else null" },
	{ "checks[].qualified", "differences of environment that qualify the verdict, else null" },
	{ "checks[].state", "outcome of the check" },
	{ "checks[].error", "why it could not be run, else null" },
	{ NULL, NULL },
};

static const int verdict_statuses[] = {
	[VERDICT_NONE] = STATUS_UNDECIDED, [VERDICT_SAME] = STATUS_DONE,         [VERDICT_NOISE] = STATUS_DONE,
	[VERDICT_DIFFERS] = STATUS_NOT_GOOD, [VERDICT_CANNOT] = STATUS_UNDECIDED,
};

/* Of several, the one that matters most is reported: could not, differs, cannot compare, same. */
static int worse_status(int a, int b)
{
	static const int rank[] = {
		[STATUS_DONE] = 0, [STATUS_UNDECIDED] = 1, [STATUS_NOT_GOOD] = 2, [STATUS_USAGE] = 3, [STATUS_FAILED] = 4,
	};

	return rank[a] >= rank[b] ? a : b;
}

static void put_or_null(struct json_writer *w, const char *key, const char *text)
{
	if (text && *text)
		json_put_bytes(w, key, text, strlen(text));
	else
		json_put_null(w, key);
}

static void check_json(struct json_writer *w, const struct detail *d, const char *given, const struct err *e)
{
	json_open(w, NULL, '{');
	put_or_null(w, "ref", d ? d->ref : NULL);
	put_or_null(w, "check_of", d ? d->check_of : given);
	put_or_null(w, "verdict", d && d->verdict ? verdict_word(d->verdict) : NULL);
	put_or_null(w, "first_difference", d ? d->first_at : NULL);
	put_or_null(w, "qualified", d ? d->qualified : NULL);
	put_or_null(w, "state", d ? outcome_word(d->state) : NULL);
	put_or_null(w, "error", d ? NULL : e->msg);
	json_close(w);
}

static void check_line(const struct detail *d)
{
	const char *word = d->verdict ? verdict_word(d->verdict) : "no verdict";
	char *verdict = console_tinted(stdout, summary_verdict_tone(d->verdict), word);
	char *qualified = console_str(stdout, d->qualified ? d->qualified : "");
	char *at = console_str(stdout, d->first_at ? d->first_at : "");
	char *detail = console_str(stdout, d->verdict == VERDICT_CANNOT && !*at && d->end.detail ? d->end.detail : "");

	printf("%s repeats %s: %s%s%s%s%s%s%s\n", d->ref, d->check_of, verdict, *qualified ? ", " : "", qualified,
	       *at ? ": " : "", at, *detail ? ": " : "", detail);
	free(verdict);
	free(qualified);
	free(at);
	free(detail);
}

/* Repeats one attempt; its exit status. */
static int repeat_one(struct cmd *c, const char *given, struct json_writer *w)
{
	struct run_request req = { .asker = { .kind = ASKER_PERSON }, .python = option_value(c, "python"),
		                   .vary = option_value(c, "vary") };
	struct foreground fg = { .quiet = c->json || !option_given(c, "streams"), .to_stderr = true };
	struct strv remarks = { 0 };
	struct detail d = { 0 };
	struct err e = { 0 };
	int status;

	bool ok = cmd_query(c, &e) && query_resolve_text(c->query, given, &req.check_of, &e);
	ok = ok && foreground_run(c, &req, &fg, &remarks, &e) && cmd_query(c, &e) &&
	     query_detail(c->query, fg.attempt, &d, &e);
	if (ok) {
		status = fg.left ? STATUS_UNDECIDED : verdict_statuses[d.verdict];
		if (w)
			check_json(w, &d, given, &e);
		else
			check_line(&d);
		for (size_t i = 0; i < remarks.n; i++)
			console_note("  %s", remarks.v[i]);
	} else {
		status = cmd_fail(c, &e);
		if (w)
			check_json(w, NULL, given, &e);
	}
	query_detail_free(&d);
	strv_free(&remarks);
	return status;
}

static int repeat_run(struct cmd *c)
{
	struct json_writer *w = NULL;
	struct err e = { 0 };
	int status = STATUS_DONE;

	if (!cmd_workspace(c, &e))
		return cmd_fail(c, &e);
	if (c->json) {
		w = json_writer_new();
		json_open(w, "checks", '[');
	}
	for (size_t i = 0; i < c->args_n; i++)
		status = worse_status(status, repeat_one(c, c->args[i], w));
	if (!w)
		return status;
	json_close(w);
	return cmd_print_json(c, w, status);
}

const struct cmd_entry cmd_repeat_entry = {
	.name = "repeat",
	.args = "[OPTION]... REF...",
	.brief = "Runs recorded code again on the recorded inputs and says whether the same comes out",
	.detail = "Each repeat is a check (7.2r1) with streams, files and a verdict of its own; it never counts as an "
	          "attempt. It gets the bytes that the attempt saw, its arguments, its limits, and the recorded "
	          "interpreter or, where that is not on this machine, the best substitute, which qualifies the "
	          "verdict. One line per reference goes to stdout.",
	.statuses = "0 all the same (or but for noise), 1 one differs, 2 one could not be repeated, 3 wrong use, 4 one "
	            "cannot be compared; of several the worst",
	.examples = "tickmark repeat 7.2\ntickmark repeat --vary hashseed=7 last # does it depend on the order of sets?",
	.options = repeat_options,
	.members = repeat_members,
	.min_args = 1,
	.max_args = SIZE_MAX,
	.run = repeat_run,
};
