/* repeat: recorded code on recorded inputs, and what came out of it. */
#include "batch.h"
#include "model/compare.h"
#include "model/foresee.h"
#include "text/diffrows.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROWS 20000  /* of a difference, in which its first line is looked for */
#define ROW_MOST 500      /* bytes of that line */

static const struct cmd_option repeat_options[] = {
	{ .name = "vary", .arg = "WHAT", .help = "change one thing that should not matter: hashseed=N" },
	{ .name = "python", .arg = "PATH", .help = "interpreter, instead of the recorded one" },
	{ .name = "streams", .help = "show the streams of the repeats" },
	{ .name = "again", .letter = 'a', .help = "what differs is repeated once more: is it random, or has it changed?" },
	{ .name = "all", .help = "every attempt" },
	{ .name = "failed", .help = "every attempt that is not ok" },
	{ .name = "unreviewed", .help = "the last attempt of every step that has no mark that stands" },
	{ .name = "since", .arg = "WHEN", .help = "every attempt since a date (2026-11-30) or for so long (2h, 7d)" },
	{ .name = "jobs", .letter = 'j', .arg = "N", .help = "of many, so many at once (the setting at-once)" },
	{ .name = "resume", .help = "go on with the batch that was stopped" },
	{ .name = "dry-run", .letter = 'n', .help = "of many, only say what is missing or substituted" },
	{ .name = NULL },
};

static const struct cmd_member repeat_members[] = {
	{ "checks[].ref", "reference of the check, \"7.2r1\"; null when it could not be run" },
	{ "checks[].check_of", "reference of what was repeated, as it was given when it could not be found" },
	{ "checks[].verdict", "same, same but for noise, differs, cannot compare" },
	{ "checks[].first_difference", "where it differs first, else null" },
	{ "checks[].noise", "what differs and is noise, by rule and count; else null" },
	{ "checks[].qualified", "differences of environment that qualify the verdict, else null" },
	{ "checks[].state", "outcome of the check" },
	{ "checks[].error", "why it could not be run, else null" },
	{ "checks[].why", "of one that differs, where another check tells: random, changed; else null" },
	{ "foreseen[].what", "of many: interpreter or input that is not here as it was recorded" },
	{ "foreseen[].kind", "substitute, no interpreter, no input" },
	{ "foreseen[].instead", "what takes its place, or why nothing does; null" },
	{ "foreseen[].attempts", "how many attempts it concerns" },
	{ "foreseen[].first", "reference of the first of them" },
	{ "stopped", "of many: whether it was stopped before all were done, or there was no room for more" },
	{ "counts", "of many: attempts by verdict, and not repeated" },
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

static void check_json(struct json_writer *w, const struct detail *d, const char *given, const char *why, const struct err *e)
{
	json_open(w, NULL, '{');
	put_or_null(w, "ref", d ? d->ref : NULL);
	put_or_null(w, "check_of", d ? d->check_of : given);
	put_or_null(w, "verdict", d && d->verdict ? verdict_word(d->verdict) : NULL);
	put_or_null(w, "first_difference", d && d->verdict != VERDICT_NOISE ? d->first_at : NULL);
	put_or_null(w, "noise", d && d->verdict == VERDICT_NOISE ? d->first_at : NULL);
	put_or_null(w, "qualified", d ? d->qualified : NULL);
	put_or_null(w, "state", d ? outcome_word(d->state) : NULL);
	put_or_null(w, "why", why);
	put_or_null(w, "error", d ? NULL : e->msg);
	json_close(w);
}

static void print_row(const struct diffrows *r, int32_t row)
{
	char *text = row >= 0 ? console_text(stdout, r->v[row].text.p, MIN(r->v[row].text.n, (size_t)ROW_MOST)) : NULL;

	if (text)
		printf("  %c%s\n", r->v[row].kind == DIFFROW_ADDED ? '+' : r->v[row].kind == DIFFROW_REMOVED ? '-' : '~', text);
	free(text);
}

/* The line of a stream where it differs first, as it was and as it came out now. */
static void print_first(struct cmd *c, const struct detail *d)
{
	struct comparing *cmp = d->verdict == VERDICT_DIFFERS ? compare_open(c->query, d->attempt.check_of, d->attempt.id, NULL) : NULL;
	struct diffrows rows = { 0 };
	const char *type;
	size_t item;
	int64_t byte;
	int32_t right = -1;

	if (cmp && compare_first(cmp, &item, &byte) && byte >= 0 &&
	    compare_rows(cmp, item, &(struct diffrows_options){ .most = FIRST_ROWS }, &rows, &type, NULL)) {
		print_row(&rows, compare_first_row(cmp, item, &rows, &right));
		print_row(&rows, right);
	}
	diffrows_free(&rows);
	compare_close(cmp);
}

static void tell_why(const char *why)
{
	if (!why)
		return;
	printf("  %s\n", strcmp(why, "random") == 0 ? "random: a second repeat gave something else again"
	                                           : "changed: a second repeat gave the same as the first");
}

static void check_line(struct cmd *c, const struct detail *d, const char *why)
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
	print_first(c, d);
	tell_why(why);
}

