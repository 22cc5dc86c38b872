/*
 * Elements as hashes, seeded so that nobody can make two meet. A member that names every element on both sides, once
 * each, decides; else the longest common run of equal elements does, and between its pieces those are partners that
 * share most members.
 */
#include "jsonalign.h"

#include "myers.h"

#include <stdlib.h>
#include <string.h>

#define MUL 0x9E3779B97F4A7C15u
#define GAP_MOST 1024     /* pairs of a gap whose likeness is looked at */
#define ROUNDS 2000       /* of the search for the common run */
#define MOVED 2           /* of an element: it has a partner elsewhere */
#define CANDIDATES 24     /* members that are tried as a key */

struct aligning {
	const struct json_value *side[2];
	uint32_t n[2];
	uint64_t *hash[2];    /* of each element */
	uint32_t *weight[2];  /* values in each */
	uint64_t seed;
	int64_t *work;
	struct json_aligned *out;
	size_t cap;
	const bool *cancel;
};

/* ---- hashes ---- */

static uint64_t mix(uint64_t h, uint64_t w)
{
	h = (h ^ w) * MUL;
	return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = mix(h, (unsigned char)p[i]);
	return mix(h, n);
}

static uint64_t hash_scalar(uint64_t h, const struct json_value *v)
{
	const char *text = json_text(v, NULL);

	if (text)
		return mix_text(h, text, json_text_len(v));
	char *written = json_value_text(v);
	h = mix_text(h, written, strlen(written));
	free(written);
	return h;
}

/* Members in any order are the same object. */
static uint64_t hash_value(uint64_t seed, const struct json_value *v, int64_t *work)
{
	uint64_t h = mix(seed, (unsigned char)json_kind(v)), sum = 0;

	--*work;
	if (json_kind(v) == '[') {
		for (size_t i = 0; i < json_count(v); i++)
			h = mix(h, hash_value(seed, json_at(v, i), work));
		return mix(h, json_count(v));
	}
	if (json_kind(v) != '{')
		return hash_scalar(h, v);
	for (void *it = json_members(v); it; it = json_member_next(v, it)) {
		const char *name = json_member_key(it);
		sum += mix(mix_text(seed, name, strlen(name)), hash_value(seed, json_member_value(it), work));
	}
	return mix(h, sum);
}

/* Cancelled, it leaves the rest. */
static void hash_elements(struct aligning *x)
{
	for (int s = 0; s < 2; s++) {
		x->hash[s] = xcalloc((size_t)x->n[s] + 1, sizeof(uint64_t));
		x->weight[s] = xcalloc((size_t)x->n[s] + 1, sizeof(uint32_t));
		for (uint32_t i = 0; i < x->n[s] && !cancel_is_set(x->cancel); i++) {
			int64_t before = *x->work;
			x->hash[s][i] = hash_value(x->seed, json_at(x->side[s], i), x->work);
			x->weight[s][i] = (uint32_t)(before - *x->work);
		}
	}
}

struct place { uint64_t hash; uint32_t at; };

