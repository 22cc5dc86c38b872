/* Parts of a comparison that are facts: each fact that is not the same on both sides is two rows. */
#include "comparing.h"

#include <stdlib.h>
#include <string.h>

static void two(struct diffrows *r, const char *what, const char *left, const char *right)
{
	if (left && right && strcmp(left, right) == 0)
		return;
	if (left && *left)
		diffrows_sayf(r, DIFFROW_REMOVED, "%s%s%s", what, *what ? " " : "", left);
	if (right && *right)
		diffrows_sayf(r, DIFFROW_ADDED, "%s%s%s", what, *what ? " " : "", right);
}

/* Owned texts. */
static void two_take(struct diffrows *r, const char *what, char *left, char *right)
{
	two(r, what, left, right);
	free(left);
	free(right);
}

/* ---- arguments ---- */

static char *argument_text(const struct attempt *a)
{
	struct buf b = { 0 };

	for (char **p = a->args; p && *p; p++) {
		char *word = escape_name_dup(*p);
		buf_addf(&b, "%s%s", b.len ? " " : "", word);
		free(word);
	}
	return buf_take(&b);
}

static char *variable_text(const struct attempt *a)
{
	struct buf b = { 0 };

	for (size_t i = 0; a->env_names && a->env_names[i]; i++) {
		char *value = a->env_values[i] ? escape_name_dup(a->env_values[i]) : xstrdup("(secret)");
		buf_addf(&b, "%s%s=%s", b.len ? " " : "", a->env_names[i], value);
		free(value);
	}
	return buf_take(&b);
}

static void arguments_rows(struct comparing *c, struct diffrows *r)
{
	const struct attempt *a = &c->side[0].attempt, *b = &c->side[1].attempt;

	two(r, "script", a->script, b->script);
	two(r, "folder", a->cwd, b->cwd);
	two_take(r, "arguments", argument_text(a), argument_text(b));
	two_take(r, "variables", variable_text(a), variable_text(b));
	two(r, "varied", a->vary ? a->vary : "", b->vary ? b->vary : "");
}

/* ---- inputs ---- */

static char *input_text(const struct entry *f)
{
	char hex[DIGEST_HEX], *name = escape_name_dup(f->path), *text;

	digest_hex(&f->sha256, hex);
	if (digest_is_zero(&f->sha256))
		text = xasprintf("%s  %s", name, input_word((enum input_class)f->what));
	else
		text = xasprintf("%s  %s  %lld bytes  %.12s", name, input_word((enum input_class)f->what), (long long)f->size, hex);
	free(name);
	return text;
}

static bool same_input(const struct entry *x, const struct entry *y)
{
	return x->what == y->what && digest_equal(&x->sha256, &y->sha256);
}

/* The script is opened too, and is told as code; what was only overwritten was no input. */
static bool is_told_elsewhere(const struct detail *d, const struct entry *f)
{
	return f->what == INPUT_OVERWRITTEN || strcmp(f->path, d->attempt.script) == 0;
}

static void inputs_rows(struct comparing *c, struct diffrows *r)
{
	const struct detail *a = &c->side[0], *b = &c->side[1];
	size_t i = 0, k = 0;

	while (i < a->inputs_n || k < b->inputs_n) {
		int order = i == a->inputs_n ? 1 : k == b->inputs_n ? -1 : strcmp(a->inputs[i].path, b->inputs[k].path);
		const struct entry *x = order <= 0 ? &a->inputs[i++] : NULL, *y = order >= 0 ? &b->inputs[k++] : NULL;
		if (x && y && same_input(x, y))
			continue;
		if (x && !is_told_elsewhere(a, x))
			diffrows_say(r, DIFFROW_REMOVED, 0, 0, input_text(x));
		if (y && !is_told_elsewhere(b, y))
			diffrows_say(r, DIFFROW_ADDED, 0, 0, input_text(y));
	}
	if (a->end.attempt && b->end.attempt && a->end.inputs_complete != b->end.inputs_complete)
		diffrows_sayf(r, DIFFROW_SENTENCE, "the list of the %s is not complete: all offered files count",
		              a->end.inputs_complete ? "right" : "left");
}

/* ---- outcome ---- */

static char *end_text(const struct detail *d)
{
	const struct attempt_end *end = &d->end;
	struct buf b = { 0 };

	buf_adds(&b, outcome_word(d->state));
	if (end->attempt && end->signal)
		buf_addf(&b, ", signal %d", end->signal);
	else if (end->attempt && end->exit_code > 0)
		buf_addf(&b, ", exit code %d", end->exit_code);
	if (end->limit)
		buf_addf(&b, ", limit %s", end->limit);
	return buf_take(&b);
}

static char *refusals_text(const struct detail *d)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < d->refusals_n; i++) {
		const struct refusal *f = &d->refusals[i];
		if (!f->harmless)
			buf_addf(&b, "%s%s %s", b.len ? ", " : "", f->call, f->argument);
	}
	return buf_take(&b);
}

