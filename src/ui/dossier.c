/* The parts of a dossier: which there are, and their rows. */
#include "dossier.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/review.h"
#include "preview.h"
#include "section_text.h"
#include "text.h"

#define CODE_ROWS 1500
#define STREAM_HEAD 120
#define STREAM_TAIL 40
#define LIST_ROWS 60
#define PREVIEW_ROWS 24
#define PREVIEWS 16 /* files that are previewed */

static struct part *add_part(struct dossier *d, const char *title, enum section_kind k, size_t head, size_t tail)
{
	struct part *p;

	d->parts = grow(d->parts, d->parts_n, &d->parts_cap, sizeof(*d->parts));
	p = &d->parts[d->parts_n++];
	*p = (struct part){ .title = xstrdup(title), .kind = k, .head = head, .tail = tail, .gap = SIZE_MAX };
	return p;
}

static void add_section(struct dossier *d, enum section_kind k, size_t head, size_t tail)
{
	struct part *p = add_part(d, section_word(k), k, head, tail);
	struct buf sum = { 0 };

	section_summary(&d->context, &d->detail, k, &sum);
	p->summary = buf_take(&sum);
}

/* ---- the first part --------------------------------------------------------------------------------- */

static void add_text(struct buf *out, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	buf_addf(out, "%-10s ", label);
	escape_text(out, text, strlen(text), ESCAPE_ALL);
	buf_addc(out, '\n');
}

static void head_of_outcome(const struct detail *d, struct buf *out)
{
	char wall[UNIT_TEXT] = "";

	buf_addf(out, "%s  %s", d->ref, outcome_word(d->state));
	if (d->end.limit)
		buf_addf(out, " %s", d->end.limit);
	if (d->state == OUTCOME_ERROR && d->end.exit_code > 1)
		buf_addf(out, " %d", d->end.exit_code);
	if (d->end.attempt) {
		duration_format(d->end.wall_us, wall);
		buf_addf(out, "  %s", wall);
	}
	if (d->end.detail && *d->end.detail) {
		buf_adds(out, "  ");
		escape_text(out, d->end.detail, strlen(d->end.detail), ESCAPE_ALL);
	}
	buf_addc(out, '\n');
}

static void head_of_place(const struct detail *d, struct buf *out)
{
	if (*d->check_of)
		buf_addf(out, "%-10s %s: %s\n", "check of", d->check_of, verdict_word(d->verdict));
	if (*d->retry_of)
		buf_addf(out, "%-10s %s\n", "corrects", d->retry_of);
	if (d->last_number > d->attempt.number)
		buf_addf(out, "%-10s %lld.%lld (> goes there)\n", "corrected", (long long)d->step.number,
		         (long long)d->last_number);
}

static void add_head(struct dossier *d)
{
	const struct detail *x = &d->detail;
	const struct asker *asker = &x->attempt.asker;
	struct buf out = { 0 }, odd = { 0 }, sum = { 0 };
	struct oddities o;
	char when[CLOCK_TEXT];

	head_of_outcome(x, &out);
	add_text(&out, "title", x->attempt.title ? x->attempt.title : x->step.title);
	add_text(&out, "purpose", x->attempt.purpose ? x->attempt.purpose : x->step.purpose ? x->step.purpose : "none given");
	clock_local(x->attempt.queued_us, when);
	char *who = xasprintf("%s %s, %s", asker->kind == ASKER_ASSISTANT ? "assistant" : "person", asker->name ? asker->name : "", when);
	add_text(&out, "asked by", who);
	free(who);
	head_of_place(x, &out);
	section_summary(&d->context, x, SECTION_REVIEW, &sum);
	add_text(&out, "mark", sum.data);
	if (query_oddities(d->context.query, x, true, &o, NULL)) {
		oddities_text(&o, &odd);
		add_text(&out, "LOOK OUT", odd.data);
	}
	add_part(d, "", SECTION_NONE, LIST_ROWS, 0)->words = buf_take(&out);
	buf_free(&odd);
	buf_free(&sum);
}

/* ---- files and checks ------------------------------------------------------------------------------- */

