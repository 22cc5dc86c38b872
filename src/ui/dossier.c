/* The parts of a dossier: which there are. */
#include "dossier.h"

#include <stdlib.h>
#include <string.h>

#include "model/review.h"
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
		struct buf sum = { 0 };
		struct part *p;
		char *name;

		if (f->size < 0 || f->what == ARTIFACT_DELETED || digest_is_zero(&f->sha256))
			continue;
		name = escape_name_dup(f->path);
		p = add_part(d, name, SECTION_NONE, PREVIEW_ROWS, 0);
		free(name);
		p->path = xstrdup(f->path);
		p->sha256 = f->sha256;
		buf_addf(&sum, "%s, ", artifact_word((enum artifact_kind)f->what));
		section_add_size(&sum, f->size);
		p->summary = buf_take(&sum);
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
	add_section(d, SECTION_ENVIRONMENT, 12, 0);
	if (ended || x->state == OUTCOME_RUNNING)
		add_section(d, SECTION_RESOURCES, LIST_ROWS, 0);
	add_verdicts(d);
	add_section(d, SECTION_REVIEW, LIST_ROWS, 0); /* what others said stands last, where one marks */
	add_opinions(d);
}

/* ---- the object --------------------------------------------------------------------------------------- */

static void part_free(struct part *p)
{
	dossier_close_rows(p);
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
