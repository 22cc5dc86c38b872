/* The sections of an attempt's page. */
#include "showing.h"

#include "model/loads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *safe(const char *s)
{
	return console_str(stdout, s ? s : "");
}

static char *safe_name(const char *s)
{
	return console_name(stdout, s ? s : "");
}

/* ---- facts ---------------------------------------------------------------------------------- */

static void fact(const char *name, const char *fmt, ...) PRINTF(2, 3);

/* "  name        text", whatever is in the text escaped; nothing for an empty one. */
static void fact(const char *name, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	if (b.len > 0) {
		char *text = console_text(stdout, b.data, b.len);

		printf("  %-12s %s\n", name, text);
		free(text);
	}
	buf_free(&b);
}

static void time_fact(const char *name, int64_t us)
{
	char text[CLOCK_TEXT];

	if (us == 0)
		return;
	clock_local(us, text);
	fact(name, "%s", text);
}

static void name_fact(const char *label, const char *name)
{
	char *text = safe_name(name);

	if (*text)
		printf("  %-12s %s\n", label, text);
	free(text);
}

static void show_arguments(char **args)
{
	if (!args || !*args)
		return;
	printf("  %-12s", "arguments");
	for (; *args; args++) {
		char *text = safe_name(*args);

		printf(" '%s'", text);
		free(text);
	}
	putchar('\n');
}

static void show_call(const struct attempt *a)
{
	name_fact("script", a->script);
	name_fact("taken from", a->origin && strcmp(a->origin, "-") == 0 ? "a pipe" : a->origin);
	show_arguments(a->args);
	name_fact("folder", a->box);
	name_fact("current", a->cwd && strcmp(a->cwd, ".") != 0 ? a->cwd : NULL);
	for (size_t i = 0; a->env_names && a->env_names[i]; i++)
		fact("variable", "%s%s%s", a->env_names[i], a->env_values[i] ? "=" : ", value not recorded",
		     a->env_values[i] ? a->env_values[i] : "");
}

static void show_check(const struct detail *d)
{
	if (!*d->check_of)
		return;
	fact("check of", "%s", d->check_of);
	fact("verdict", "%s%s%s%s%s", d->verdict ? verdict_word(d->verdict) : "none",
	     d->qualified ? ", " : "", d->qualified ? d->qualified : "", d->first_at ? ": " : "",
	     d->first_at ? d->first_at : "");
	fact("varied", "%s", d->attempt.vary ? d->attempt.vary : "");
}

bool showing_head(struct showing *s, struct err *e)
{
	const struct detail *d = s->d;
	const struct asker *asker = &d->attempt.asker;
	char *word = console_tinted(stdout, summary_tone(d->state), outcome_word(d->state));
	char *reason = summary_reason(d), *why = safe(reason);
	char *detail = summary_detail(d), *more = safe(detail);
	char *title = safe(d->attempt.title ? d->attempt.title : d->step.title);

	(void)e;
	printf("%s %s%s%s\n", d->ref, word, *why ? "  " : "", why);
	if (*title)
		printf("  %s\n", title);
	if (*more)
		printf("  %s\n", more);
	show_check(d);
	fact("correction", "%s%s", *d->retry_of ? "of " : "", d->retry_of);
	fact("asked by", "%s %s%s%s", asker->kind == ASKER_ASSISTANT ? "assistant" : "person",
	     asker->name ? asker->name : "", asker->version ? " " : "", asker->version ? asker->version : "");
	time_fact("recorded", d->attempt.queued_us);
	if (d->end.outcome == OUTCOME_INTERRUPTED && !d->end.started_us)
		fact("started", "not known");
	time_fact("started", d->end.started_us);
	time_fact("ended", d->end.ended_us);
	fact("answer", "%s", d->end.attempt && d->end.answer ? "not delivered: nobody was there to get it" : "");
	if (d->messages)
		fact("messages", "%lld cite%s it (tickmark say --of %s)", (long long)d->messages, d->messages == 1 ? "s" : "", d->ref);
	show_call(&d->attempt);
	free(word);
	free(reason);
	free(why);
	free(detail);
	free(more);
	free(title);
	return true;
}

bool showing_purpose(struct showing *s, struct err *e)
{
	const char *purpose = s->d->attempt.purpose ? s->d->attempt.purpose : s->d->step.purpose;

	(void)e;
	if (purpose)
		console_lines(stdout, purpose, strlen(purpose), "  ");
	return true;
}

/* ---- code and streams ---------------------------------------------------------------------------- */

static bool feed_code(void *ctx, const void *p, size_t n, struct err *e)
{
	(void)e;
	feed_bytes(ctx, p, n);
	return true;
}

static bool feed_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	(void)e;
	if (c->gap > 0)
		console_note("%lld bytes at byte %lld are not in the record", (long long)c->gap, (long long)c->position);
	feed_bytes(ctx, c->bytes, c->len);
	return true;
}

