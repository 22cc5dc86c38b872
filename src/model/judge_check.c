/* The verdict: a check held against what it repeats, by bytes, and what of the difference is noise. */
#include "repeat.h"

#include "model/compare.h"
#include "query_private.h"

#include "text/noise.h"

#include <stdlib.h>
#include <string.h>

#define BYTES_MOST ((int64_t)512 << 20) /* of artifacts that are read for noise, and of what they unpack to */

struct judging {
	struct store *store;
	const struct comparison *c;
	struct noise *noise;       /* made when something differs */
	struct noise_run run[2];   /* original, check */
	struct noise_sum sum;
	struct noise_limits limits;
};

static struct noise *noise_of(struct judging *j)
{
	struct err e = { 0 };

	if (j->noise)
		return j->noise;
	/* Checked when it was set, but a file of settings is edited by hand too; without it all else holds. */
	bool own = j->c->noise && *j->c->noise && noise_check(j->c->noise, &e);
	if (e.code != ERR_NONE)
		log_line("noise: %s", e.msg);
	/* An order that was varied on purpose is to be seen. */
	j->noise = noise_new(own ? j->c->noise : NULL, j->c->vary == NULL, &e);
	return j->noise;
}

/* ---- streams ---- */

/* One stream of an attempt, read into memory: kept pieces and where they stand. */
struct kept {
	enum stream_id stream;
	struct buf bytes;
	struct span_at { int64_t position; size_t at, n; } *pieces;
	size_t n, cap;
};

static bool take_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct kept *k = ctx;

	(void)e;
	if (c->stream != k->stream || c->len == 0)
		return true;
	k->pieces = grow(k->pieces, k->n, &k->cap, sizeof(*k->pieces));
	k->pieces[k->n++] = (struct span_at){ c->position, k->bytes.len, c->len };
	buf_add(&k->bytes, c->bytes, c->len);
	return true;
}

static void kept_free(struct kept *k)
{
	buf_free(&k->bytes);
	free(k->pieces);
}

/* Position of the first byte that both kept and that differs, or where one ends; -1: none among them. */
static int64_t first_difference(const struct kept *a, const struct kept *b)
{
	size_t i = 0, k = 0;

	while (i < a->n && k < b->n) {
		const struct span_at *x = &a->pieces[i], *y = &b->pieces[k];
		int64_t from = MAX(x->position, y->position);
		int64_t x_end = x->position + (int64_t)x->n, y_end = y->position + (int64_t)y->n, to = MIN(x_end, y_end);
		for (int64_t p = from; p < to; p++)
			if (a->bytes.data[x->at + (size_t)(p - x->position)] != b->bytes.data[y->at + (size_t)(p - y->position)])
				return p;
		if (x_end <= y_end)
			i++;
		if (y_end <= x_end)
			k++;
	}
	return -1;
}

static bool is_whole(const struct kept *k, int64_t bytes)
{
	return (int64_t)k->bytes.len == bytes && k->bytes.len <= NOISE_MOST;
}

static struct span span_of(const struct buf *b)
{
	return (struct span){ b->data ? b->data : "", b->len };
}

/* Where the two differ, noise apart; NULL: nothing else does. */
static char *stream_difference(struct judging *j, const char *name, const struct kept *a, const struct kept *b, int64_t was_n,
                               int64_t is_n)
{
	int64_t p, before = noise_total(&j->sum);

	if (is_whole(a, was_n) && is_whole(b, is_n)) {
		noise_compare(noise_of(j), span_of(&a->bytes), span_of(&b->bytes), j->run, &j->sum);
		if (j->sum.same && noise_total(&j->sum) > before)
			return NULL;
		p = j->sum.at[0] < a->bytes.len && j->sum.at[1] < b->bytes.len ? (int64_t)j->sum.at[0] : -1;
	} else {
		p = first_difference(a, b);
	}
	if (p >= 0)
		return xasprintf("%s byte %lld", name, (long long)p + 1);
	if (was_n != is_n)
		return xasprintf("%s: %lld bytes, was %lld", name, (long long)is_n, (long long)was_n);
	return xasprintf("%s, in bytes that were not kept", name);
}

