/* rerun: recorded code on the files of now, as a new attempt. */
#include "cmd.h"

#include <stdlib.h>

static const struct cmd_option rerun_options[] = {
	{ .name = "dry-run", .letter = 'n', .help = "only list which inputs changed" },
	{ .name = "python", .arg = "PATH", .help = "interpreter: a path, or a name looked up in PATH" },
	{ .name = "pass-status", .help = "exit with the script's own status, or 128 and the signal" },
	{ .name = NULL },
};

static const char *const since_words[] = {
	[SINCE_SAME] = "the same", [SINCE_CHANGED] = "changed since", [SINCE_MISSING] = "missing now",
	[SINCE_UNKNOWN] = "cannot be compared",
};

/* Which inputs of the attempt are not what they were. */
static void list_changes(struct cmd *c, const struct detail *d)
{
	size_t changed = 0, inputs = 0;

	for (size_t i = 0; i < d->inputs_n; i++) {
		const struct entry *in = &d->inputs[i];

		if (in->what != INPUT_READ && in->what != INPUT_UPDATED)
			continue;
		enum since since = query_since(c->query, c->ws, in);
		inputs++;
		if (since == SINCE_SAME)
			continue;
		changed++;
		console_note("%s: %s", in->path, since_words[since]);
	}
	if (changed == 0)
		console_note("%s: none of its %zu input%s changed", d->ref, inputs, inputs == 1 ? "" : "s");
}

static int rerun_run(struct cmd *c)
{
	struct run_request req = { .asker = { .kind = ASKER_PERSON }, .python = option_value(c, "python") };
	struct detail d = { 0 };
	struct err e = { 0 };

	if (!cmd_query(c, &e) || !query_resolve_text(c->query, c->args[0], &req.rerun_of, &e) ||
	    !query_detail(c->query, req.rerun_of, &d, &e))
		return cmd_fail(c, &e);
	list_changes(c, &d);
	query_detail_free(&d);
	if (option_given(c, "dry-run"))
		return STATUS_DONE;
	return cmd_run_watched(c, &req, false);
}

const struct cmd_entry cmd_rerun_entry = {
	.name = "rerun",
	.alias = "refresh",
	.args = "[OPTION]... REF",
	.brief = "Runs recorded code again on the files as they are now, as a new attempt",
	.detail = "First the inputs that changed or are missing are listed on stderr; then the recorded code runs with "
	          "the recorded arguments, as the next attempt of its step. repeat is the command that uses the "
	          "recorded inputs instead.",
	.statuses = "0 ok, 1 any other outcome, 2 it could not be run, 3 wrong use, 4 still running",
	.examples = "tickmark rerun 7.2\ntickmark rerun --dry-run last # which inputs changed",
	.options = rerun_options,
	.members = detail_members,
	.min_args = 1,
	.run = rerun_run,
};
