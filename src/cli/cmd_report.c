/* report: what was looked at and what was said of it, as one file for readers. */
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cmd_option report_options[] = {
	{ .name = "md", .help = "Markdown (the default, unless --output names another form)" },
	{ .name = "html", .help = "one HTML file that loads nothing" },
	{ .name = "csv", .help = "a table; what a spreadsheet takes for a formula gets an apostrophe" },
	{ .name = "output", .letter = 'o', .arg = "FILE", .help = "write there instead of stdout; its ending tells the form" },
	{ .name = "force", .letter = 'f', .help = "replace FILE" },
	{ .name = "all", .help = "every attempt, not each step as its last one" },
	{ .name = "code", .help = "with the code" },
	{ .name = "stdout", .help = "with stdout" },
	{ .name = "stderr", .help = "with stderr" },
	{ .name = NULL },
};

static const struct report_form *const forms[] = { &report_md, &report_html, &report_csv };

static const struct report_form *form_of_name(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	for (size_t i = 0; dot && i < ARRAY_LEN(forms); i++)
		if (strcmp(dot + 1, forms[i]->name) == 0)
			return forms[i];
	return NULL;
}

/* The one that is asked for; NULL: more than one is. */
static const struct report_form *choose_form(struct cmd *c, const char *path)
{
	const struct report_form *chosen = NULL;

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (!option_given(c, forms[i]->name))
			continue;
		if (chosen)
			return NULL;
		chosen = forms[i];
	}
	if (!chosen)
		chosen = form_of_name(path);
	return chosen ? chosen : forms[0];
}

struct writing {
	struct cmd *c;
	const struct report *r;
	const struct report_form *form;
	int64_t unreadable;   /* texts that are not as they were recorded */
};

static bool fill(void *ctx, int fd, struct err *e)
{
	struct writing *w = ctx;

	return report_write(w->c, w->r, w->form, fd, &w->unreadable, e);
}

static bool write_out(struct writing *w, const char *path, struct err *e)
{
	if (!path || strcmp(path, "-") == 0)
		return fflush(stdout) == 0 && fill(w, STDOUT_FILENO, e);
	return export_made(path, option_given(w->c, "force"), fill, w, e);
}

/* A name whose ending no form has, such as out.pdf, promises what is not written. */
static bool is_misnamed(struct cmd *c, const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (option_given(c, forms[i]->name))
			return false;
	return dot && dot != path && dot[1] && !strchr(dot, '/') && !form_of_name(path);
}

static int report_run(struct cmd *c)
{
	const char *path = option_value(c, "output");
	const struct report_form *form = choose_form(c, path);
	struct report r = { 0 };
	struct err e = { 0 };
	int status = STATUS_DONE;

	if (!form)
		return cmd_usage(c, "one of --md, --html and --csv");
	if (is_misnamed(c, path))
		return cmd_usage(c, "a report is .md, .html or .csv, not '%s'; --md, --html or --csv says what %s is to hold",
		                 strrchr(path, '.'), path);
	bool to_file = path && strcmp(path, "-") != 0;
	struct writing w = { .c = c, .r = &r, .form = form };
	bool ok = report_collect(c, &r, &e) && write_out(&w, path, &e);
	if (ok) {
		char *what = xasprintf("report %s (%s): %zu attempt%s", to_file ? path : "to stdout", form->name, r.n,
		                       r.n == 1 ? "" : "s");
		ok = !c->ws || review_exported(c->ws, what, &e); /* evidence is told nothing */
		free(what);
	}
	if (ok && w.unreadable) {
		console_say(c, "%lld text%s could not be shown, as the report says in place; tickmark verify tells what is wrong",
		            (long long)w.unreadable, w.unreadable == 1 ? "" : "s");
		status = STATUS_NOT_GOOD;
	}
	if (!ok) {
		status = cmd_fail(c, &e);
	} else if (to_file) {
		console_note("%s: %zu attempt%s, %lld without a mark that counts", path, r.n, r.n == 1 ? "" : "s", (long long)r.open);
		cmd_say_inside(c, path);
	}
	report_free(&r);
	return status;
}

const struct cmd_entry cmd_report_entry = {
	.name = "report",
	.args = "[OPTION]... [REF]...",
	.brief = "Writes what was reviewed as one file for readers",
	.detail = "Scope, identity and ledger head of the record, the opinion, and of each step its title, purpose, who asked, "
	          "outcome, verdict, mark, note, reviewer, and whether it is signed, then what it ran on, read and left, and its "
	          "earlier attempts. With REF, those attempts alone. All recorded text is escaped, and nothing is loaded from "
	          "elsewhere. That a report was made is an event of the ledger.\n\n"
	          "In CSV an apostrophe stands in front of what a spreadsheet would take for a formula, in lines within a cell, too: "
	          "code and output are there to be looked at, and `tickmark export` gives their bytes.",
	.statuses = "0 written, 1 written, but some code or output is not as it was recorded, 2 it could not be, 3 wrong use",
	.examples = "tickmark report -o review.html\ntickmark report --csv 3 7.2 > marks.csv\n"
	            "tickmark report --code --stdout -o full.md",
	.options = report_options,
	.flags = CMD_REVIEWS,
	.max_args = SIZE_MAX,
	.run = report_run,
};