static bool compare_stream(struct judging *j, enum stream_id stream, char **at, struct err *e)
{
	const struct attempt_end *was = &j->c->original->end, *is = j->c->end;
	bool out = stream == STREAM_OUT;
	int64_t was_n = out ? was->out_bytes : was->err_bytes, is_n = out ? is->out_bytes : is->err_bytes;
	struct kept a = { .stream = stream }, b = { .stream = stream };

	if (was_n == is_n && digest_equal(out ? &was->out_sha256 : &was->err_sha256, out ? &is->out_sha256 : &is->err_sha256))
		return true;
	bool ok = store_chunks(j->store, was->attempt, (int)stream, take_chunk, &a, e) &&
	          store_chunks(j->store, j->c->attempt, (int)stream, take_chunk, &b, e);
	if (ok)
		*at = stream_difference(j, out ? "stdout" : "stderr", &a, &b, was_n, is_n);
	kept_free(&a);
	kept_free(&b);
	return ok;
}

/* ---- artifacts ---- */

static const char *kind_of(const struct entry *f)
{
	return f ? artifact_word((enum artifact_kind)f->what) : "not made";
}

/* False of a PDF too whose own text is noise: it may still be the same as a text. */
static bool is_same_pdf(struct judging *j, struct span a, struct span b)
{
	struct noise_sum sum = j->sum;

	if (!noise_compare_pdf(a, b, j->run, &sum) || !sum.same)
		return false;
	j->sum = sum;
	return true;
}

/* Whether two contents, of which the bytes differ, are the same but for noise; false too where they cannot be read or are no text. */
static bool is_noise(struct judging *j, const struct entry *was, const struct entry *is)
{
	struct buf a = { 0 }, b = { 0 };
	int64_t before = noise_total(&j->sum);

	j->limits.bytes -= was->size + is->size;
	if (was->size > (int64_t)NOISE_MOST || is->size > (int64_t)NOISE_MOST || j->limits.bytes < 0 ||
	    cancel_is_asked(&j->limits.cancel, "", NULL))
		return false;
	bool same = store_blob_read(j->store, &was->sha256, NOISE_MOST, &a, NULL) &&
	            store_blob_read(j->store, &is->sha256, NOISE_MOST, &b, NULL);
	if (same && a.len > 4 && b.len > 4 && memcmp(a.data, "PK\3\4", 4) == 0) {
		same = noise_compare_zip(noise_of(j), span_of(&a), span_of(&b), j->run, &j->limits, &j->sum) && j->sum.same;
	} else if (same && !is_same_pdf(j, span_of(&a), span_of(&b))) {
		same = !(a.len && memchr(a.data, '\0', a.len)) && !(b.len && memchr(b.data, '\0', b.len));
		if (same)
			noise_compare(noise_of(j), span_of(&a), span_of(&b), j->run, &j->sum);
		same = same && j->sum.same;
	}
	buf_free(&a);
	buf_free(&b);
	return same && noise_total(&j->sum) > before;
}

static char *artifact_difference(struct judging *j, const struct entry *was, const struct entry *is)
{
	const char *path = was ? was->path : is->path;

	/* Earlier versions kept a file under the first of its names only. */
	if (was && is && was->what == ARTIFACT_NOTED && was->note && strncmp(was->note, "hard link to ", 13) == 0 && is->note &&
	    strcmp(was->note, is->note) == 0)
		return NULL;
	if (!was || !is || was->what != is->what)
		return xasprintf("artifact %s: %s, was %s", path, kind_of(is), kind_of(was));
	if (!digest_equal(&was->sha256, &is->sha256) && !is_noise(j, was, is))
		return xasprintf("artifact %s", path);
	if (was->mode != is->mode)
		return xasprintf("artifact %s: mode %o, was %o", path, is->mode, was->mode);
	return NULL;
}