static void add_previews(struct dossier *d)
{
	size_t shown = 0;

	for (size_t i = 0; i < d->detail.artifacts_n && shown < PREVIEWS; i++) {
		const struct entry *f = &d->detail.artifacts[i];
		char size[UNIT_TEXT], *name;
		struct part *p;

		if (f->size < 0 || f->what == ARTIFACT_DELETED || digest_is_zero(&f->sha256))
			continue;
		name = escape_name_dup(f->path);
		p = add_part(d, name, SECTION_NONE, PREVIEW_ROWS, 0);
		free(name);
		size_format(f->size, size);
		p->path = xstrdup(f->path);
		p->sha256 = f->sha256;
		p->summary = xasprintf("%s, %s%s", artifact_word((enum artifact_kind)f->what), size, f->size < 1000 ? " bytes" : "");
		shown++;
	}
}

static bool add_check(void *ctx, const struct row *r)
{
	struct buf *out = ctx;
	char when[CLOCK_TEXT];

	if (!r->check)
		return true;
	clock_local(r->queued_us, when);
	buf_addf(out, "%s  %s  %s", r->ref, r->verdict ? verdict_word(r->verdict) : outcome_word(r->state), when);
	if (r->detail && *r->detail) {
		buf_adds(out, "  ");
		escape_text(out, r->detail, strlen(r->detail), ESCAPE_ALL);
	}
	buf_addc(out, '\n');
	return true;
}

struct own_checks {
	int64_t number;
	struct buf text;
};

static bool add_own_check(void *ctx, const struct row *r)
{
	struct own_checks *c = ctx;

	return r->number != c->number || add_check(&c->text, r);
}

static void add_verdicts(struct dossier *d)
{
	struct log_filter f = { .step = d->detail.step.number, .checks = true, .oldest_first = true };
	struct own_checks c = { .number = d->detail.attempt.number };

	if (query_log(d->context.query, &f, add_own_check, &c, NULL) && c.text.len)
		add_part(d, "verdicts", SECTION_NONE, LIST_ROWS, 0)->words = buf_take(&c.text);
	buf_free(&c.text);
}

/* What was said of the record as a whole, where anything was. */
static void add_opinions(struct dossier *d)
{
	struct review_opinion o;
	struct buf sum = { 0 }, text = { 0 };
	struct err e = { 0 };
	bool ok = review_opinion(d->context.query, &o, &e), any = !ok || o.judgement != JUDGED_NONE;

	if (any && (!ok || !section_write_opinions(d->context.query, o.stale, &text, &e)))
		buf_addf(&text, "%s\n", e.msg);
	if (any) {
		struct part *p = add_part(d, "the record as a whole", SECTION_NONE, LIST_ROWS, 0);

		review_opinion_brief(&o, &sum);
		p->words = buf_take(&text);
		p->summary = sum.len ? buf_take(&sum) : NULL;
	}
	review_opinion_free(&o);
	buf_free(&text);
	buf_free(&sum);
}

static bool has_filters(struct dossier *d)
{
	struct oddities o;

	return query_oddities(d->context.query, &d->detail, false, &o, NULL) && o.filters > 0;
}

static void add_parts(struct dossier *d)
{
	const struct detail *x = &d->detail;
	bool ended = x->end.attempt != 0;

	add_head(d);
	add_section(d, SECTION_CODE, CODE_ROWS, 0);
	if (has_filters(d))
		add_section(d, SECTION_FILTERS, LIST_ROWS, 0);
	add_section(d, SECTION_INPUTS, LIST_ROWS, 0);
	if (!ended || x->end.out_bytes)
		add_section(d, SECTION_STDOUT, STREAM_HEAD, STREAM_TAIL);
	if (!ended || x->end.err_bytes)
		add_section(d, SECTION_STDERR, STREAM_HEAD, STREAM_TAIL);
	if (x->artifacts_n)
		add_section(d, SECTION_FILES, LIST_ROWS, 0);
	add_previews(d);
	if (x->refusals_n)
		add_section(d, SECTION_REFUSALS, LIST_ROWS, 0);
	add_verdicts(d);
	add_section(d, SECTION_REVIEW, LIST_ROWS, 0);
	add_opinions(d);
	add_section(d, SECTION_ENVIRONMENT, 12, 0);
	if (ended || x->state == OUTCOME_RUNNING)
		add_section(d, SECTION_RESOURCES, LIST_ROWS, 0);
}

/* ---- the object --------------------------------------------------------------------------------------- */

static void close_rows(struct part *p)
{
	free(p->rows);
	p->rows = NULL;
	p->n = 0;
	p->gap = SIZE_MAX;
}

static void part_free(struct part *p)
{
	close_rows(p);
	if (p->open)
		text_close(&p->text);
	py_cache_free(&p->py);
	free(p->title);
	free(p->summary);
	free(p->path);
	free(p->words);
}