/* Alone: the bytes themselves, escaped only on a terminal. */
static bool put_bytes(struct showing *s, int stream, struct err *e)
{
	struct feed f;
	bool ok;

	fflush(stdout);
	feed_init(&f, STDOUT_FILENO);
	ok = stream ? query_chunks(s->q, s->d->attempt.id, stream, feed_chunk, &f, e)
	            : query_code(s->q, s->d->attempt.id, feed_code, &f, e);
	feed_end(&f);
	if (ok && f.error && !f.quiet_error) {
		errno = f.error;
		return err_sys(e, "cannot write to stdout");
	}
	return ok;
}

/* On a page, or with numbers: lines. Else the bytes. */
static bool show_text(struct showing *s, int stream, struct err *e)
{
	unsigned how = (s->numbers ? EXCERPT_NUMBERS : 0) | (s->titles ? 0 : EXCERPT_WHOLE);

	if (!s->titles && !s->numbers)
		return put_bytes(s, stream, e);
	if (stream == 0)
		return excerpt_code(stdout, s->q, s->d->attempt.id, s->d->ref, how, e);
	return excerpt_stream(stdout, s->q, s->d->attempt.id, (enum stream_id)stream, s->d->ref, how, e);
}

bool showing_code(struct showing *s, struct err *e)
{
	return show_text(s, 0, e);
}

bool showing_stdout(struct showing *s, struct err *e)
{
	return show_text(s, STREAM_OUT, e);
}

