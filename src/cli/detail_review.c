/* Marks and notes in the document of an attempt. */
#include "detail_json.h"

#include <string.h>

void detail_put_review(struct json_writer *w, const struct detail *d)
{
	json_open(w, "marks", '[');
	for (size_t i = 0; i < d->marks_n; i++) {
		json_open(w, NULL, '{');
		json_put_text(w, "judgement", judgement_word(d->marks[i].judgement));
		json_put_text(w, "note", d->marks[i].note);
		json_put_text(w, "reviewer", d->marks[i].reviewer);
		json_put_time(w, "at", d->marks[i].at_us);
		json_put_text(w, "how", d->marks[i].how);
		json_put_bool(w, "own_work", d->marks[i].own_work);
		json_put_bool(w, "signed", d->marks[i].is_signed);
		json_close(w);
	}
	json_close(w);
	json_put_bool(w, "mark_stale", review_is_stale(d));
	json_open(w, "notes", '[');
	for (size_t i = 0; i < d->notes_n; i++) {
		const struct review_note *n = &d->notes[i];

		json_open(w, NULL, '{');
		json_put_text(w, "section", n->at.section);
		json_put_text(w, "path", n->at.path);
		if (n->at.line)
			json_put_int(w, "line", n->at.line);
		else
			json_put_null(w, "line");
		json_put_text(w, "cell", n->at.cell);
		json_put_text(w, "text", n->text);
		json_put_text(w, "reviewer", n->reviewer);
		json_put_time(w, "at", n->at_us);
		json_close(w);
	}
	json_close(w);
}
