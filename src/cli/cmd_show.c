/*
 * show: everything about one attempt, or one section of it. A section is a row: its option, its
 * title and its function (showing.c).
 */
#include "showing.h"

#include <stdlib.h>

struct section {
	const char *option; /* NULL: only as part of the whole */
	const char *title;  /* NULL: none */
	bool (*show)(struct showing *s, struct err *e);
	bool (*is_empty)(const struct detail *d); /* not shown in the whole then; NULL: always shown */
	bool asked_only;    /* not part of the whole */
};

static bool no_purpose(const struct detail *d)
{
	return !d->attempt.purpose && !d->step.purpose;
}

static bool no_inputs(const struct detail *d)
{
	return d->inputs_n == 0 && (d->end.inputs_complete || !d->end.attempt);
}

static bool no_artifacts(const struct detail *d)
{
	return d->artifacts_n == 0;
}

static bool no_refusals(const struct detail *d)
{
	return d->refusals_n == 0;
}

static bool no_resources(const struct detail *d)
{
	return d->end.attempt == 0 && d->state != OUTCOME_RUNNING;
}

static bool no_stdout(const struct detail *d)
{
	return d->end.attempt && d->end.out_bytes == 0;
}

static bool no_stderr(const struct detail *d)
{
	return d->end.attempt && d->end.err_bytes == 0;
}

static bool no_review(const struct detail *d)
{
	return d->marks_n + d->notes_n == 0;
}

static const struct section sections[] = {
	{ NULL, NULL, showing_head, NULL, false },
	{ NULL, "purpose", showing_purpose, no_purpose, false },
	{ "code", "code", showing_code, NULL, false },
	{ "inputs", "inputs", showing_inputs, no_inputs, false },
	{ "offered", "offered files", showing_offered, NULL, true },
	{ "stdout", "stdout", showing_stdout, no_stdout, false },
	{ "stderr", "stderr", showing_stderr, no_stderr, false },
	{ "artifacts", "files", showing_artifacts, no_artifacts, false },
	{ "refusals", "refused by the sandbox", showing_refusals, no_refusals, false },
	{ "review", "marks and notes", showing_review, no_review, false },
	{ "env", "environment", showing_environment, NULL, false },
	{ "policy", "policy", showing_policy, NULL, false },
	{ "resources", "resources", showing_resources, no_resources, false },
};

static const struct cmd_option show_options[] = {
	{ .name = "code", .help = "the code that ran, and nothing else" },
	{ .name = "stdout", .help = "the bytes of stdout, and nothing else" },
	{ .name = "stderr", .help = "the bytes of stderr, and nothing else" },
	{ .name = "inputs", .help = "files that it opened" },
	{ .name = "offered", .help = "files that it could have opened" },
	{ .name = "artifacts", .help = "files that it left" },
	{ .name = "refusals", .help = "what the sandbox denied" },
	{ .name = "review", .help = "marks and notes of reviewers" },
	{ .name = "env", .help = "interpreter and packages" },
	{ .name = "policy", .help = "sandbox and limits" },
	{ .name = "resources", .help = "time and memory, of one that runs so far" },
	{ .name = "numbers", .help = "with the numbers of lines in code and streams, as notes name them" },
	{ .name = "budget", .arg = "SIZE", .help = "with --json: bytes of code and of each stream in the document (1M)" },
	{ .name = NULL },
};

static bool show_section(struct showing *s, const struct section *section, struct err *e)
{
	if (s->titles && section->title) {
		char *title = console_tinted(stdout, TONE_BOLD, section->title);

		printf("%s\n", title);
		free(title);
	}
	return section->show(s, e);
}

static bool show_sections(struct showing *s, struct err *e)
{
	size_t asked = 0;

	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		asked += sections[i].option && option_given(s->c, sections[i].option);
	s->titles = asked != 1;
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		const struct section *x = &sections[i];
		bool wanted = asked ? x->option && option_given(s->c, x->option)
		                    : !x->asked_only && !(x->is_empty && x->is_empty(s->d));

		if (wanted && !show_section(s, x, e))
			return false;
	}
	return true;
}

static int show_json(struct cmd *c, const struct detail *d)
{
	const char *budget_text = option_value(c, "budget");
	int64_t budget = DETAIL_BUDGET;
	struct err e = { 0 };

	if (budget_text && !size_parse(budget_text, &budget, &e)) {
		e.code = ERR_INPUT;
		err_prefix(&e, "--budget");
		return cmd_fail(c, &e);
	}
	struct json_writer *w = json_writer_new();
	if (detail_json(w, c->query, c->ws, d, budget, &e))
		return cmd_print_json(c, w, STATUS_DONE);
	cmd_drop_json(w);
	return cmd_fail(c, &e);
}

static int show_run(struct cmd *c)
{
	struct detail d = { 0 };
	struct err e = { 0 };
	int64_t attempt;
	int status;

	if (!cmd_query(c, &e) || !query_resolve_text(c->query, c->args[0], &attempt, &e) ||
	    !query_detail(c->query, attempt, &d, &e))
		return cmd_fail(c, &e);
	if (c->json) {
		status = show_json(c, &d);
	} else {
		struct showing s = { .c = c, .q = c->query, .d = &d, .numbers = option_given(c, "numbers") };

		status = show_sections(&s, &e) ? STATUS_DONE : cmd_fail(c, &e);
	}
	query_detail_free(&d);
	return status;
}

const struct cmd_entry cmd_show_entry = {
	.name = "show",
	.args = "[OPTION]... REF",
	.brief = "Shows everything about one attempt, or one section of it",
	.detail = "--code, --stdout or --stderr alone give the bytes themselves when stdout is a file or pipe. On a "
	          "terminal nothing that a run wrote reaches it as it is: what would act on the terminal is made "
	          "visible. The files that the attempt was offered are listed by --offered only.",
	.statuses = "0 whenever it could be shown, 2 it could not, 3 wrong use",
	.examples = "tickmark show last\ntickmark show 7.2 --stdout > out.txt\ntickmark show 7.2 --inputs --artifacts\n"
	            "tickmark show 7.2 --json | jq .inputs",
	.options = show_options,
	.members = detail_members,
	.flags = CMD_REVIEWS,
	.min_args = 1,
	.run = show_run,
};
