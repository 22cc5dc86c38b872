/* What reviewers said of an attempt, for show. */
#include "model/review.h"
#include "showing.h"

#include <stdlib.h>
#include <string.h>

static void show_mark(const struct review_mark *m, bool counts, bool stale)
{
	char when[CLOCK_TEXT], *who = console_str(stdout, m->reviewer), *note = console_str(stdout, m->note ? m->note : "");

	clock_local(m->at_us, when);
	printf("  %-12s %s  %s%s%s%s%s%s\n", judgement_word(m->judgement), when, who, m->own_work ? ", own work" : "",
	       m->is_signed ? ", signed" : ", not signed",
	       strcmp(m->how, "command without a terminal") == 0 ? ", by a command without a terminal" : "",
	       counts && stale ? ", STALE: there is a newer attempt" : "", *note ? ":" : "");
	if (*note)
		printf("               %s\n", note);
	free(who);
	free(note);
}

static void show_note(const struct review_note *n)
{
	struct buf place = { 0 };
	char when[CLOCK_TEXT];

	clock_local(n->at_us, when);
	review_place_text(&n->at, &place);
	char *where = console_name(stdout, place.data ? place.data : ""), *who = console_str(stdout, n->reviewer),
	     *text = console_str(stdout, n->text);
	printf("  %-12s %s  %s%s%s:\n               %s\n", "note", when, who, *where ? ", " : "", where, text);
	free(where);
	free(who);
	free(text);
	buf_free(&place);
}

bool showing_review(struct showing *s, struct err *e)
{
	const struct detail *d = s->d;

	(void)e;
	for (size_t i = 0; i < d->marks_n; i++)
		show_mark(&d->marks[i], &d->marks[i] == review_counts(d), review_is_stale(d));
	for (size_t i = 0; i < d->notes_n; i++)
		show_note(&d->notes[i]);
	return true;
}
