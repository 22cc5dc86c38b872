/* The report as Markdown. Recorded text can begin no markup: it never stands at the beginning of a line, and
 * every sign that could do so elsewhere is escaped. */
#include "report.h"

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
		else if (*p == ':' && p[1] == '/' && p[2] == '/') /* an address alone would become a link */
			buf_adds(out, "&#58;");
		else if (strncasecmp(p, "www.", 4) == 0)
			buf_addf(out, "&#%d;", *p);
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
	if (!*body) {
		buf_addf(out, "\n%s: empty\n", title);
		return;
	}
	for (const char *p = body; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		longest = MAX(longest, run);
	}
	buf_addf(out, "\n%s:\n\n", title);
	for (size_t i = 0; i <= longest; i++)
		buf_addc(out, '`');
	buf_addf(out, "text\n%s%s", body, body[strlen(body) - 1] != '\n' ? "\n" : "");
	for (size_t i = 0; i <= longest; i++)
		buf_addc(out, '`');
	buf_addc(out, '\n');
}

static void add_row(const struct report *r, const struct report_row *row, const struct report_texts *t, struct buf *out)
{
	struct buf mark = { 0 };

	(void)r;
	(void)t;
	report_mark_text(row, &mark);
	buf_addf(out, "| %lld | %lld |", (long long)row->step, (long long)row->number);
	cell(out, row->title);
	cell(out, row->purpose);
	cell(out, row->asker);
	cell(out, row->outcome);
	cell(out, row->verdict);
	cell(out, mark.data);
	cell(out, row->note);
	cell(out, row->reviewer);
	cell(out, strcmp(row->mark, "none") == 0 ? "" : row->is_signed ? "yes" : "no");
	buf_addc(out, '\n');
	buf_free(&mark);
}

static void add_part(const struct report *r, const struct report_row *row, const struct report_texts *t, struct buf *out)
{
	(void)r;
	buf_addf(out, "\n## %s ", row->ref);
	text(out, row->title, false);
	buf_adds(out, "\n\n");
	report_row_facts(row, fact, out);
	block(out, "Code", t->code);
	block(out, "stdout", t->out);
	block(out, "stderr", t->err);
}

static void begin(const struct report *r, struct buf *out)
{
	buf_adds(out, "# Review report\n\n");
	report_facts(r, fact, out);
	buf_adds(out, "\nWhat ran is evidence, not truth: nothing here says that a result is right.\n\n"
	              "| step | attempt | title | purpose | asked by | outcome | verdict | mark | note | reviewer | signed |\n"
	              "|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void between(struct buf *out)
{
	(void)out; /* a heading ends the table */
}

const struct report_form report_md = { .name = "md", .begin = begin, .row = add_row, .between = between, .part = add_part };
