/* Collecting what a report says. */
#include "report.h"

#include "model/legend.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)64 << 10) /* bytes of code and of each stream */

static char *dup(const char *s)
{
	return xstrdup(s ? s : "");
}

/* ---- bytes ------------------------------------------------------------------------------------------ */

static bool take_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, TEXT_MAX + 1 - b->len));
	return b->len <= TEXT_MAX;
}

static bool take_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct buf *b = ctx;

	if (c->gap)
		buf_addf(b, "\n[%lld bytes not kept]\n", (long long)c->gap);
	return take_bytes(b, c->bytes, c->len, e);
}

/* Visible text, with what is left out said in its place. */
static char *as_text(struct buf *raw, int64_t bytes)
{
	struct buf out = { 0 };
	size_t n = MIN(raw->len, TEXT_MAX);

	while (n > 0 && raw->len > TEXT_MAX && (raw->data[n] & 0xC0) == 0x80)
		n--;
	escape_text(&out, raw->data ? raw->data : "", n, ESCAPE_NEWLINE | ESCAPE_TAB);
	if (raw->len > n)
		buf_addf(&out, "\n[the first %zu of %lld bytes; tickmark show has the rest]", n, (long long)bytes);
	buf_free(raw);
	return buf_take(&out);
}

static void take_texts(struct cmd *c, const struct report *r, const struct detail *d, struct report_row *row)
{
	struct buf raw = { 0 };

	if (r->code) {
		query_code(c->query, d->attempt.id, take_bytes, &raw, NULL);
		row->code = as_text(&raw, (int64_t)raw.len);
	}
	if (r->out) {
		query_chunks(c->query, d->attempt.id, STREAM_OUT, take_chunk, &raw, NULL);
		row->out = as_text(&raw, d->end.out_bytes);
	}
	if (r->err) {
		query_chunks(c->query, d->attempt.id, STREAM_ERR, take_chunk, &raw, NULL);
		row->err = as_text(&raw, d->end.err_bytes);
	}
}

/* ---- rows ------------------------------------------------------------------------------------------- */

struct checks {
	int64_t number;
	struct buf verdict;
};

static bool take_check(void *ctx, const struct row *r)
{
	struct checks *c = ctx;

	if (r->check && r->number == c->number && r->verdict) {
		buf_clear(&c->verdict);
		buf_addf(&c->verdict, "%s (%s)", verdict_word(r->verdict), r->ref);
	}
	return true;
}

static bool take_verdict(struct cmd *c, const struct detail *d, struct report_row *row, struct err *e)
{
	struct log_filter f = { .step = d->step.number, .checks = true, .oldest_first = true };
	struct checks checks = { .number = d->attempt.number };

	bool ok = query_log(c->query, &f, take_check, &checks, e);
	row->verdict = checks.verdict.len ? buf_take(&checks.verdict) : xstrdup("");
	buf_free(&checks.verdict);
	return ok;
}

static void take_review(const struct detail *d, struct report_row *row)
{
	const struct review_mark *m = review_counts(d);
	struct buf notes = { 0 };

	row->mark = m ? judgement_word(m->judgement) : "none";
	row->note = dup(m ? m->note : NULL);
	row->reviewer = dup(m ? m->reviewer : NULL);
	if (m) {
		row->stale = review_is_stale(d);
		row->own_work = m->own_work;
		row->is_signed = m->is_signed;
		row->marked_us = m->at_us;
	}
	for (size_t i = 0; i < d->notes_n; i++) {
		struct buf place = { 0 };

		review_place_text(&d->notes[i].at, &place);
		char *where = escape_name_dup(place.data ? place.data : "");
		buf_addf(&notes, "%s%s%s%s (%s)", i ? "\n" : "", where, *where ? ": " : "", d->notes[i].text, d->notes[i].reviewer);
		free(where);
		buf_free(&place);
	}
	row->notes = notes.len ? buf_take(&notes) : xstrdup("");
}

static void take_inputs(const struct detail *d, struct report_row *row)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < d->inputs_n; i++) {
		const struct entry *in = &d->inputs[i];
		char hex[DIGEST_HEX] = "", *name;

		if (in->what != INPUT_READ && in->what != INPUT_UPDATED)
			continue;
		name = escape_name_dup(in->path);
		digest_hex(&in->sha256, hex);
		buf_addf(&out, "%s%s %.16s", out.len ? "\n" : "", name, hex);
		free(name);
	}
	row->inputs = out.len ? buf_take(&out) : xstrdup("");
}

static void count(struct report *r, const struct report_row *row)
{
	enum judgement j = judgement_parse(row->mark);

	*(row->stale || j == JUDGED_NONE ? &r->open : j == JUDGED_ACCEPTED ? &r->accepted : j == JUDGED_QUESTIONED ? &r->questioned
	  : &r->rejected) += 1;
}

static bool add_attempt(struct cmd *c, struct report *r, int64_t attempt, struct err *e)
{
	struct report_row *row;
	struct detail d;

	if (!query_detail(c->query, attempt, &d, e))
		return false;
	r->rows = grow(r->rows, r->n, &r->cap, sizeof(*r->rows));
	row = &r->rows[r->n++];
	*row = (struct report_row){
		.attempt = attempt, .step = d.step.number, .number = d.attempt.number, .queued_us = d.attempt.queued_us,
		.title = dup(d.attempt.title ? d.attempt.title : d.step.title),
		.purpose = dup(d.attempt.purpose ? d.attempt.purpose : d.step.purpose),
		.asker = xasprintf("%s %s", d.attempt.asker.kind == ASKER_ASSISTANT ? "assistant" : "person",
		                   d.attempt.asker.name ? d.attempt.asker.name : ""),
		.outcome = dup(outcome_word(d.state)), .detail = dup(d.end.attempt ? d.end.detail : ""),
	};
	memcpy(row->ref, d.ref, sizeof(row->ref));
	take_review(&d, row);
	take_inputs(&d, row);
	count(r, row);
	bool ok = take_verdict(c, &d, row, e);
	if (ok)
		take_texts(c, r, &d, row);
	query_detail_free(&d);
	return ok;
}

