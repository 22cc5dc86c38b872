/* Collecting what a report says. */
#include "report.h"

#include "model/legend.h"

#include <stdlib.h>
#include <string.h>

static char *dup(const char *s)
{
	return xstrdup(s ? s : "");
}

/* ---- rows ------------------------------------------------------------------------------------------- */

void report_notes_text(const struct detail *d, struct buf *out)
{
	for (size_t i = 0; i < d->notes_n; i++) {
		struct buf place = { 0 };

		review_place_text(&d->notes[i].at, &place);
		char *where = escape_name_dup(place.data ? place.data : "");
		buf_addf(out, "%s%s%s%s (%s)", i ? "\n" : "", where, *where ? ": " : "", d->notes[i].text, d->notes[i].reviewer);
		free(where);
		buf_free(&place);
	}
}

static char *take_lines(struct buf *lines)
{
	return lines->len ? buf_take(lines) : xstrdup("");
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
	report_notes_text(d, &notes);
	row->notes = take_lines(&notes);
}

static void add_file(struct buf *out, const struct entry *f, const char *what)
{
	char hex[DIGEST_HEX] = "", *name = escape_name_dup(f->path);

	if (!digest_is_zero(&f->sha256))
		digest_hex(&f->sha256, hex);
	buf_addf(out, "%s%s %s%s%s", out->len ? "\n" : "", name, what, *what && *hex ? " " : "", hex);
	free(name);
}

static void take_files(const struct detail *d, struct report_row *row)
{
	struct buf inputs = { 0 }, files = { 0 };

	for (size_t i = 0; i < d->inputs_n; i++)
		if (input_was_read(&d->inputs[i]))
			add_file(&inputs, &d->inputs[i], "");
	for (size_t i = 0; i < d->artifacts_n; i++)
		add_file(&files, &d->artifacts[i],
		         d->artifacts[i].what == ARTIFACT_CREATED ? "" : artifact_word((enum artifact_kind)d->artifacts[i].what));
	row->inputs = take_lines(&inputs);
	row->files = take_lines(&files);
}

static void take_run(const struct detail *d, struct report_row *row)
{
	char when[CLOCK_TEXT], took[UNIT_TEXT] = "";

	clock_local(d->attempt.queued_us, when);
	if (d->end.attempt && d->end.started_us)
		duration_format(d->end.wall_us, took);
	row->ran = xasprintf("%s%s%s, %s %s, sandbox %s", when, *took ? ", " : "", took,
	                     d->env.implementation ? d->env.implementation : "Python", d->env.version ? d->env.version : "",
	                     tier_word(d->policy.tier));
	row->later = d->last_number > d->attempt.number
	                     ? xasprintf("%lld.%lld is the newest of the step", (long long)d->step.number, (long long)d->last_number)
	                     : xstrdup("");
}

static void count(struct report *r, const struct report_row *row)
{
	enum judgement j = judgement_parse(row->mark);

	*(row->stale || j == JUDGED_NONE ? &r->open : j == JUDGED_ACCEPTED ? &r->accepted : j == JUDGED_QUESTIONED ? &r->questioned
	  : &r->rejected) += 1;
}

static bool add_attempt(struct cmd *c, struct report *r, const struct report_steps *steps, int64_t attempt, struct err *e)
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
		.out_bytes = d.end.out_bytes, .err_bytes = d.end.err_bytes,
	};
	memcpy(row->ref, d.ref, sizeof(row->ref));
	take_review(&d, row);
	take_files(&d, row);
	take_run(&d, row);
	count(r, row);
	query_detail_free(&d);
	row->verdict = report_steps_verdict(steps, row->step, row->number);
	row->earlier = r->every ? xstrdup("") : report_steps_earlier(c, steps, row->step, row->number, e);
	return row->earlier != NULL;
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

