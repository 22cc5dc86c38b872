/* The report as one HTML file: no script, no link, nothing loaded; a policy in its head forbids both. */
#include "report.h"

#include <string.h>

/* Dark only on a screen that asks for it; paper gets the wide table on its side, its head on each page. */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
	":root{--fore:#111;--back:#fff;--line:#767676;--head:#eee;--good:#060;--bad:#900;--warn:#750;--link:#00e}\n"
	"@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--fore:#eee;--back:#161616;--line:#8a8a8a;"
	"--head:#2c2c2c;--good:#8d8;--bad:#f99;--warn:#ec7;--link:#9cf}}\n"
	"body{font:15px/1.4 sans-serif;margin:2em;max-width:90em;color:var(--fore);background:var(--back)}\n"
	"a{color:var(--link)}table{border-collapse:collapse}\n"
	"td,th{border:1px solid var(--line);padding:.3em .5em;text-align:left;vertical-align:top;overflow-wrap:anywhere;min-width:3em}\n"
	"thead th{background:var(--head)}caption{text-align:left;padding-bottom:.3em}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.2em 1em}dt{font-weight:bold}dd{margin:0;overflow-wrap:anywhere}\n"
	"pre{border:1px solid var(--line);padding:.5em;white-space:pre-wrap;overflow-wrap:anywhere}\n"
	".accepted{color:var(--good)}.rejected{color:var(--bad);font-weight:bold}.questioned{color:var(--warn);font-weight:bold}\n"
	"@page{size:A4 landscape;margin:12mm}\n"
	"@media print{body{margin:0;max-width:none;font-size:10pt}a{color:inherit;text-decoration:none}thead{display:table-header-group}\n"
	"tr{break-inside:avoid}h2,h3,dt{break-after:avoid}pre{break-inside:auto;orphans:3;widows:3}}\n</style>\n";

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
	if (!*body) {
		buf_addf(out, "<h3>%s</h3><p>empty</p>\n", title);
		return;
	}
	text(&lines, body);
	buf_addf(out, "<h3>%s</h3><pre>\n", title); /* a reader drops the first line end, which must not be theirs */
	for (const char *p = lines.data; *p; p++) {
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

static void add_row(const struct report *r, const struct report_row *row, const struct report_texts *t, struct buf *out)
{
	struct buf mark = { 0 };

	(void)r;
	(void)t;
	report_mark_text(row, &mark);
	buf_addf(out, "<tr><th scope=\"row\">%lld</th><td><a href=\"#a%s\">%lld</a></td>", (long long)row->step, row->ref, (long long)row->number);
	cell(out, row->title);
	cell(out, row->purpose);
	cell(out, row->asker);
	cell(out, row->outcome);
	cell(out, row->verdict);
	buf_addf(out, "<td class=\"%s\">%s</td>", row->mark, mark.data);
	cell(out, row->note);
	cell(out, row->reviewer);
	cell(out, strcmp(row->mark, "none") == 0 ? "" : row->is_signed ? "yes" : "no");
	buf_adds(out, "</tr>\n");
	buf_free(&mark);
}

static void add_part(const struct report *r, const struct report_row *row, const struct report_texts *t, struct buf *out)
{
	(void)r;
	buf_addf(out, "<section id=\"a%s\" aria-labelledby=\"h%s\"><h2 id=\"h%s\">%s ", row->ref, row->ref, row->ref, row->ref);
	text(out, row->title);
	buf_adds(out, "</h2>\n<dl>\n");
	report_row_facts(row, fact, out);
	buf_adds(out, "</dl>\n");
	block(out, "Code", t->code);
	block(out, "stdout", t->out);
	block(out, "stderr", t->err);
	buf_adds(out, "</section>\n");
}

static void begin(const struct report *r, struct buf *out)
{
	static const char *const titles[] = { "step", "attempt", "title", "purpose", "asked by", "outcome", "verdict", "mark", "note",
		                              "reviewer", "signed" };

	buf_addf(out, "%s<title>Review report: ", head);
	text(out, path_base(r->workspace));
	buf_adds(out, "</title></head><body><main>\n<h1>Review report</h1>\n<dl>\n");
	report_facts(r, fact, out);
	buf_adds(out, "</dl>\n<p>What ran is evidence, not truth: nothing here says that a result is right.</p>\n"
	              "<h2>Steps</h2>\n<table><caption>");
	text(out, r->scope);
	buf_adds(out, "</caption><thead><tr>");
	for (size_t i = 0; i < ARRAY_LEN(titles); i++)
		buf_addf(out, "<th scope=\"col\">%s</th>", titles[i]);
	buf_adds(out, "</tr></thead><tbody>\n");
}

static void between(struct buf *out)
{
	buf_adds(out, "</tbody></table>\n");
}

static void end(struct buf *out)
{
	buf_adds(out, "</main></body></html>\n");
}

const struct report_form report_html = { .name = "html", .begin = begin, .row = add_row, .between = between, .part = add_part, .end = end };
