/* Whether two attempts differ, and the sentence about it. */
#include "comparing.h"

#include "text.h"

#include <stdlib.h>

bool compare_differs(const struct comparing *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].change != SIDES_SAME && c->items[i].part != COMPARE_RESOURCES)
			return true;
	return false;
}

/* ---- the sentence ---- */

static bool part_changed(const struct comparing *c, enum compare_part part)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->items[i].part == part && c->items[i].change != SIDES_SAME)
			return true;
	return false;
}

static void tell_inputs(const struct comparing *c, struct buf *out)
{
	size_t named = 0, more = 0;

	if (!part_changed(c, COMPARE_INPUTS)) {
		buf_adds(out, "same inputs");
		return;
	}
	buf_adds(out, "inputs changed");
	for (size_t i = 0; i < c->n; i++) {
		if (c->items[i].part != COMPARE_INPUT_FILE)
			continue;
		if (named == 3) {
			more++;
			continue;
		}
		char *name = escape_name_dup(c->items[i].name);
		buf_addf(out, "%s%s", named++ ? ", " : ": ", name);
		free(name);
	}
	if (more)
		buf_addf(out, " and %zu more", more);
}

/* Why a check differs; false: it does not. */
static bool tell_why(const struct comparing *c, struct buf *out)
{
	char other[REF_TEXT];
	enum compare_why why;

	if (c->side[1].verdict != VERDICT_DIFFERS || !compare_why(c->query, c->side[1].attempt.id, &why, other, NULL))
		return false;
	if (why == WHY_UNKNOWN)
		buf_adds(out, "a second repeat tells random from changed");
	else
		buf_addf(out, why == WHY_RANDOM ? "random: %s gave something else again" : "changed: %s gave the same", other);
	return true;
}

static void tell_verdict(const struct comparing *c, struct buf *out)
{
	const struct detail *d = &c->side[1];

	if (d->verdict == VERDICT_NONE || !compare_is_check(c))
		return;
	struct buf why = { 0 };
	buf_addf(out, "verdict %s", verdict_word(d->verdict));
	if (d->first_at)
		buf_addf(out, " (%s)", d->first_at);
	if (tell_why(c, &why))
		buf_addf(out, ", %s", why.data);
	buf_adds(out, "; ");
	buf_free(&why);
}

static void tell_causes(const struct comparing *c, bool changed, const char *what, struct buf *out)
{
	static const enum compare_part causes[] = { COMPARE_CODE, COMPARE_ARGUMENTS, COMPARE_INPUTS, COMPARE_ENVIRONMENT, COMPARE_POLICY };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (part_changed(c, causes[i]) == changed)
			buf_addf(out, "%s%s", n++ ? ", " : what, compare_part_word(causes[i]));
	if (n)
		buf_addc(out, '\n');
}

void compare_tell_check(const struct comparing *c, struct buf *out)
{
	const struct detail *d = &c->side[1];

	buf_addf(out, "verdict %s", d->verdict == VERDICT_NONE ? "none yet" : verdict_word(d->verdict));
	if (d->first_at)
		buf_addf(out, ": %s", d->first_at);
	buf_addc(out, '\n');
	if (tell_why(c, out))
		buf_addc(out, '\n');
	tell_causes(c, false, "the same: ", out);
	tell_causes(c, true, "changed: ", out);
	if (d->qualified)
		buf_addf(out, "%s\n", d->qualified);
}

static void tell_effect(struct buf *out, size_t *told)
{
	buf_adds(out, (*told)++ ? ", " : "differs: ");
}

/* Of files with the same bytes nobody must think that their contents are others. */
static void tell_files(const struct comparing *c, struct buf *out, size_t *told)
{
	size_t files = 0, alike = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct compare_item *x = &c->items[i];
		if (x->part == COMPARE_FILE && x->change != SIDES_SAME)
			*(compare_has_same_bytes(x) ? &alike : &files) += 1;
	}
	if (files) {
		tell_effect(out, told);
		buf_addf(out, "%zu file%s", files, files == 1 ? "" : "s");
	}
	if (alike) {
		tell_effect(out, told);
		buf_addf(out, "kind or mode of %zu file%s", alike, alike == 1 ? "" : "s");
	}
}

void compare_tell(const struct comparing *c, struct buf *out)
{
	static const enum compare_part causes[] = { COMPARE_ARGUMENTS, COMPARE_ENVIRONMENT, COMPARE_POLICY };
	static const enum compare_part effects[] = { COMPARE_OUTCOME, COMPARE_STDOUT, COMPARE_STDERR };
	size_t told = 0;

	if (c->is_now) {
		compare_tell_now(c, out);
		return;
	}
	if (c->path[0]) {
		buf_adds(out, compare_differs(c) ? "the files differ" : "the files are the same");
		return;
	}
	tell_verdict(c, out);
	buf_adds(out, part_changed(c, COMPARE_CODE) ? "code changed, " : "same code, ");
	tell_inputs(c, out);
	for (size_t i = 0; i < ARRAY_LEN(causes); i++)
		if (part_changed(c, causes[i]))
			buf_addf(out, ", %s changed", compare_part_word(causes[i]));
	buf_adds(out, "; ");
	for (size_t i = 0; i < ARRAY_LEN(effects); i++) {
		if (part_changed(c, effects[i])) {
			tell_effect(out, &told);
			buf_adds(out, compare_part_word(effects[i]));
		}
	}
	tell_files(c, out, &told);
	if (told == 0)
		buf_adds(out, "the same came out");
}