/* Once more, beside the check that differs, if that is asked for and no earlier check says why. */
static bool repeat_again(struct cmd *c, const struct run_request *first, int64_t check, enum compare_why *why, struct err *e)
{
	struct run_request req = *first;
	struct foreground fg = { .quiet = true, .to_stderr = true };
	struct strv remarks = { 0 };
	char other[REF_TEXT];

	bool ok = compare_why(c->query, check, why, other, e);
	if (!ok || *why != WHY_UNKNOWN || !option_given(c, "again"))
		return ok;
	ok = foreground_run(c, &req, &fg, &remarks, e) && cmd_query(c, e) && compare_why(c->query, check, why, other, e);
	strv_free(&remarks);
	return ok;
}

/* "random", "changed"; NULL: it could not be told, or needs not be. */
static const char *find_why(struct cmd *c, const struct run_request *first, const struct detail *d)
{
	enum compare_why why = WHY_UNKNOWN;
	struct err e = { 0 };

	if (d->verdict != VERDICT_DIFFERS)
		return NULL;
	if (!repeat_again(c, first, d->attempt.id, &why, &e))
		console_say(c, "once more: %s", e.msg);
	return compare_why_word(why);
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
		const char *why = find_why(c, &req, &d);
		if (w)
			check_json(w, &d, given, why, &e);
		else
			check_line(c, &d, why);
		for (size_t i = 0; i < remarks.n; i++)
			console_note("  %s", remarks.v[i]);
	} else {
		status = cmd_fail(c, &e);
		if (w)
			check_json(w, NULL, given, NULL, &e);
	}
	query_detail_free(&d);
	strv_free(&remarks);
	return status;
}

/* ---- many ---- */

static const char *const foreseen_words[] = { "substitute", "no interpreter", "no input" };

struct telling {
	struct json_writer *w; /* NULL: text */
	struct columns *columns;
	size_t n;
};

static void tell_foreseen(void *ctx, const struct foreseen *f)
{
	struct telling *t = ctx;

	t->n++;
	if (t->w) {
		json_open(t->w, NULL, '{');
		json_put_bytes(t->w, "what", f->what, strlen(f->what));
		json_put_text(t->w, "kind", foreseen_words[f->kind]);
		put_or_null(t->w, "instead", f->instead);
		json_put_int(t->w, "attempts", f->attempts);
		json_put_text(t->w, "first", f->first);
		json_close(t->w);
		return;
	}
	columns_cell(t->columns, "%s", foreseen_words[f->kind]);
	columns_cell_take(t->columns, console_name(stderr, f->what), TONE_PLAIN);
	columns_cell(t->columns, "%lld", (long long)f->attempts);
	columns_cell(t->columns, "%s", f->first);
	columns_cell_take(t->columns, console_str(stderr, f->instead ? f->instead : ""), TONE_PLAIN);
	columns_row(t->columns);
}

/* One table of what is missing or substituted, before anything runs. */
static bool tell_before(struct cmd *c, struct batch *b, struct json_writer *w, struct err *e)
{
	struct telling t = { .w = w, .columns = w ? NULL : columns_new("missing\twhat\t>attempts\tfirst\tinstead") };
	int64_t *ids = xmalloc((b->n + 1) * sizeof(*ids));
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->items[i].attempt)
			ids[n++] = b->items[i].attempt;
	if (w)
		json_open(w, "foreseen", '[');
	bool ok = foresee(c->ws, c->query, ids, n, b->python, tell_foreseen, &t, e);
	free(ids);
	if (w) {
		json_close(w);
		return ok;
	}
	if (ok && t.n > 0)
		columns_print_whole(t.columns, stderr, "");
	else
		columns_free(t.columns);
	if (ok && t.n == 0)
		console_note("%zu attempt%s: every interpreter and input is here as recorded", n, n == 1 ? "" : "s");
	return ok;
}

struct tally { int64_t verdicts[VERDICT_CANNOT + 1], failed, skipped; };