static void outcome_rows(struct comparing *c, struct diffrows *r)
{
	const struct detail *a = &c->side[0], *b = &c->side[1];

	two_take(r, "", end_text(a), end_text(b));
	two_take(r, "refused:", refusals_text(a), refusals_text(b));
	two(r, "because", a->end.detail ? a->end.detail : "", b->end.detail ? b->end.detail : "");
}

/* ---- environment ---- */

/* Lines "name version", sorted by name on both sides. */
static void package_rows(struct diffrows *r, const char *a, const char *b)
{
	while (*a || *b) {
		const char *a_end = strchrnul(a, '\n'), *b_end = strchrnul(b, '\n');
		size_t n = (size_t)(a_end - a), m = (size_t)(b_end - b), name = strcspn(a, " \n"), other = strcspn(b, " \n");
		int order = !*a ? 1 : !*b ? -1 : strncasecmp(a, b, MIN(name, other));
		order = order || !*a || !*b ? order : (name > other) - (name < other);
		bool same = order == 0 && n == m && memcmp(a, b, n) == 0;
		if (!same && order <= 0)
			diffrows_sayf(r, DIFFROW_REMOVED, "package %.*s", (int)n, a);
		if (!same && order >= 0)
			diffrows_sayf(r, DIFFROW_ADDED, "package %.*s", (int)m, b);
		if (order <= 0)
			a = *a_end ? a_end + 1 : a_end;
		if (order >= 0)
			b = *b_end ? b_end + 1 : b_end;
	}
}

static void environment_rows(struct comparing *c, struct diffrows *r)
{
	const struct environment *a = &c->side[0].env, *b = &c->side[1].env;

	two(r, "", a->implementation, b->implementation);
	two(r, "Python", a->version, b->version);
	two(r, "interpreter", a->python, b->python);
	two(r, "prefix", a->prefix, b->prefix);
	two(r, "platform", a->platform, b->platform);
	two(r, "locale", a->locale, b->locale);
	two(r, "zone", a->zone, b->zone);
	package_rows(r, a->packages, b->packages);
}

/* ---- policy, resources ---- */

static char *limit_text(const struct limit_info *info, int64_t v)
{
	char text[UNIT_TEXT];

	if (v == 0)
		return xstrdup("none");
	if (info->unit == UNIT_COUNT)
		return xasprintf("%lld", (long long)v);
	if (info->unit == UNIT_BYTES)
		size_format(v, text);
	else
		duration_format(v * 1000, text);
	return xstrdup(text);
}

static void policy_rows(struct comparing *c, struct diffrows *r)
{
	const struct policy *a = &c->side[0].policy, *b = &c->side[1].policy;

	two(r, "tier", tier_word(a->tier), tier_word(b->tier));
	two(r, "scratch", scratch_word(a->scratch), scratch_word(b->scratch));
	for (size_t i = 0; i < limit_table_len; i++) {
		int64_t x = limit_get(&a->limits, &limit_table[i]), y = limit_get(&b->limits, &limit_table[i]);
		if (x != y)
			two_take(r, limit_table[i].name, limit_text(&limit_table[i], x), limit_text(&limit_table[i], y));
	}
}

static char *duration_text(int64_t us)
{
	char text[UNIT_TEXT];

	duration_format(us, text);
	return xstrdup(text);
}

static void resources_rows(struct comparing *c, struct diffrows *r)
{
	const struct attempt_end *a = &c->side[0].end, *b = &c->side[1].end;
	char x[UNIT_TEXT], y[UNIT_TEXT];

	two_take(r, "wall clock", duration_text(a->wall_us), duration_text(b->wall_us));
	two_take(r, "processor", duration_text(a->cpu_user_us + a->cpu_system_us), duration_text(b->cpu_user_us + b->cpu_system_us));
	size_format(a->peak_memory, x);
	size_format(b->peak_memory, y);
	two(r, "peak memory", x, y);
}

typedef void (*rows_fn)(struct comparing *c, struct diffrows *r);

void compare_parts_rows(struct comparing *c, enum compare_part part, struct diffrows *out)
{
	static const rows_fn makers[] = {
		[COMPARE_ARGUMENTS] = arguments_rows, [COMPARE_INPUTS] = inputs_rows, [COMPARE_OUTCOME] = outcome_rows,
		[COMPARE_ENVIRONMENT] = environment_rows, [COMPARE_POLICY] = policy_rows, [COMPARE_RESOURCES] = resources_rows,
	};
	size_t removed = 0, added = 0;

	makers[part](c, out);
	for (size_t i = 0; i < out->n; i++) {
		removed += out->v[i].kind == DIFFROW_REMOVED;
		added += out->v[i].kind == DIFFROW_ADDED;
	}
	out->differs = out->n > 0;
	out->method = xstrdup("facts");
	out->summary = out->n ? xasprintf("%zu on the left, %zu on the right", removed, added) : xstrdup("same");
}

bool compare_parts_differ(struct comparing *c, enum compare_part part)
{
	struct diffrows r = { 0 };

	compare_parts_rows(c, part, &r);
	bool differ = r.differs;
	diffrows_free(&r);
	return differ;
}
