/* Marks and notes as a section. Whoever wrote them, they are shown as text. */
#include "section_text.h"

#include <string.h>

#include "model/review.h"
#include "text.h"

void section_sum_review(const struct detail *d, struct buf *out)
{
	const struct review_mark *m = review_counts(d);

	if (m) {
		buf_addf(out, "%s %s by ", judgement_glyph(m->judgement), judgement_word(m->judgement));
		escape_text(out, m->reviewer, strlen(m->reviewer), ESCAPE_ALL);
		buf_adds(out, m->own_work ? ", own work" : "");
		buf_adds(out, review_is_stale(d) ? ", stale: there is a newer attempt" : "");
	} else if (d->marks_n) {
		buf_adds(out, "mark withdrawn");
	}
	if (d->notes_n)
		buf_addf(out, "%s%zu note%s", out->len ? ", " : "", d->notes_n, d->notes_n == 1 ? "" : "s");
}

static void write_mark(const struct review_mark *m, const char *standing, struct buf *out)
{
	char when[CLOCK_TEXT];

	clock_local(m->at_us, when);
	buf_addf(out, "%s %s by ", *judgement_glyph(m->judgement) ? judgement_glyph(m->judgement) : "-",
	         judgement_word(m->judgement));
	escape_text(out, m->reviewer, strlen(m->reviewer), ESCAPE_ALL);
	buf_addf(out, ", %s, by %s, %s%s%s\n", when, m->how, m->is_signed ? "signed" : "not signed",
	         m->own_work ? ", OWN WORK" : "", standing);
	if (m->note) {
		buf_adds(out, "    ");
		escape_text(out, m->note, strlen(m->note), ESCAPE_ALL);
		buf_addc(out, '\n');
	}
}

static void write_note(const struct review_note *n, struct buf *out)
{
	struct buf place = { 0 };
	char when[CLOCK_TEXT];

	clock_local(n->at_us, when);
	review_place_text(&n->at, &place);
	buf_adds(out, "note");
	if (place.len) {
		buf_adds(out, " on ");
		escape_name(out, place.data, place.len);
	}
	buf_adds(out, " by ");
	escape_text(out, n->reviewer, strlen(n->reviewer), ESCAPE_ALL);
	buf_addf(out, ", %s\n    ", when);
	escape_text(out, n->text, strlen(n->text), ESCAPE_ALL);
	buf_addc(out, '\n');
	buf_free(&place);
}

void section_write_review(const struct section_context *c, const struct detail *d, struct buf *out)
{
	(void)c;
	for (size_t i = 0; i < d->marks_n; i++) {
		const struct review_mark *m = &d->marks[i];
		bool counts = m == review_counts(d);

		write_mark(m, !counts ? ", superseded" : review_is_stale(d) ? ", STALE: there is a newer attempt" : "", out);
	}
	for (size_t i = 0; i < d->notes_n; i++)
		write_note(&d->notes[i], out);
	if (d->marks_n + d->notes_n == 0)
		buf_adds(out, "Nobody marked or noted anything yet: t marks, c notes.\n");
}

struct opinions {
	size_t n, left;
	bool stale;
	struct buf *out;
};

static bool count_opinion(void *ctx, const struct review_mark *m)
{
	struct opinions *o = ctx;

	(void)m;
	o->n++;
	return true;
}

static bool add_opinion(void *ctx, const struct review_mark *m)
{
	struct opinions *o = ctx;

	write_mark(m, --o->left > 0 ? ", superseded" : o->stale ? ", STALE: there are newer attempts" : "", o->out);
	return o->left > 0;
}

bool section_write_opinions(struct query *q, bool stale, struct buf *out, struct err *e)
{
	struct opinions o = { .stale = stale, .out = out };

	if (!review_opinions(q, count_opinion, &o, e))
		return false;
	o.left = o.n;
	return o.n == 0 || review_opinions(q, add_opinion, &o, e);
}