bool showing_stderr(struct showing *s, struct err *e)
{
	return show_text(s, STREAM_ERR, e);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static const char *indent(const struct showing *s)
{
	return s->titles ? "  " : "";
}

static void size_cell(struct columns *c, int64_t size)
{
	char text[UNIT_TEXT] = "";

	if (size >= 0)
		size_format(size, text);
	columns_cell(c, "%s", text);
}

static void hash_cell(struct columns *c, const struct digest *d)
{
	char hex[DIGEST_HEX] = "";

	if (!digest_is_zero(d))
		digest_hex(d, hex);
	columns_cell(c, "%s", hex);
}

static const char *const since_words[] = {
	[SINCE_SAME] = "", [SINCE_CHANGED] = "changed since", [SINCE_MISSING] = "missing now", [SINCE_UNKNOWN] = "",
	[SINCE_OWN] = "changed by the step itself",
};

bool showing_inputs(struct showing *s, struct err *e)
{
	const struct detail *d = s->d;
	struct columns *c = columns_new(NULL);

	(void)e;
	for (size_t i = 0; i < d->inputs_n; i++) {
		const struct entry *in = &d->inputs[i];
		bool there = input_was_read(in);

		columns_cell_take(c, safe_name(in->path), TONE_PLAIN);
		columns_cell(c, "%s", input_word((enum input_class)in->what));
		size_cell(c, in->what == INPUT_MISSING ? -1 : in->size);
		columns_cell(c, "%s", there ? since_words[query_since(s->q, s->c->ws, in)] : "");
		columns_cell_take(c, safe(in->note), TONE_PLAIN);
		hash_cell(c, &in->sha256);
		columns_row(c);
	}
	columns_print(c, stdout, indent(s));
	if (d->end.attempt && !d->end.inputs_complete)
		printf("%sthe list is incomplete: all offered files count\n", indent(s));
	return true;
}

static bool offered_row(void *ctx, const struct entry *f)
{
	struct columns *c = ctx;

	columns_cell_take(c, safe_name(f->path), TONE_PLAIN);
	size_cell(c, f->size);
	columns_cell(c, "%s", f->from_attempt ? "an artifact" : "");
	hash_cell(c, &f->sha256);
	columns_row(c);
	return true;
}

bool showing_offered(struct showing *s, struct err *e)
{
	struct columns *c = columns_new(NULL);
	bool ok = query_offered(s->q, s->d->attempt.id, offered_row, c, e);

	columns_print(c, stdout, indent(s));
	return ok;
}

bool showing_artifacts(struct showing *s, struct err *e)
{
	const struct detail *d = s->d;
	struct columns *c = columns_new(NULL);

	(void)e;
	for (size_t i = 0; i < d->artifacts_n; i++) {
		const struct entry *a = &d->artifacts[i];

		columns_cell_take(c, safe_name(a->path), TONE_PLAIN);
		columns_cell(c, "%s", artifact_word((enum artifact_kind)a->what));
		size_cell(c, digest_is_zero(&a->sha256) ? -1 : a->size);
		columns_cell_take(c, safe(a->note), TONE_PLAIN);
		hash_cell(c, &a->sha256);
		columns_row(c);
	}
	columns_print(c, stdout, indent(s));
	return true;
}

bool showing_refusals(struct showing *s, struct err *e)
{
	struct columns *c = columns_new(NULL);

	(void)e;
	for (size_t i = 0; i < s->d->refusals_n; i++) {
		const struct refusal *r = &s->d->refusals[i];

		columns_cell_take(c, safe(r->kind), TONE_PLAIN);
		columns_cell_take(c, safe(r->call), TONE_PLAIN);
		columns_cell_take(c, safe(r->argument), TONE_PLAIN);
		columns_cell(c, "%lld time%s", (long long)r->count, r->count == 1 ? "" : "s");
		columns_cell(c, "%s", r->harmless ? "harmless probe" : "");
		columns_row(c);
	}
	columns_print(c, stdout, indent(s));
	return true;
}

/* ---- environment, policy, resources ---------------------------------------------------------------- */

bool showing_environment(struct showing *s, struct err *e)
{
	const struct environment *v = &s->d->env;
	size_t packages = 0;
	char hex[DIGEST_HEX];

	(void)e;
	fact("python", "%s %s, %s", v->implementation ? v->implementation : "", v->version ? v->version : "",
	     v->python ? v->python : "");
	fact("prefix", "%s", v->prefix ? v->prefix : "");
	fact("base prefix", "%s", v->base_prefix && v->prefix && strcmp(v->prefix, v->base_prefix) != 0 ? v->base_prefix : "");
	fact("platform", "%s", v->platform ? v->platform : "");
	fact("host", "%s", s->d->attempt.host ? s->d->attempt.host : "");
	fact("locale", "%s", v->locale ? v->locale : "");
	fact("zone", "%s", v->zone ? v->zone : "");
	for (const char *p = v->packages ? v->packages : ""; *p; p++)
		packages += *p == '\n' || p[1] == '\0';
	digest_hex(&v->fingerprint, hex);
	fact("fingerprint", "%s", hex);
	if (!s->titles && v->packages)
		console_lines(stdout, v->packages, strlen(v->packages), "  ");
	else
		fact("packages", "%zu (tickmark show %s --env lists them)", packages, s->d->ref);
	return true;
}

bool showing_policy(struct showing *s, struct err *e)
{
	const struct policy *p = &s->d->policy;

	(void)e;
	fact("sandbox", "tier %s, scratch %s, network %s", tier_word(p->tier), scratch_word(p->scratch),
	     p->network ? "on" : "none");
	for (size_t i = 0; i < limit_table_len; i++) {
		char *text = summary_limit(&limit_table[i], limit_get(&p->limits, &limit_table[i]));

		printf("  %-14s %-8s %s\n", limit_table[i].name, text, limit_table[i].help);
		free(text);
	}
	return true;
}

/* Of one that runs, on this machine: as far as it is. */
static void show_load(struct showing *s)
{
	char wall[UNIT_TEXT], cpu[UNIT_TEXT], memory[UNIT_TEXT];
	struct loads *loads = s->c->ws ? loads_new(s->c->ws) : NULL;

	if (loads)
		loads_look(loads);
	const struct load *l = loads_find(loads, s->d->attempt.id);
	if (l) {
		duration_format(MAX(0, clock_now_us() - s->d->attempt.queued_us), wall);
		duration_format(l->cpu_us, cpu);
		size_format(l->memory, memory);
		fact("so far", "%s, processor %s", wall, cpu);
		fact("memory", "%s in %lld thread%s", memory, (long long)l->threads, l->threads == 1 ? "" : "s");
	}
	loads_free(loads);
}

bool showing_resources(struct showing *s, struct err *e)
{
	static const char *const memory_seen[] = {
		[MEMORY_BY_UNKNOWN] = "",
		[MEMORY_BY_GROUP] = ", counted by the kernel",
		[MEMORY_BY_PROC] = ", summed over its processes from time to time",
		[MEMORY_BY_NONE] = ", of its largest process: nobody could look at the sum",
	};
	const struct attempt_end *end = &s->d->end;
	char wall[UNIT_TEXT], user[UNIT_TEXT], system[UNIT_TEXT], peak[UNIT_TEXT];

	(void)e;
	if (!end->attempt) {
		show_load(s);
		return true;
	}
	duration_format(end->wall_us, wall);
	duration_format(end->cpu_user_us, user);
	duration_format(end->cpu_system_us, system);
	size_format(end->peak_memory, peak);
	fact("time", "%s, processor %s in the program and %s in the kernel", wall, user, system);
	fact("peak memory", "%s%s", peak, memory_seen[end->memory_by]);
	if (end->killed > 0)
		fact("left behind", "%lld process%s had to be ended", (long long)end->killed, end->killed == 1 ? "" : "es");
	fact("figures", "%s", end->backend ? end->backend : "");
	if (end->figures_lost > 0)
		fact("", "%lld figure%s could not be saved", (long long)end->figures_lost, end->figures_lost == 1 ? "" : "s");
	return true;
}
