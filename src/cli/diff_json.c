/* An item of a comparison as JSON. */
#include "diffing.h"

#include <string.h>

static const char *const kind_words[] = {
	[DIFFROW_SENTENCE] = "sentence", [DIFFROW_HUNK] = "hunk",       [DIFFROW_SAME] = "same",     [DIFFROW_REMOVED] = "removed",
	[DIFFROW_ADDED] = "added",       [DIFFROW_CHANGED] = "changed", [DIFFROW_NO_END] = "no-end",
};

static void put_number(struct json_writer *w, const char *key, int64_t n, bool there)
{
	if (there)
		json_put_int(w, key, n);
	else
		json_put_null(w, key);
}

static void put_row(struct json_writer *w, const struct diffrow *x)
{
	json_open(w, NULL, '{');
	json_put_text(w, "kind", kind_words[x->kind]);
	put_number(w, "left", x->a, x->a != 0);
	put_number(w, "right", x->b, x->b != 0);
	json_put_bytes(w, "text", x->text.p, x->text.n);
	json_close(w);
}

void diff_json_item(struct json_writer *w, const struct compare_item *x, const char *type, const struct diffrows *r)
{
	json_open(w, NULL, '{');
	json_put_text(w, "part", compare_part_word(x->part));
	json_put_text(w, "name", x->name);
	json_put_text(w, "old_name", x->old_name);
	json_put_text(w, "change", compare_change_word(x->change));
	json_put_text(w, "type", type);
	json_put_text(w, "method", r->method);
	json_put_text(w, "summary", r->summary);
	put_number(w, "left_bytes", x->size[0], x->size[0] >= 0);
	put_number(w, "right_bytes", x->size[1], x->size[1] >= 0);
	json_put_digest(w, "left_sha256", &x->sha256[0]);
	json_put_digest(w, "right_sha256", &x->sha256[1]);
	json_put_bool(w, "coarse", r->coarse);
	json_open(w, "counts", '{');
	for (size_t i = 0; i < r->counts_n; i++)
		json_put_int(w, r->counts[i].name, r->counts[i].n);
	json_close(w);
	json_open(w, "rows", '[');
	for (size_t i = 0; i < r->n; i++)
		put_row(w, &r->v[i]);
	json_close(w);
	json_put_bool(w, "more", r->cut);
	json_close(w);
}
