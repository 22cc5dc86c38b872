/* Marks and notes in the document of an attempt. */
#include "detail_json.h"

#include <string.h>

void detail_put_string(struct json_writer *w, const char *key, const char *s)
{
	if (s)
		json_put_bytes(w, key, s, strlen(s));
	else
		json_put_null(w, key);
}

void detail_put_review(struct json_writer *w, const struct detail *d)
{
	json_open(w, "marks", '[');
	for (size_t i = 0; i < d->marks_n; i++) {
		json_open(w, NULL, '{');
		json_put_text(w, "judgement", judgement_word(d->marks[i].judgement));
		detail_put_string(w, "note", d->marks[i].note);
		detail_put_string(w, "reviewer", d->marks[i].reviewer);
		json_put_time(w, "at", d->marks[i].at_us);
		detail_put_string(w, "how", d->marks[i].how);
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
		detail_put_string(w, "section", n->at.section);
		detail_put_string(w, "path", n->at.path);
		if (n->at.line)
			json_put_int(w, "line", n->at.line);
		else
			json_put_null(w, "line");
		detail_put_string(w, "cell", n->at.cell);
		detail_put_string(w, "text", n->text);
		detail_put_string(w, "reviewer", n->reviewer);
		json_put_time(w, "at", n->at_us);
		json_close(w);
	}
	json_close(w);
}