static int tell_item(struct cmd *c, const struct batch_item *x, struct json_writer *w, struct tally *t)
{
	struct detail d = { 0 };
	struct err e = x->e;

	if (x->skipped) {
		t->skipped++;
		return STATUS_UNDECIDED;
	}
	if (x->check == 0 || !query_detail(c->query, x->check, &d, &e)) {
		t->failed++;
		if (w)
			check_json(w, NULL, x->given ? x->given : x->ref, NULL, &e);
		if (x->given) /* as of a single one */
			return cmd_fail(c, &e);
		if (!w)
			console_say(c, "%s: %s", x->ref, e.msg);
		return STATUS_FAILED;
	}
	t->verdicts[d.verdict]++;
	int status = verdict_statuses[d.verdict];
	enum compare_why why = WHY_UNKNOWN;
	char other[REF_TEXT];
	if (d.verdict == VERDICT_DIFFERS)
		(void)compare_why(c->query, x->check, &why, other, &e);
	if (w)
		check_json(w, &d, x->ref, compare_why_word(why), &e);
	else
		check_line(c, &d, compare_why_word(why));
	query_detail_free(&d);
	return status;
}

static void tell_tally(const struct tally *t, struct json_writer *w)
{
	if (w) {
		json_open(w, "counts", '{');
		for (int v = VERDICT_SAME; v <= VERDICT_CANNOT; v++)
			json_put_int(w, verdict_word((enum verdict)v), t->verdicts[v]);
		json_put_int(w, "not repeated", t->skipped + t->failed + t->verdicts[VERDICT_NONE]);
		json_close(w);
		return;
	}
	struct columns *columns = columns_new("verdict\t>attempts");
	for (int v = VERDICT_SAME; v <= VERDICT_CANNOT; v++) {
		columns_cell_take(columns, xstrdup(verdict_word((enum verdict)v)), t->verdicts[v] ? summary_verdict_tone((enum verdict)v) : TONE_DIM);
		columns_cell(columns, "%lld", (long long)t->verdicts[v]);
		columns_row(columns);
	}
	if (t->skipped + t->failed + t->verdicts[VERDICT_NONE]) {
		columns_cell(columns, "not repeated");
		columns_cell(columns, "%lld", (long long)(t->skipped + t->failed + t->verdicts[VERDICT_NONE]));
		columns_row(columns);
	}
	columns_print_whole(columns, stdout, "");
}

static int tell_after(struct cmd *c, const struct batch *b, struct json_writer *w)
{
	struct tally t = { 0 };
	int status = STATUS_DONE;

	if (w)
		json_open(w, "checks", '[');
	for (size_t i = 0; i < b->n; i++)
		status = worse_status(status, tell_item(c, &b->items[i], w, &t));
	if (w)
		json_close(w);
	tell_tally(&t, w);
	if (w)
		json_put_bool(w, "stopped", b->stopped);
	if (b->stopped)
		console_note(b->resumable ? "stopped; tickmark repeat with the same words and --resume goes on"
		                          : "stopped; the same without --resume begins anew");
	return status;
}

static bool count_jobs(struct cmd *c, struct batch *b, struct err *e)
{
	const char *given = option_value(c, "jobs");
	char *setting = given ? NULL : setting_get(c->ws, "at-once", NULL, e);
	int64_t n = 1;

	if (given && !int_parse(given, 1, 16, &n, e)) {
		e->code = ERR_INPUT;
		return err_prefix(e, "--jobs");
	}
	if (setting && !int_parse(setting, 1, INT64_MAX, &n, NULL))
		n = 1;
	free(setting);
	b->jobs = (size_t)n;
	return true;
}

/* Those that differ and of which no other check says why, once more. */
static bool run_again(struct cmd *c, struct batch *b, struct err *e)
{
	struct batch more = { .python = b->python, .vary = b->vary, .jobs = b->jobs, .began_us = b->began_us, .after = b->after,
		              .of = b->of, .same_words = b->same_words };
	char other[REF_TEXT];
	bool ok = true;

	memcpy(more.words, b->words, sizeof(more.words));
	more.items = xcalloc(b->n + 1, sizeof(*more.items));
	for (size_t i = 0; ok && i < b->n && !b->stopped; i++) {
		enum compare_why why = WHY_UNKNOWN;
		struct detail d;
		if (b->items[i].check == 0)
			continue;
		ok = query_detail(c->query, b->items[i].check, &d, e);
		bool differs = ok && d.verdict == VERDICT_DIFFERS;
		if (ok)
			query_detail_free(&d);
		ok = ok && compare_why(c->query, b->items[i].check, &why, other, e);
		if (!ok || !differs || why != WHY_UNKNOWN)
			continue;
		more.items[more.n] = (struct batch_item){ .attempt = b->items[i].attempt };
		memcpy(more.items[more.n++].ref, b->items[i].ref, REF_TEXT);
	}
	ok = ok && (more.n == 0 || (batch_run(c, &more, e) && cmd_query(c, e)));
	b->stopped = b->stopped || more.stopped;
	b->resumable = b->resumable || more.resumable;
	batch_free(&more);
	return ok;
}

