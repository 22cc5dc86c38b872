/*
 * The report as CSV (RFC 4180). A spreadsheet takes what begins with = + - @ for a formula, some in their full
 * width, too: such cells get an apostrophe in front, which spreadsheets show as text; so do lines within a cell, and what follows a semicolon, which begin a cell
 * where semicolons part them, unless it is a number. What is said of the whole record stands in each row, so that rows which are sorted, filtered or copied elsewhere keep it.
 */
#include "report.h"

#include <string.h>

static bool is_formula(const char *p)
{
	static const char *const wide[] = { "\uff1d", "\uff0b", "\uff0d", "\uff20" };

	p += strspn(p, " \n");
	for (size_t i = 0; i < ARRAY_LEN(wide); i++)
		if (strncmp(p, wide[i], strlen(wide[i])) == 0)
			return true;
	return *p && strchr("=+-@|%", *p);
}

/* Nothing but a number up to where a cell could end. */
static bool is_number(const char *p)
{
	p += strspn(p, " \"");
	p += *p == '+' || *p == '-';
	size_t n = strspn(p, "0123456789.,");
	return n > 0 && (p[n] == '\0' || p[n] == '\n' || p[n] == ';');
}

static void cell(struct buf *out, const char *text, char end)
{
	size_t n = strlen(text);
	struct buf safe = { 0 };

	escape_text(&safe, text, n, ESCAPE_NEWLINE);
	const char *p = safe.data ? safe.data : "";
	bool quoted = strpbrk(p, ",\"\n\r;\t") || *p == ' ';

	if (quoted)
		buf_addc(out, '"');
	if (is_formula(p))
		buf_addc(out, '\'');
	for (; *p; p++) {
		if (*p == '"')
			buf_addc(out, '"');
		buf_addc(out, *p);
		if ((*p == '\n' || *p == ';') && is_formula(p + 1 + strspn(p + 1, "\"")) && !is_number(p + 1))
			buf_addc(out, '\'');
	}
	if (quoted)
		buf_addc(out, '"');
	if (end == '\n')
		buf_addc(out, '\r');
	buf_addc(out, end);
	buf_free(&safe);
}

static void number(struct buf *out, int64_t n)
{
	buf_addf(out, "%lld,", (long long)n);
}

static void moment(struct buf *out, int64_t us)
{
	char text[CLOCK_TEXT] = "";

	if (us)
		clock_iso(us, text);
	cell(out, text, ',');
}

static void add_row(const struct report *r, const struct report_row *row, const struct report_texts *t, struct buf *out)
{
	char head[DIGEST_HEX];

	digest_hex(&r->record.head, head);
	number(out, row->step);
	number(out, row->number);
	cell(out, row->title, ',');
	cell(out, row->purpose, ',');
	cell(out, row->asker, ',');
	moment(out, row->queued_us);
	cell(out, row->outcome, ',');
	cell(out, row->detail, ',');
	cell(out, row->verdict, ',');
	cell(out, row->mark, ',');
	cell(out, row->stale ? "yes" : "no", ',');
	cell(out, row->note, ',');
	cell(out, row->reviewer, ',');
	moment(out, row->marked_us);
	cell(out, row->own_work ? "yes" : "no", ',');
	cell(out, row->is_signed ? "yes" : "no", ',');
	cell(out, row->notes, ',');
	cell(out, row->inputs, ',');
	cell(out, row->files, ',');
	cell(out, row->earlier, ',');
	cell(out, row->later, ',');
	if (r->code)
		cell(out, t->code, ',');
	if (r->out)
		cell(out, t->out, ',');
	if (r->err)
		cell(out, t->err, ',');
	cell(out, r->scope, ',');
	cell(out, r->opinion, ',');
	cell(out, r->legend, ',');
	cell(out, r->made_by, ',');
	moment(out, r->made_us);
	cell(out, r->record.uuid, ',');
	cell(out, head, '\n');
}

static void begin(const struct report *r, struct buf *out)
{
	buf_adds(out, "step,attempt,title,purpose,asked by,recorded,outcome,detail,verdict,mark,stale,note,reviewer,marked,"
	              "own work,signed,notes,inputs,files,earlier,later,");
	buf_addf(out, "%s%s%sscope,opinion,legend,made by,made,record,head\r\n", r->code ? "code," : "", r->out ? "stdout," : "", r->err ? "stderr," : "");
}

const struct report_form report_csv = { .name = "csv", .begin = begin, .row = add_row };
