/* The report as one HTML file: no script, no link, nothing loaded; a policy in its head forbids both. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

static const char begin[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\"><title>Review report</title>\n<style>\n"
	"body{font:15px/1.4 sans-serif;margin:2em;max-width:90em;color:#111;background:#fff}\n"
	"table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3em .5em;text-align:left;vertical-align:top}\n"
	"th{background:#eee}dt{font-weight:bold;float:left;clear:left;width:9em}dd{margin:0 0 .2em 9em}\n"
	"pre{border:1px solid #999;padding:.5em;white-space:pre-wrap;overflow-wrap:anywhere}\n"
	".accepted{color:#060}.rejected{color:#900;font-weight:bold}.questioned{color:#750;font-weight:bold}\n"
	"@media print{body{margin:0}pre{break-inside:auto}tr{break-inside:avoid}}\n</style></head><body>\n"
	"<h1>Review report</h1>\n";

static void text(struct buf *out, const char *s)
{
	struct buf safe = { 0 };

	escape_text(&safe, s, strlen(s), ESCAPE_NEWLINE | ESCAPE_TAB);
	for (const char *p = safe.data ? safe.data : ""; *p; p++) {
		switch (*p) {
		case '<': buf_adds(out, "&lt;"); break;
		case '>': buf_adds(out, "&gt;"); break;
		case '&': buf_adds(out, "&amp;"); break;
		case '"': buf_adds(out, "&quot;"); break;
		case '\'': buf_adds(out, "&#39;"); break;
		case '\n': buf_adds(out, "<br>\n"); break;
		default: buf_addc(out, *p); break;
		}
	}
	buf_free(&safe);
}

/* The same between <pre>, where line ends stay as they are. */
static void block(struct buf *out, const char *title, const char *body)
{
	struct buf lines = { 0 };

	if (!body)
		return;
	text(&lines, body);
	buf_addf(out, "<h3>%s</h3><pre>\n", title); /* a reader drops the first line end, which must not be theirs */
	for (const char *p = lines.data ? lines.data : ""; *p; p++) {
		if (strncmp(p, "<br>", 4) == 0)
			p += 3;
		else
			buf_addc(out, *p);
	}
	buf_adds(out, "</pre>\n");
	buf_free(&lines);
}

static void fact(struct buf *out, const char *name, const char *value)
{
	if (!*value)
		return;
	buf_addf(out, "<dt>%s</dt><dd>", name);
	text(out, value);
	buf_adds(out, "</dd>\n");
}

static void cell(struct buf *out, const char *value)
{
	buf_adds(out, "<td>");
	text(out, value);
	buf_adds(out, "</td>");
}

static void add_row(struct buf *out, const struct report_row *row)
{
	buf_addf(out, "<tr><td>%lld</td><td>%lld</td>", (long long)row->step, (long long)row->number);
	cell(out, row->title);
	cell(out, row->purpose);
	cell(out, row->asker);
	cell(out, row->outcome);
	cell(out, row->verdict);
	buf_addf(out, "<td class=\"%s\">%s%s%s</td>", row->mark, row->mark, row->stale ? ", STALE" : "",
	         row->own_work ? ", own work" : "");
	cell(out, row->note);
	cell(out, row->reviewer);
	cell(out, strcmp(row->mark, "none") == 0 ? "" : row->is_signed ? "yes" : "no");
	buf_adds(out, "</tr>\n");
}

static void add_details(struct buf *out, const struct report *r, const struct report_row *row)
{
	if (!*row->notes && !*row->detail && !*row->inputs && !r->code && !r->out && !r->err)
		return;
	buf_addf(out, "<h2>%s ", row->ref);
	text(out, row->title);
	buf_adds(out, "</h2>\n<dl>\n");
	fact(out, "detail", row->detail);
	fact(out, "notes", row->notes);
	fact(out, "inputs", row->inputs);
	buf_adds(out, "</dl>\n");
	block(out, "Code", row->code);
	block(out, "stdout", row->out);
	block(out, "stderr", row->err);
}

void report_html(const struct report *r, struct buf *out)
{
	buf_adds(out, begin);
	buf_adds(out, "<dl>\n");
	report_facts(r, fact, out);
	buf_adds(out, "</dl>\n<p>What ran is evidence, not truth: nothing here says that a result is right.</p>\n<table><thead><tr>");
	static const char *const titles[] = { "step", "attempt", "title", "purpose", "asked by", "outcome", "verdict", "mark", "note",
		                              "reviewer", "signed" };
	for (size_t i = 0; i < ARRAY_LEN(titles); i++)
		buf_addf(out, "<th>%s</th>", titles[i]);
	buf_adds(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < r->n; i++)
		add_row(out, &r->rows[i]);
	buf_adds(out, "</tbody></table>\n");
	for (size_t i = 0; i < r->n; i++)
		add_details(out, r, &r->rows[i]);
	buf_adds(out, "</body></html>\n");
}
