/* The report as Markdown. Recorded text can begin no markup: it never stands at the beginning of a line, and
 * every sign that could do so elsewhere is escaped. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

/* On one line; `breaks`: line ends become <br>, as they can stand in a table. */
static void text(struct buf *out, const char *s, bool breaks)
{
	struct buf safe = { 0 };

	escape_text(&safe, s, strlen(s), ESCAPE_NEWLINE);
	for (const char *p = safe.data ? safe.data : ""; *p; p++) {
		if (*p == '\n')
			buf_adds(out, breaks ? "<br>" : " ");
		else if (*p == '<')
			buf_adds(out, "&lt;");
		else if (*p == '&')
			buf_adds(out, "&amp;");
		else if (strchr("\\`*_[]|~$@>#", *p))
			buf_addf(out, "\\%c", *p);
		else
			buf_addc(out, *p);
	}
	buf_free(&safe);
}

static void fact(struct buf *out, const char *name, const char *value)
{
	if (!*value)
		return;
	buf_addf(out, "- %s: ", name);
	text(out, value, true);
	buf_addc(out, '\n');
}

static void cell(struct buf *out, const char *value)
{
	buf_adds(out, " ");
	text(out, value, true);
	buf_adds(out, " |");
}

/* Between fences longer than any that stands in it. */
static void block(struct buf *out, const char *title, const char *body)
{
	size_t longest = 2, run = 0;

	if (!body)
		return;
	for (const char *p = body; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		longest = MAX(longest, run);
	}
	buf_addf(out, "\n%s:\n\n", title);
	for (size_t i = 0; i <= longest; i++)
		buf_addc(out, '`');
	buf_addf(out, "text\n%s%s", body, *body && body[strlen(body) - 1] != '\n' ? "\n" : "");
	for (size_t i = 0; i <= longest; i++)
		buf_addc(out, '`');
	buf_addc(out, '\n');
}

static void add_row(struct buf *out, const struct report_row *row)
{
	buf_addf(out, "| %lld | %lld |", (long long)row->step, (long long)row->number);
	cell(out, row->title);
	cell(out, row->purpose);
	cell(out, row->asker);
	cell(out, row->outcome);
	cell(out, row->verdict);
	char *mark = xasprintf("%s%s%s", row->mark, row->stale ? ", STALE" : "", row->own_work ? ", own work" : "");
	cell(out, mark);
	free(mark);
	cell(out, row->note);
	cell(out, row->reviewer);
	cell(out, strcmp(row->mark, "none") == 0 ? "" : row->is_signed ? "yes" : "no");
	buf_addc(out, '\n');
}

static void add_details(struct buf *out, const struct report *r, const struct report_row *row)
{
	if (!*row->notes && !*row->detail && !*row->inputs && !r->code && !r->out && !r->err)
		return;
	buf_addf(out, "\n### %s ", row->ref);
	text(out, row->title, false);
	buf_adds(out, "\n\n");
	fact(out, "detail", row->detail);
	fact(out, "notes", row->notes);
	fact(out, "inputs", row->inputs);
	block(out, "Code", row->code);
	block(out, "stdout", row->out);
	block(out, "stderr", row->err);
}

void report_md(const struct report *r, struct buf *out)
{
	buf_adds(out, "# Review report\n\n");
	report_facts(r, fact, out);
	buf_adds(out, "\nWhat ran is evidence, not truth: nothing here says that a result is right.\n\n"
	              "| step | attempt | title | purpose | asked by | outcome | verdict | mark | note | reviewer | signed |\n"
	              "|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < r->n; i++)
		add_row(out, &r->rows[i]);
	for (size_t i = 0; i < r->n; i++)
		add_details(out, r, &r->rows[i]);
}