/* ---- scope ------------------------------------------------------------------------------------------- */

struct ids {
	int64_t *v;
	size_t n, cap;
};

static bool take_id(void *ctx, const struct row *r)
{
	struct ids *ids = ctx;

	ids->v = grow(ids->v, ids->n, &ids->cap, sizeof(*ids->v));
	ids->v[ids->n++] = r->attempt;
	return true;
}

static bool find_scope(struct cmd *c, struct report *r, struct ids *ids, struct err *e)
{
	bool every = option_given(c, "all");
	struct log_filter f = { .steps = !every, .oldest_first = true };

	if (c->args_n == 0) {
		if (!query_log(c->query, &f, take_id, ids, e))
			return false;
		r->scope = every ? xasprintf("all %zu attempts", ids->n)
		                 : xasprintf("all %zu steps, each as its last attempt", ids->n);
		return true;
	}
	struct buf scope = { 0 };
	buf_adds(&scope, "as asked for:");
	for (size_t i = 0; i < c->args_n; i++) {
		struct row row = { 0 };

		if (!query_resolve_text(c->query, c->args[i], &row.attempt, e)) {
			buf_free(&scope);
			return false;
		}
		take_id(ids, &row);
		buf_addf(&scope, " %s", c->args[i]);
	}
	buf_addf(&scope, " (%zu of the record's %lld attempts)", ids->n, (long long)query_tally(c->query, "attempts"));
	r->scope = buf_take(&scope);
	return true;
}

static bool take_opinion(struct cmd *c, struct report *r, struct err *e)
{
	struct review_opinion o;
	char when[CLOCK_TEXT];

	if (!review_opinion(c->query, &o, e))
		return false;
	clock_local(o.at_us, when);
	if (o.judgement == JUDGED_NONE)
		r->opinion = xstrdup("none was given");
	else if (o.judgement == JUDGED_WITHDRAWN)
		r->opinion = xasprintf("withdrawn by %s, %s", o.reviewer, when);
	else
		r->opinion = xasprintf("%s by %s, %s, %s%s%s%s", judgement_word(o.judgement), o.reviewer, when,
		                       o.is_signed ? "signed" : "not signed", o.stale ? ", stale: there are newer attempts" : "",
		                       o.note ? ": " : "", o.note ? o.note : "");
	review_opinion_free(&o);
	return true;
}

/* Where there are notes, what their abbreviations stand for. */
static bool take_legend(struct cmd *c, struct report *r, struct err *e)
{
	struct legend l = { 0 };
	struct buf text = { 0 };
	bool any = false, ok = true;

	for (size_t i = 0; i < r->n; i++)
		any = any || *r->rows[i].notes || *r->rows[i].note;
	if (any) {
		ok = legend_load(c->ws, &l, e);
		legend_text(&l, &text);
	}
	r->legend = text.len ? buf_take(&text) : xstrdup("");
	buf_free(&text);
	legend_free(&l);
	return ok;
}

bool report_collect(struct cmd *c, struct report *r, struct err *e)
{
	struct ids ids = { 0 };

	r->code = option_given(c, "code");
	r->out = option_given(c, "stdout");
	r->err = option_given(c, "stderr");
	if (!cmd_query(c, e))
		return false;
	r->workspace = xstrdup(c->record ? c->record : workspace_root(c->ws));
	if (!(r->made_by = review_person(e)))
		return false;
	r->made_us = clock_now_us();
	bool ok = review_identity(c->query, &r->record, e) && take_opinion(c, r, e) &&
	          find_scope(c, r, &ids, e);
	for (size_t i = 0; ok && i < ids.n; i++)
		ok = add_attempt(c, r, ids.v[i], e);
	free(ids.v);
	return ok && take_legend(c, r, e) && query_is_unchanged(c->query, e);
}

void report_free(struct report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct report_row *row = &r->rows[i];
		char *all[] = { row->title, row->purpose, row->asker, row->outcome, row->detail, row->verdict, row->note,
			        row->reviewer, row->notes, row->inputs, row->code, row->out, row->err };

		for (size_t k = 0; k < ARRAY_LEN(all); k++)
			free(all[k]);
	}
	free(r->rows);
	free(r->workspace);
	free(r->made_by);
	free(r->scope);
	free(r->opinion);
	free(r->legend);
}

void report_facts(const struct report *r, void (*fact)(struct buf *out, const char *name, const char *value), struct buf *out)
{
	char head[DIGEST_HEX], when[CLOCK_TEXT], *line;

	digest_hex(&r->record.head, head);
	clock_local(r->made_us, when);
	fact(out, "workspace", r->workspace);
	line = xasprintf("%s, entry %lld of the ledger, %s", r->record.uuid, (long long)r->record.head_seq, head);
	fact(out, "record", line);
	free(line);
	fact(out, "scope", r->scope);
	fact(out, "opinion", r->opinion);
	line = xasprintf("%lld accepted, %lld questioned, %lld rejected, %lld without a mark that counts", (long long)r->accepted,
	                 (long long)r->questioned, (long long)r->rejected, (long long)r->open);
	fact(out, "marks", line);
	free(line);
	fact(out, "legend", r->legend);
	line = xasprintf("%s by %s, tickmark %s", when, r->made_by, TICKMARK_VERSION);
	fact(out, "made", line);
	free(line);
}