/* A check has no row: what came of it stands in that of its attempt, as does what was said of it. */
static bool add_asked(struct cmd *c, const char *given, struct ids *ids, struct report_steps **steps, struct err *e)
{
	struct row row = { 0 };
	struct ref ref;
	char text[REF_TEXT];

	if (!query_resolve_text(c->query, given, &row.attempt, e) || !query_ref(c->query, row.attempt, text, e) ||
	    !ref_parse(text, &ref, e))
		return false;
	if (ref.check)
		return err_set(e, ERR_INPUT, "%s: a check is not reported by itself: name its attempt, %lld.%lld", text,
		               (long long)ref.step, (long long)ref.attempt);
	for (size_t i = 0; i < ids->n; i++)
		if (ids->v[i] == row.attempt)
			return true;
	take_id(ids, &row);
	return report_steps_load(c, steps, ref.step, e);
}

static bool find_scope(struct cmd *c, struct report *r, struct ids *ids, struct report_steps **steps, struct err *e)
{
	struct log_filter f = { .steps = !r->every, .oldest_first = true };

	if (c->args_n == 0) {
		if (!query_log(c->query, &f, take_id, ids, e))
			return false;
		r->scope = r->every ? xasprintf("all %zu attempts", ids->n)
		                    : xasprintf("all %zu steps, each as its last attempt", ids->n);
		return report_steps_load(c, steps, 0, e);
	}
	struct buf scope = { 0 };
	buf_adds(&scope, "as asked for:");
	for (size_t i = 0; i < c->args_n; i++) {
		if (!add_asked(c, c->args[i], ids, steps, e)) {
			buf_free(&scope);
			return false;
		}
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
	struct report_steps *steps = NULL;
	struct ids ids = { 0 };

	r->every = option_given(c, "all") && c->args_n == 0;
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
	          find_scope(c, r, &ids, &steps, e);
	for (size_t i = 0; ok && i < ids.n; i++)
		ok = add_attempt(c, r, steps, ids.v[i], e);
	report_steps_free(steps);
	free(ids.v);
	return ok && take_legend(c, r, e) && query_is_unchanged(c->query, e);
}

void report_free(struct report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct report_row *row = &r->rows[i];
		char *all[] = { row->title, row->purpose, row->asker, row->outcome, row->detail, row->verdict, row->note,
			        row->reviewer, row->notes, row->inputs, row->files, row->ran, row->earlier, row->later };

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

void report_mark_text(const struct report_row *row, struct buf *out)
{
	buf_addf(out, "%s%s%s", row->mark, row->stale ? ", STALE" : "", row->own_work ? ", own work" : "");
}

static void mark_fact(const struct report_row *row, void (*fact)(struct buf *out, const char *name, const char *value), struct buf *out)
{
	struct buf mark = { 0 };
	char when[CLOCK_TEXT];

	buf_adds(&mark, row->mark);
	if (row->marked_us) {
		clock_local(row->marked_us, when);
		buf_addf(&mark, " by %s, %s, %s%s%s", row->reviewer, when, row->is_signed ? "signed" : "not signed",
		         row->own_work ? ", own work" : "", row->stale ? ", STALE: the step has a newer attempt" : "");
	}
	fact(out, "mark", mark.data);
	fact(out, "note", row->note);
	buf_free(&mark);
}

void report_row_facts(const struct report_row *row, void (*fact)(struct buf *out, const char *name, const char *value), struct buf *out)
{
	char *outcome = xasprintf("%s%s%s", row->outcome, *row->detail ? ": " : "", row->detail);

	fact(out, "purpose", row->purpose);
	fact(out, "asked by", row->asker);
	fact(out, "ran", row->ran);
	fact(out, "outcome", outcome);
	fact(out, "verdict", row->verdict);
	mark_fact(row, fact, out);
	fact(out, "notes", row->notes);
	fact(out, "inputs", row->inputs);
	fact(out, "files", row->files);
	fact(out, "earlier", row->earlier);
	fact(out, "later", row->later);
	free(outcome);
}