/* Whether two names are the same but for what tempfile draws: /tmp/tmpab12cd_x/out.csv */
static bool is_same_temporary(struct judging *j, const char *was, const char *is)
{
	struct noise_sum sum = { 0 };

	noise_compare(noise_of(j), (struct span){ was, strlen(was) }, (struct span){ is, strlen(is) }, j->run, &sum);
	return sum.same && noise_total(&sum) == sum.counts[NOISE_TEMP];
}

/* Files in /tmp of which only one side has the name. */
struct unpaired {
	const struct entry **v;
	size_t n, cap;
};

static bool set_aside(struct unpaired *u, const struct entry *f)
{
	if (strncmp(f->path, "/tmp/", 5) != 0)
		return false;
	u->v = grow(u->v, u->n, &u->cap, sizeof(*u->v));
	u->v[u->n++] = f;
	return true;
}

/* Finds the other half among those that have none yet, the same bytes first. What differs in the nearest; NULL: found. */
static char *pair_temporary(struct judging *j, const struct entry *was, struct unpaired *others)
{
	char *nearest = NULL;

	for (int by_bytes = 1; by_bytes >= 0; by_bytes--) {
		for (size_t i = 0; i < others->n; i++) {
			const struct entry *is = others->v[i];
			struct noise_sum before = j->sum;
			if (!is || digest_equal(&was->sha256, &is->sha256) != by_bytes || !is_same_temporary(j, was->path, is->path))
				continue;
			char *at = artifact_difference(j, was, is);
			if (!at) {
				j->sum.counts[NOISE_TEMP]++;
				others->v[i] = NULL;
				free(nearest);
				return NULL;
			}
			j->sum = before;
			if (nearest)
				free(at);
			else
				nearest = at;
		}
	}
	return nearest ? nearest : artifact_difference(j, was, NULL);
}

static char *temporaries_difference(struct judging *j, const struct unpaired *was, struct unpaired *is)
{
	char *at = NULL;

	for (size_t i = 0; !at && i < was->n; i++)
		at = pair_temporary(j, was->v[i], is);
	for (size_t i = 0; !at && i < is->n; i++)
		at = is->v[i] ? artifact_difference(j, NULL, is->v[i]) : NULL;
	return at;
}

static char *artifacts_difference(struct judging *j, const struct manifest *was, const struct entry *is, size_t n)
{
	struct unpaired only[2] = { 0 };
	size_t i = 0, k = 0;
	char *at = NULL;

	while (!at && (i < was->n || k < n)) {
		int order = i == was->n ? 1 : k == n ? -1 : strcmp(was->entries[i].path, is[k].path);
		bool aside = (order < 0 && set_aside(&only[0], &was->entries[i])) || (order > 0 && set_aside(&only[1], &is[k]));
		if (!aside)
			at = artifact_difference(j, order <= 0 ? &was->entries[i] : NULL, order >= 0 ? &is[k] : NULL);
		if (order <= 0)
			i++;
		if (order >= 0)
			k++;
	}
	if (!at)
		at = temporaries_difference(j, &only[0], &only[1]);
	free(only[0].v);
	free(only[1].v);
	return at;
}

static bool compare_artifacts(struct judging *j, char **at, struct err *e)
{
	struct manifest was = { 0 };
	int64_t id = j->c->original->end.artifacts;

	if (id && !store_manifest_get(j->store, id, &was, e))
		return false;
	*at = artifacts_difference(j, &was, j->c->artifacts, j->c->artifacts_n);
	store_manifest_free(&was);
	/* What was not looked at any more is no difference. */
	if (*at && cancel_is_asked(&j->limits.cancel, "comparing with the original", e)) {
		free(*at);
		*at = NULL;
		return false;
	}
	return true;
}