static int repeat_many(struct cmd *c)
{
	struct batch b = { .python = option_value(c, "python"), .vary = option_value(c, "vary") };
	struct json_writer *w = c->json ? json_writer_new() : NULL;
	struct err e = { 0 };
	int status = STATUS_DONE;

	bool ok = cmd_query(c, &e) && count_jobs(c, &b, &e);
	if (ok && c->args_n)
		batch_name(c, &b);
	ok = ok && (c->args_n || batch_select(c, &b, &e)) && (!option_given(c, "resume") || batch_resume(c, &b, &e)) &&
	     tell_before(c, &b, w, &e);
	if (ok && !option_given(c, "dry-run")) {
		ok = batch_run(c, &b, &e) && cmd_query(c, &e) && (!option_given(c, "again") || run_again(c, &b, &e));
		status = ok ? tell_after(c, &b, w) : status;
	}
	batch_free(&b);
	if (!ok) {
		if (w)
			cmd_drop_json(w);
		return cmd_fail(c, &e);
	}
	return w ? cmd_print_json(c, w, status) : status;
}

static bool asks_for_many(const struct cmd *c)
{
	return option_given(c, "all") || option_given(c, "failed") || option_given(c, "unreviewed") || option_given(c, "since");
}

static int repeat_run(struct cmd *c)
{
	struct json_writer *w = NULL;
	struct err e = { 0 };
	int status = STATUS_DONE;

	if (!cmd_workspace(c, &e))
		return cmd_fail(c, &e);
	if (asks_for_many(c))
		return c->args_n ? cmd_usage(c, "references and --all, --failed, --unreviewed or --since exclude each other") : repeat_many(c);
	if (c->args_n == 0)
		return cmd_usage(c, "which attempts? REF, --all, --failed, --unreviewed or --since");
	/* Streams of several at once could not be read: those go one after the other. */
	if (option_given(c, "dry-run") || option_given(c, "resume") || (c->args_n > 1 && !option_given(c, "streams")))
		return repeat_many(c);
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
	.args = "[OPTION]... [REF]...",
	.brief = "Runs recorded code again on the recorded inputs and says whether the same comes out",
	.detail = "Each repeat is a check (7.2r1) with streams, files and a verdict of its own; it never counts as an "
	          "attempt. It gets the bytes that the attempt saw, its arguments, its limits, and the recorded "
	          "interpreter or, where that is not on this machine, the one with the nearest version (the same, else the same "
	          "3.N) and of those the one with the fewest packages that differ, else that of the workspace; versions and packages "
	          "that differ qualify the verdict. One line per reference goes to stdout.\n\n"
	          "What differs and is noise gives \"same but for noise\", with the rules that were needed: object addresses, "
	          "temporary paths, time stamps within the run, durations with a unit, the order of printed sets, numbers beyond "
	          "15 digits, members of archives packed otherwise, and what the setting noise (a regular expression) matches. A changed figure is never noise: a rule that "
	          "takes bare figures is refused, and what figures it takes all the same are counted and shown.\n\n"
	          "Several references, and --all, --failed, --unreviewed and --since (together: what fits them all) repeat many, some "
	          "at once (with --streams one after the other); first a table "
	          "of what is missing or substituted, then the lines, then the verdicts counted. Ctrl-C or SIGTERM stops, a full disk "
	          "does; the same with --resume goes on, and repeats what was broken off; of one that was killed it waits for what still runs. Progress goes to stderr. --json is one document "
	          "at the end; what there is before, tickmark log --checks --json tells at any time.",
	.statuses = "0 all the same (or but for noise), 1 one differs, 2 one could not be repeated, 3 wrong use, 4 one "
	            "cannot be compared; of several the worst",
	.examples = "tickmark repeat 7.2\ntickmark repeat --vary hashseed=7 last # does it depend on the order of sets?\n"
	            "tickmark repeat --all --json\ntickmark repeat --since 7d --jobs 2",
	.options = repeat_options,
	.members = repeat_members,
	.flags = CMD_REVIEWS,
	.min_args = 0,
	.max_args = SIZE_MAX,
	.run = repeat_run,
};