static int by_hash(const void *p, const void *q)
{
	const struct place *a = p, *b = q;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* ---- a member as key ---- */

/* Its values on one side, sorted; NULL: it names not all of them, or two the same. */
static struct place *key_places(struct aligning *x, int side, const char *name)
{
	struct place *v = xmalloc(((size_t)x->n[side] + 1) * sizeof(*v));
	bool ok = true;

	for (uint32_t i = 0; ok && i < x->n[side]; i++) {
		const struct json_value *e = json_at(x->side[side], i), *k = json_kind(e) == '{' ? json_get(e, name) : NULL;
		ok = k && (json_text_len(k) > 0 || json_int(k, INT64_MIN) != INT64_MIN);
		if (ok)
			v[i] = (struct place){ hash_value(x->seed, k, x->work), i };
	}
	if (ok)
		qsort(v, x->n[side], sizeof(*v), by_hash);
	for (uint32_t i = 1; ok && i < x->n[side]; i++)
		ok = v[i].hash != v[i - 1].hash;
	if (ok)
		return v;
	free(v);
	return NULL;
}

/* How many values both sides have; `to` (NULL: not wanted) gets for each left element its right one. 0: no key. */
static uint32_t match_key(struct aligning *x, const char *name, uint32_t *to)
{
	struct place *a = key_places(x, 0, name), *b = a ? key_places(x, 1, name) : NULL;
	uint32_t shared = 0;

	for (uint32_t i = 0, k = 0; b && i < x->n[0]; i++) {
		while (k < x->n[1] && b[k].hash < a[i].hash)
			k++;
		bool both = k < x->n[1] && b[k].hash == a[i].hash;
		shared += both;
		if (to)
			to[a[i].at] = both ? b[k].at : JSONALIGN_NONE;
	}
	free(a);
	free(b);
	return shared;
}

/* The member that names the elements: one that is called so, else a text that most of them share. */
static const char *find_key(struct aligning *x, const char *given)
{
	static const char *const names[] = { "id", "Id", "ID", "_id", "uuid", "key", "code", "ref", "name", "Name", "path" };
	const struct json_value *first = json_at(x->side[0], 0);
	uint32_t most = MIN(x->n[0], x->n[1]) / 2, tried = 0;
	const char *best = NULL;

	if (given && match_key(x, given, NULL) > 0)
		return given;
	for (size_t i = 0; i < ARRAY_LEN(names) && !cancel_is_set(x->cancel); i++)
		if (json_get(first, names[i]) && match_key(x, names[i], NULL) > 0)
			return names[i];
	for (void *it = json_members(first); it && tried < CANDIDATES; it = json_member_next(first, it), tried++) {
		if (cancel_is_set(x->cancel))
			return NULL;
		uint32_t shared = json_text_len(json_member_value(it)) ? match_key(x, json_member_key(it), NULL) : 0;
		if (shared <= most)
			continue;
		most = shared;
		best = json_member_key(it);
	}
	return best;
}

/* ---- pairs ---- */

static void add_pair(struct aligning *x, uint32_t a, uint32_t b)
{
	struct json_aligned *out = x->out;
	bool both = a != JSONALIGN_NONE && b != JSONALIGN_NONE;

	out->v = grow(out->v, out->n, &x->cap, sizeof(*out->v));
	out->v[out->n++] = (struct json_pair){ a, b, both && x->hash[0] && x->hash[0][a] == x->hash[1][b] &&
		                                         json_same(json_at(x->side[0], a), json_at(x->side[1], b)), false };
}

/* Pairs that are not in the longest run that kept its order. */
static void mark_moved(struct json_aligned *out)
{
	uint32_t *tail = xmalloc((out->n + 1) * sizeof(*tail)), *rank = xcalloc(out->n + 1, sizeof(*rank)), longest = 0;

	for (size_t i = 0; i < out->n; i++) {
		uint32_t low = 0, high = longest;
		if (out->v[i].a == JSONALIGN_NONE || out->v[i].b == JSONALIGN_NONE)
			continue;
		while (low < high) {
			uint32_t mid = (low + high) / 2;
			if (tail[mid] < out->v[i].b)
				low = mid + 1;
			else
				high = mid;
		}
		tail[low] = out->v[i].b;
		rank[i] = low + 1;
		longest += low == longest;
	}
	uint32_t next = longest, limit = UINT32_MAX;
	for (size_t i = out->n; i-- > 0;) {
		bool kept = rank[i] && rank[i] == next && out->v[i].b < limit;
		if (kept) {
			limit = out->v[i].b;
			next--;
		}
		out->v[i].moved = rank[i] && !kept;
		out->moved += out->v[i].moved;
	}
	free(tail);
	free(rank);
}

static void pair_by_index(struct aligning *x)
{
	for (uint32_t i = 0; i < MAX(x->n[0], x->n[1]); i++)
		add_pair(x, i < x->n[0] ? i : JSONALIGN_NONE, i < x->n[1] ? i : JSONALIGN_NONE);
}

static void pair_by_key(struct aligning *x, const char *key)
{
	uint32_t *to = xmalloc(((size_t)x->n[0] + 1) * sizeof(*to)), at = 0;
	uint8_t *taken = xcalloc((size_t)x->n[1] + 1, 1);

	x->out->key = key;
	match_key(x, key, to);
	for (uint32_t i = 0; i < x->n[0]; i++)
		if (to[i] != JSONALIGN_NONE)
			taken[to[i]] = 1;
	for (uint32_t i = 0; i < x->n[0]; i++) {
		/* New ones stand before the first that keeps a place behind them. */
		for (; to[i] != JSONALIGN_NONE && at < to[i]; at++)
			if (!taken[at])
				add_pair(x, JSONALIGN_NONE, at);
		add_pair(x, i, to[i]);
	}
	for (; at < x->n[1]; at++)
		if (!taken[at])
			add_pair(x, JSONALIGN_NONE, at);
	mark_moved(x->out);
	free(taken);
	free(to);
}

/* ---- gaps of the common run ---- */

static bool is_scalar(const struct json_value *v)
{
	return json_kind(v) != '{' && json_kind(v) != '[';
}

/* How much speaks for them being the same element, changed; 0: they cannot be. */
static uint32_t likeness(struct aligning *x, uint32_t a, uint32_t b)
{
	const struct json_value *p = json_at(x->side[0], a), *q = json_at(x->side[1], b);
	uint32_t same = 1;

	if (json_kind(p) != json_kind(q))
		return is_scalar(p) && is_scalar(q);
	if (json_kind(p) != '{')
		return 1;
	*x->work -= x->weight[0][a] + x->weight[1][b];
	for (void *it = json_members(p); it; it = json_member_next(p, it)) {
		const struct json_value *other = json_get(q, json_member_key(it));
		same += other && json_same(json_member_value(it), other) ? 4 : 0;
	}
	return same;
}

/* Elements of a gap: those without a partner as they are. */
struct gap { uint32_t *a, *b, a_n, b_n; };

static void pair_in_order(struct aligning *x, const struct gap *g)
{
	for (uint32_t i = 0; i < MAX(g->a_n, g->b_n); i++) {
		bool both = i < g->a_n && i < g->b_n && likeness(x, g->a[i], g->b[i]) > 0;
		if (i < g->a_n)
			add_pair(x, g->a[i], both ? g->b[i] : JSONALIGN_NONE);
		if (i < g->b_n && !both)
			add_pair(x, JSONALIGN_NONE, g->b[i]);
	}
}

/* The partners with most likeness that keep their order. */
static void pair_gap(struct aligning *x, const struct gap *g)
{
	uint32_t wide = g->b_n + 1, sum[GAP_MOST * 2 + 2], like[GAP_MOST], i = 0, k = 0;

	if (g->a_n == 0 || g->b_n == 0 || (uint64_t)g->a_n * g->b_n > GAP_MOST || *x->work < 0) {
		pair_in_order(x, g);
		return;
	}
	memset(sum, 0, (size_t)(g->a_n + 1) * wide * sizeof(*sum));
	for (i = g->a_n; i-- > 0;) {
		for (k = g->b_n; k-- > 0;) {
			uint32_t l = like[i * g->b_n + k] = likeness(x, g->a[i], g->b[k]);
			uint32_t skip = MAX(sum[(i + 1) * wide + k], sum[i * wide + k + 1]);
			sum[i * wide + k] = MAX(skip, l ? l + sum[(i + 1) * wide + k + 1] : 0);
		}
	}
	for (i = k = 0; i < g->a_n || k < g->b_n;) {
		uint32_t here = i < g->a_n && k < g->b_n ? like[i * g->b_n + k] : 0;
		if (here && sum[i * wide + k] == here + sum[(i + 1) * wide + k + 1])
			add_pair(x, g->a[i++], g->b[k++]);
		else if (i < g->a_n && (k == g->b_n || sum[i * wide + k] == sum[(i + 1) * wide + k]))
			add_pair(x, g->a[i++], JSONALIGN_NONE);
		else
			add_pair(x, JSONALIGN_NONE, g->b[k++]);
	}
}

/* ---- the common run ---- */

/* Equal hashes as equal numbers. */
static void number_elements(struct aligning *x, uint32_t *id[2])
{
	uint32_t all = x->n[0] + x->n[1], ids = 0;
	struct place *v = xmalloc(((size_t)all + 1) * sizeof(*v));

	for (uint32_t i = 0; i < all; i++)
		v[i] = (struct place){ i < x->n[0] ? x->hash[0][i] : x->hash[1][i - x->n[0]], i };
	qsort(v, all, sizeof(*v), by_hash);
	for (uint32_t i = 0; i < all; i++) {
		ids += i > 0 && v[i].hash != v[i - 1].hash;
		if (v[i].at < x->n[0])
			id[0][v[i].at] = ids;
		else
			id[1][v[i].at - x->n[0]] = ids;
	}
	free(v);
}

/* Elements that went as they are from where one run has no place for them to such a place: to[left] is the right one,
 * and both are no more of a gap. */
static void find_moved(struct aligning *x, uint8_t *changed[2], uint32_t *to)
{
	struct place *v[2];
	uint32_t n[2] = { 0 };

	for (int s = 0; s < 2; s++) {
		v[s] = xmalloc(((size_t)x->n[s] + 1) * sizeof(struct place));
		for (uint32_t i = 0; i < x->n[s]; i++)
			if (changed[s][i])
				v[s][n[s]++] = (struct place){ x->hash[s][i], i };
		qsort(v[s], n[s], sizeof(struct place), by_hash);
	}
	for (uint32_t i = 0; i < x->n[0]; i++)
		to[i] = JSONALIGN_NONE;
	for (uint32_t i = 0, k = 0; i < n[0] && k < n[1];) {
		if (v[0][i].hash == v[1][k].hash) {
			to[v[0][i++].at] = v[1][k].at;
			changed[1][v[1][k++].at] = MOVED;
		} else if (v[0][i].hash < v[1][k].hash) {
			i++;
		} else {
			k++;
		}
	}
	free(v[0]);
	free(v[1]);
}

/* Pairs of the run, and of the gaps between them. */
static void pair_run(struct aligning *x, uint8_t *changed[2], const uint32_t *to)
{
	struct gap g = { xmalloc(((size_t)x->n[0] + 1) * sizeof(uint32_t)), xmalloc(((size_t)x->n[1] + 1) * sizeof(uint32_t)), 0, 0 };

	for (uint32_t i = 0, k = 0; i < x->n[0] || k < x->n[1];) {
		for (g.a_n = 0; i < x->n[0] && changed[0][i]; i++) {
			if (to[i] == JSONALIGN_NONE) {
				g.a[g.a_n++] = i;
				continue;
			}
			add_pair(x, i, to[i]);
			x->out->v[x->out->n - 1].moved = true;
			x->out->moved++;
		}
		for (g.b_n = 0; k < x->n[1] && changed[1][k]; k++)
			if (changed[1][k] != MOVED)
				g.b[g.b_n++] = k;
		pair_gap(x, &g);
		if (i < x->n[0] && k < x->n[1])
			add_pair(x, i++, k++);
	}
	free(g.a);
	free(g.b);
}

static void pair_by_run(struct aligning *x)
{
	uint32_t *id[2], *to = xmalloc(((size_t)x->n[0] + 1) * sizeof(*to));
	uint8_t *changed[2];

	for (int s = 0; s < 2; s++) {
		id[s] = xmalloc(((size_t)x->n[s] + 1) * sizeof(uint32_t));
		changed[s] = xcalloc((size_t)x->n[s] + 1, 1);
	}
	number_elements(x, id);
	struct myers m = { .a = id[0], .b = id[1], .a_n = x->n[0], .b_n = x->n[1], .a_changed = changed[0], .b_changed = changed[1],
		               .most = ROUNDS };
	(void)myers_run(&m);
	find_moved(x, changed, to);
	pair_run(x, changed, to);
	for (int s = 0; s < 2; s++) {
		free(id[s]);
		free(changed[s]);
	}
	free(to);
}

void jsonalign(const struct json_value *a, const struct json_value *b, const char *key, const bool *cancel, int64_t *work,
               struct json_aligned *out)
{
	struct aligning x = { .side = { a, b }, .n = { (uint32_t)json_count(a), (uint32_t)json_count(b) }, .work = work, .out = out,
		                  .cancel = cancel };

	*out = (struct json_aligned){ .by_index = *work < 0 };
	if (out->by_index || x.n[0] == 0 || x.n[1] == 0 || (x.n[0] == 1 && x.n[1] == 1)) {
		pair_by_index(&x);
		return;
	}
	random_bytes(&x.seed, sizeof(x.seed));
	hash_elements(&x);
	const char *found = json_kind(json_at(a, 0)) == '{' && !cancel_is_set(cancel) ? find_key(&x, key) : NULL;
	if (!cancel_is_set(cancel)) {
		if (found)
			pair_by_key(&x, found);
		else
			pair_by_run(&x);
	}
	for (int s = 0; s < 2; s++) {
		free(x.hash[s]);
		free(x.weight[s]);
	}
}

void jsonalign_free(struct json_aligned *x)
{
	free(x->v);
	*x = (struct json_aligned){ 0 };
}