void dossier_clear(struct dossier *d)
{
	for (size_t i = 0; i < d->parts_n; i++)
		part_free(&d->parts[i]);
	d->parts_n = 0;
	free(d->parts);
	d->parts = NULL;
	d->parts_cap = 0;
	if (d->good)
		query_detail_free(&d->detail);
	d->good = false;
}

bool dossier_load(struct dossier *d, int64_t attempt, struct err *e)
{
	struct detail detail;

	if (!query_detail(d->context.query, attempt, &detail, e))
		return false;
	dossier_clear(d);
	d->detail = detail;
	d->good = true;
	add_parts(d);
	return true;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

static bool open_part(struct dossier *d, struct part *p, struct err *e)
{
	struct source_spec spec = { .kind = SOURCE_TEXT };
	struct buf made = { 0 };
	bool ok;

	if (p->kind != SECTION_NONE)
		return section_open(&d->context, &d->detail, p->kind, &p->text, e);
	if (p->words) {
		spec.text = p->words;
		spec.text_len = strlen(p->words);
	} else if (preview_make(d->context.query, p->path, &p->sha256, &made, e)) {
		spec.text = made.data ? made.data : "";
		spec.text_len = made.len;
	} else {
		buf_free(&made);
		return false;
	}
	ok = text_open(d->context.record, &spec, &p->text, e);
	buf_free(&made);
	return ok;
}

static int part_cols(const struct dossier *d, const struct part *p)
{
	return MAX(1, d->cols - DOSSIER_INDENT - (p->kind == SECTION_CODE ? DOSSIER_NUMBERS : 0));
}

static bool is_tail(const struct part *p, const struct text_row *row)
{
	return row->start >= p->text.size;
}

/* The beginning, and where that is not all, a gap and the end. */
static void make_rows(struct dossier *d, struct part *p)
{
	struct text_row *end = xcalloc(p->tail + 1, sizeof(*end)), row;
	size_t got, from = 0;

	p->text.rows.cols = part_cols(d, p);
	p->text.rows.wrap = true;
	rows_forget(&p->text.rows);
	p->rows = xcalloc(p->head + p->tail + 1, sizeof(*p->rows));
	bool more = rows_at(&p->text.rows, 0, &row) && !is_tail(p, &row);
	while (more && p->n < p->head) {
		p->rows[p->n++] = row;
		more = rows_next(&p->text.rows, &p->rows[p->n - 1], &row) && !is_tail(p, &row);
	}
	if (more) {
		got = p->tail ? rows_back(&p->text.rows, NULL, end, p->tail) : 0;
		if (got > 0 && is_tail(p, &end[got - 1]))
			got--;
		while (from < got && end[from].start < row.start)
			from++;
		if (from == got || end[from].start > row.start)
			p->gap = p->n++;
		for (; from < got; from++)
			p->rows[p->n++] = end[from];
	}
	free(end);
}

struct part *dossier_part(struct dossier *d, size_t i)
{
	struct part *p = &d->parts[i];
	struct err e = { 0 };

	if (!p->tried) {
		p->tried = true;
		p->open = open_part(d, p, &e);
		if (p->open)
			text_feed(&p->text, 1 << 20);
		else
			snprintf(p->note, sizeof(p->note), "%s", e.msg);
	}
	if (p->open && !p->rows)
		make_rows(d, p);
	return p;
}

bool dossier_is_gap(const struct part *p, int64_t row)
{
	return p->gap != SIZE_MAX && row == (int64_t)p->gap + 1;
}

/* Where the row begins; -1: it has no bytes (heading, gap, a part that could not be opened). */
static int64_t place_of(struct dossier *d, const struct list_key *key)
{
	struct part *p = dossier_part(d, (size_t)key->v[0]);
	int64_t row = key->v[1];

	return p->open && row >= 1 && row <= (int64_t)p->n && !dossier_is_gap(p, row) ? p->rows[row - 1].start : -1;
}

/* The row that holds byte `pos` of the part. */
static int64_t row_at(struct dossier *d, int64_t part, int64_t pos)
{
	struct part *p = dossier_part(d, (size_t)part);
	int64_t found = 1;

	for (int64_t row = 1; row <= (int64_t)p->n; row++)
		if (!dossier_is_gap(p, row) && p->rows[row - 1].start <= pos)
			found = row;
	return found;
}

bool dossier_fit(struct dossier *d, int cols, struct list_key *const keys[], size_t n)
{
	int64_t places[8];

	if (d->cols == cols)
		return false;
	assert(n <= ARRAY_LEN(places));
	for (size_t i = 0; i < n; i++)
		places[i] = place_of(d, keys[i]);
	d->cols = cols;
	for (size_t i = 0; i < d->parts_n; i++)
		close_rows(&d->parts[i]);
	for (size_t i = 0; i < n; i++)
		if (places[i] >= 0)
			keys[i]->v[1] = row_at(d, keys[i]->v[0], places[i]);
		else if (keys[i]->v[1] > 1) /* a gap, if it is still there */
			keys[i]->v[1] = MIN(keys[i]->v[1], (int64_t)dossier_part(d, (size_t)keys[i]->v[0])->n);
	return true;
}

struct text_row *dossier_row(struct part *p, int64_t row)
{
	return p->open && row >= 1 && row <= (int64_t)p->n && !dossier_is_gap(p, row) ? &p->rows[row - 1] : NULL;
}

static const char *bytes_of(struct part *p, int64_t start, int64_t end, size_t *n)
{
	int64_t most = MIN((end >= 0 ? end : p->text.size) - start, (int64_t)WINDOW_MAX);
	size_t got;
	const char *bytes = window_at(p->text.window, start, (size_t)most, &got);

	*n = bytes ? (size_t)MIN((int64_t)got, most) : 0;
	return bytes;
}

const char *dossier_bytes(struct part *p, int64_t row, size_t *n)
{
	const struct text_row *r = dossier_row(p, row);

	return r ? bytes_of(p, r->start, r->end, n) : NULL;
}

const char *dossier_line(struct part *p, int64_t row, int64_t *start, size_t *n)
{
	const struct text_row *r = dossier_row(p, row);
	struct line line;

	if (!r)
		return NULL;
	bool near = r->line >= 0 && lines_get(p->text.lines, p->text.window, r->start, p->text.size, &line) && line.start >= 0 &&
	            r->start - line.start < WINDOW_MAX / 2;
	*start = near ? line.start : r->start;
	return bytes_of(p, *start, near ? line.end : r->end, n);
}

int64_t dossier_line_of_row(struct part *p, int64_t row)
{
	const struct text_row *r = dossier_row(p, row);

	return r && r->line >= 0 ? lines_number(p->text.lines, p->text.window, r->line) + 1 : 0;
}

int64_t dossier_row_of_line(struct dossier *d, size_t part, int64_t line)
{
	struct part *p = dossier_part(d, part);

	for (int64_t row = 1; row <= (int64_t)p->n; row++)
		if (dossier_line_of_row(p, row) == line)
			return row;
	return 0;
}

/* ---- as a list --------------------------------------------------------------------------------------------- */

/* Rows of a part, its heading or what stands for one included; the first has none. */
static int64_t last_row(struct dossier *d, size_t i)
{
	const struct part *p = dossier_part(d, i);

	return p->open ? (int64_t)p->n : 1;
}

static int64_t first_row(size_t i)
{
	return i == 0 ? 1 : 0;
}

static bool list_end(void *ctx, int dir, struct list_key *out)
{
	struct dossier *d = ctx;
	size_t i = dir > 0 ? 0 : d->parts_n - 1;

	if (d->parts_n == 0)
		return false;
	*out = (struct list_key){ { (int64_t)i, dir > 0 ? first_row(0) : last_row(d, i), 0, 0 } };
	return true;
}

static bool list_step(void *ctx, struct list_key *key, int dir)
{
	struct dossier *d = ctx;
	size_t i = (size_t)MIN(key->v[0], (int64_t)d->parts_n - 1);
	int64_t row = MIN(key->v[1], last_row(d, i)) + dir;

	if (row > last_row(d, i)) {
		if (i + 1 == d->parts_n)
			return false;
		*key = (struct list_key){ { (int64_t)i + 1, first_row(i + 1), 0, 0 } };
		return true;
	}
	if (row < first_row(i)) {
		if (i == 0)
			return false;
		*key = (struct list_key){ { (int64_t)i - 1, last_row(d, i - 1), 0, 0 } };
		return true;
	}
	*key = (struct list_key){ { (int64_t)i, row, 0, 0 } };
	return true;
}

static int list_compare(void *ctx, const struct list_key *a, const struct list_key *b)
{
	(void)ctx;
	if (a->v[0] != b->v[0])
		return a->v[0] < b->v[0] ? -1 : 1;
	return (a->v[1] > b->v[1]) - (a->v[1] < b->v[1]);
}

const struct list_ops dossier_ops = { .end = list_end, .step = list_step, .compare = list_compare };