/* ---- all of it ---- */

static char *compare_outcome(const struct attempt_end *was, const struct attempt_end *is)
{
	char now[64] = "", before[64] = "";

	if (was->outcome != is->outcome)
		return xasprintf("outcome %s, was %s", outcome_word(is->outcome), outcome_word(was->outcome));
	if (was->limit && is->limit && strcmp(was->limit, is->limit) != 0)
		return xasprintf("limit %s, was %s", is->limit, was->limit);
	if (was->exit_code == is->exit_code && was->signal == is->signal)
		return NULL;
	snprintf(now, sizeof(now), is->signal ? "signal %d" : "exit code %d", is->signal ? is->signal : is->exit_code);
	snprintf(before, sizeof(before), was->signal ? "signal %d" : "exit code %d", was->signal ? was->signal : was->exit_code);
	return xasprintf("%s, was %s", now, before);
}

static char *why_not(const struct comparison *c)
{
	enum outcome was = c->original->end.outcome, is = c->end->outcome;

	if (c->absent)
		return xasprintf("input %s was not kept", c->absent);
	if (was == OUTCOME_STOPPED || was == OUTCOME_FAULT || was == OUTCOME_INTERRUPTED)
		return xasprintf("the original has no end of its own: %s", outcome_word(was));
	if (is == OUTCOME_STOPPED || is == OUTCOME_FAULT)
		return xasprintf("the check has no end of its own: %s", outcome_word(is));
	return NULL;
}

static bool compare_all(struct judging *j, char **at, struct err *e)
{
	*at = compare_outcome(&j->c->original->end, j->c->end);
	return (*at || compare_stream(j, STREAM_OUT, at, e)) && (*at || compare_stream(j, STREAM_ERR, at, e)) &&
	       (*at || compare_artifacts(j, at, e));
}

bool repeat_compare(struct store *st, const struct comparison *c, enum verdict *verdict, char **first_at, struct err *e)
{
	const struct attempt_end *was = &c->original->end, *is = c->end;
	struct judging j = { .store = st, .c = c, .run = { { was->started_us, was->ended_us }, { is->started_us, is->ended_us } },
		                 .limits = { BYTES_MOST, c->cancel } };
	struct buf told = { 0 };

	*verdict = VERDICT_CANNOT;
	*first_at = why_not(c);
	if (*first_at)
		return true;
	bool ok = compare_all(&j, first_at, e);
	noise_free(j.noise);
	if (!ok)
		return false;
	*verdict = *first_at ? VERDICT_DIFFERS : noise_total(&j.sum) ? VERDICT_NOISE : VERDICT_SAME;
	if (*verdict == VERDICT_NOISE) {
		noise_tell(&j.sum, &told);
		if (j.sum.counts[NOISE_USER])
			buf_addf(&told, ": %s", c->noise);
		*first_at = buf_take(&told);
	}
	return true;
}

bool compare_agree(struct query *q, int64_t left, int64_t right, enum verdict *verdict, struct err *e)
{
	struct attempt_full full;
	struct detail d;
	char *at = NULL;

	if (!store_attempt_get(q->store, left, &full, e))
		return false;
	if (!query_detail(q, right, &d, e)) {
		store_attempt_free(&full);
		return false;
	}
	char *own = NULL;
	if (q->ws && !setting_read(q->ws, "noise", &own, e)) {
		query_detail_free(&d);
		store_attempt_free(&full);
		return false;
	}
	struct comparison c = { .original = &full, .attempt = right, .end = &d.end, .artifacts = d.artifacts, .artifacts_n = d.artifacts_n,
		                    .noise = own, .cancel = q->cancel };
	bool ok = repeat_compare(q->store, &c, verdict, &at, e);
	free(at);
	free(own);
	query_detail_free(&d);
	store_attempt_free(&full);
	return ok;
}
