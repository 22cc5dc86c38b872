/* report: what was looked at and what was said of it, as one file for readers. */
#include "report.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

struct form {
	const char *name;
	void (*write)(const struct report *r, struct buf *out);
};
static const struct form forms[] = { { "md", report_md }, { "html", report_html }, { "csv", report_csv } };

static const struct form *form_of_name(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	for (size_t i = 0; dot && i < ARRAY_LEN(forms); i++)
		if (strcmp(dot + 1, forms[i].name) == 0)
			return &forms[i];
	return NULL;
}

/* The one that is asked for; NULL: more than one is. */
static const struct form *choose_form(struct cmd *c, const char *path)
{
	const struct form *chosen = NULL;

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (!option_given(c, forms[i].name))
			continue;
		if (chosen)
			return NULL;
		chosen = &forms[i];
	}
	if (!chosen)
		chosen = form_of_name(path);
	return chosen ? chosen : &forms[0];
}

static bool write_out(struct cmd *c, const char *path, const struct buf *text, struct err *e)
{
	const char *bytes = text->data ? text->data : "";

	if (!path || strcmp(path, "-") == 0) {
		fwrite(bytes, 1, text->len, stdout);
		return true;
	}
	if (fs_exists(AT_FDCWD, path) && !option_given(c, "force"))
		return err_set(e, ERR_EXISTS, "%s is there already; --force replaces it", path);
	/* a report is for readers: the mode of an ordinary file, whatever the umask leaves of it */
	if (!fs_write(AT_FDCWD, path, bytes, text->len, false, e))
		return false;
	mode_t mask = umask(022);
	umask(mask);
	chmod(path, 0666 & ~mask);
	return true;
}

/* A name whose ending no form has, such as out.pdf, promises what is not written. */
static bool is_misnamed(struct cmd *c, const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		if (option_given(c, forms[i].name))
			return false;
	return dot && dot != path && dot[1] && !strchr(dot, '/') && !form_of_name(path);
}

static int report_run(struct cmd *c)
{
	const char *path = option_value(c, "output");
	const struct form *form = choose_form(c, path);
	struct report r = { 0 };
	struct buf text = { 0 };
	struct err e = { 0 };
	int status = STATUS_DONE;

	if (!form)
		return cmd_usage(c, "one of --md, --html and --csv");
	if (is_misnamed(c, path))
		return cmd_usage(c, "a report is .md, .html or .csv, not '%s'; --md, --html or --csv says what %s is to hold",
		                 strrchr(path, '.'), path);
	bool to_file = path && strcmp(path, "-") != 0;
	bool ok = report_collect(c, &r, &e);
	if (ok) {
		form->write(&r, &text);
		ok = write_out(c, path, &text, &e);
	}
	if (ok) {
		char *what = xasprintf("report %s (%s): %zu attempt%s", to_file ? path : "to stdout", form->name, r.n,
		                       r.n == 1 ? "" : "s");
		ok = !c->ws || review_exported(c->ws, what, &e); /* evidence is told nothing */
		free(what);
	}
	if (!ok) {
		status = cmd_fail(c, &e);
	} else if (to_file) {
		console_note("%s: %zu attempt%s, %lld without a mark that counts", path, r.n, r.n == 1 ? "" : "s", (long long)r.open);
		cmd_say_inside(c, path);
	}
	report_free(&r);
	buf_free(&text);
	return status;
}

const struct cmd_entry cmd_report_entry = {
	.name = "report",
	.args = "[OPTION]... [REF]...",
	.brief = "Writes what was reviewed as one file for readers",
	.detail = "Scope, identity and ledger head of the record, the opinion, and of each step its title, purpose, who asked, "
	          "outcome, verdict, mark, note, reviewer, and whether it is signed. With REF, those attempts alone. All "
	          "recorded text is escaped, and nothing is loaded from elsewhere. That a report was made is an event of "
	          "the ledger.",
	.statuses = "0 written, 2 it could not be, 3 wrong use",
	.examples = "tickmark report -o review.html\ntickmark report --csv 3 7.2 > marks.csv\n"
	            "tickmark report --code --stdout -o full.md",
	.options = report_options,
	.flags = CMD_REVIEWS,
	.max_args = SIZE_MAX,
	.run = report_run,
};
