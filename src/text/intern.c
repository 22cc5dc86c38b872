/*
 * Lines as numbers, by an open table of their hashes. Lines are hashed some at a time and their slots
 * asked for ahead, since with a million lines each look is a miss of the cache; a line of the right
 * text is first held against the one that follows the last partner, which mostly fits.
 */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD 16
#define MUL 0x9E3779B97F4A7C15u

/* ---- lines ---- */

static void cut_at_feeds(struct diff_text *t, size_t *cap)
{
	const char *p = t->p, *end = t->p + t->n, *lf;

	while (p < end) {
		if (t->lines + 1 >= *cap)
			t->start = xreallocarray(t->start, *cap += *cap / 2, sizeof(uint32_t));
		t->start[t->lines++] = (uint32_t)(p - t->p);
		lf = memchr(p, '\n', (size_t)(end - p));
		p = lf ? lf + 1 : end;
	}
}

static void cut_at_all(struct diff_text *t, size_t *cap)
{
	size_t from = 0;

	while (from < t->n) {
		size_t i = from;
		if (t->lines + 1 >= *cap)
			t->start = xreallocarray(t->start, *cap += *cap / 2, sizeof(uint32_t));
		t->start[t->lines++] = (uint32_t)from;
		while (i < t->n && t->p[i] != '\n' && t->p[i] != '\r')
			i++;
		i += i + 1 < t->n && t->p[i] == '\r' && t->p[i + 1] == '\n';
		from = i + 1;
	}
}

void intern_cut(struct span text, unsigned flags, struct diff_text *out)
{
	size_t cap = text.n / 32 + 16;

	*out = (struct diff_text){ .p = text.p ? text.p : "", .n = text.n, .exact = flags & DIFF_EXACT };
	out->bom = !out->exact && text.n >= 3 && memcmp(text.p, "\xEF\xBB\xBF", 3) == 0;
	if (out->bom) {
		out->p += 3;
		out->n -= 3;
	}
	out->start = xmalloc(cap * sizeof(uint32_t));
	if (!out->exact && out->n && memchr(out->p, '\r', out->n))
		cut_at_all(out, &cap);
	else
		cut_at_feeds(out, &cap);
	out->start[out->lines] = (uint32_t)out->n;
}

/* ---- equality ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next byte as folding sees it; -1 at the end. */
static int next_folded(struct span s, size_t *at)
{
	if (*at == s.n)
		return -1;
	if (!is_blank(s.p[*at]))
		return (unsigned char)s.p[(*at)++];
	while (*at < s.n && is_blank(s.p[*at]))
		++*at;
	return *at == s.n ? -1 : ' ';
}

bool intern_same_folded(struct span a, struct span b)
{
	size_t i = 0, k = 0;

	for (;;) {
		int x = next_folded(a, &i), y = next_folded(b, &k);
		if (x != y)
			return false;
		if (x < 0)
			return true;
	}
}

static uint64_t mix(uint64_t h, uint64_t w)
{
	h = (h ^ w) * MUL;
	return h ^ h >> 29;
}

static uint64_t hash_plain(struct span s, uint64_t seed)
{
	uint64_t h = mix(seed, s.n), w;
	const char *p = s.p;
	size_t n = s.n;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = mix(h, w);
	}
	w = 0;
	for (size_t i = 0; i < n; i++)
		w |= (uint64_t)(unsigned char)p[i] << (8 * i);
	return mix(mix(h, w), h >> 32);
}

static uint64_t hash_folded(struct span s, uint64_t seed)
{
	uint64_t h = seed;
	size_t at = 0;
	int c;

	while ((c = next_folded(s, &at)) >= 0)
		h = mix(h, (uint64_t)c);
	return h;
}

/* ---- the table ---- */

struct slot { uint32_t check, id; }; /* id 0: free, else id + 1 */

struct table {
	const struct diff_text *side;
	struct slot *slots;
	size_t mask;
	uint64_t seed;
	bool fold;
	uint32_t *first; /* of each id: a line that has it; side in the top bit */
	struct interned *out;
};

#define RIGHT_SIDE 0x80000000u

static struct span line_of(const struct table *t, uint32_t line)
{
	return diff_line(&t->side[line >> 31], line & ~RIGHT_SIDE, NULL);
}

static bool same(const struct table *t, struct span a, struct span b)
{
	if (t->fold)
		return intern_same_folded(a, b);
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static uint32_t look_up(struct table *t, struct span s, uint64_t hash, uint32_t line)
{
	uint32_t check = (uint32_t)(hash >> 32), side = line >> 31;
	size_t i = hash & t->mask;

	for (; t->slots[i].id; i = (i + 1) & t->mask) {
		uint32_t id = t->slots[i].id - 1;
		if (t->slots[i].check == check && same(t, s, line_of(t, t->first[id]))) {
			t->out->sides[id] |= (uint8_t)(1 << side);
			return id;
		}
	}
	t->slots[i] = (struct slot){ check, ++t->out->ids };
	t->first[t->out->ids - 1] = line;
	t->out->sides[t->out->ids - 1] = (uint8_t)(1 << side);
	return t->out->ids - 1;
}

/* True when the line is that of id's first one; the left text's lines follow each other in ids mostly. */
static bool is_expected(struct table *t, struct span s, uint32_t left)
{
	if (left >= t->side[0].lines || !same(t, s, diff_line(&t->side[0], left, NULL)))
		return false;
	t->out->sides[t->out->id[0][left]] |= 2;
	return true;
}

static void intern_side(struct table *t, uint32_t side)
{
	const struct diff_text *text = &t->side[side];
	uint32_t *id = t->out->id[side], left = 0;
	uint64_t hash[AHEAD];
	struct span s[AHEAD];

	for (uint32_t from = 0; from < text->lines; from += AHEAD) {
		uint32_t n = MIN(text->lines - from, (uint32_t)AHEAD), waiting = 0, which[AHEAD];
		for (uint32_t i = 0; i < n; i++) {
			s[i] = diff_line(text, from + i, NULL);
			if (side && is_expected(t, s[i], left)) {
				id[from + i] = t->out->id[0][left++];
				continue;
			}
			hash[i] = t->fold ? hash_folded(s[i], t->seed) : hash_plain(s[i], t->seed);
			__builtin_prefetch(&t->slots[hash[i] & t->mask], 1);
			which[waiting++] = i;
			left++;
		}
		for (uint32_t w = 0; w < waiting; w++) {
			uint32_t i = which[w], found = look_up(t, s[i], hash[i], (from + i) | side << 31);
			id[from + i] = found;
			/* Go on behind its partner, unless later lines of this batch did so already. */
			if (side && t->out->sides[found] == 3 && i + 1 == n && !(t->first[found] & RIGHT_SIDE))
				left = t->first[found] + 1;
		}
	}
}

/* A last line without a line feed is like no other line, but for one of its kind. */
static void part_last_lines(const struct diff_text side[2], struct interned *out)
{
	uint32_t *last[2] = { NULL, NULL };

	for (int i = 0; i < 2; i++)
		if (side[i].n && side[i].p[side[i].n - 1] != '\n')
			last[i] = &out->id[i][side[i].lines - 1];
	bool alike = last[0] && last[1] && *last[0] == *last[1];
	for (int i = 0; i < 2; i++) {
		if (!last[i])
			continue;
		*last[i] = alike && i ? *last[0] : out->ids++;
		out->sides[*last[i]] = alike ? 3 : (uint8_t)(1 << i);
	}
}

void intern_lines(const struct diff_text side[2], unsigned flags, struct interned *out)
{
	size_t lines = (size_t)side[0].lines + side[1].lines, slots = 64;
	struct table t = { .side = side, .fold = flags & DIFF_FOLD_SPACE, .out = out };

	while (slots < lines + lines / 4)
		slots *= 2;
	*out = (struct interned){ { NULL, NULL }, 0, xmalloc(lines + 2) };
	for (int i = 0; i < 2; i++)
		out->id[i] = xmalloc(((size_t)side[i].lines + 1) * sizeof(uint32_t));
	t.slots = xcalloc(slots, sizeof(*t.slots));
	t.mask = slots - 1;
	t.first = xmalloc((lines + 1) * sizeof(uint32_t));
	/* Whoever wrote the lines cannot know it, and so not make them all meet in one slot. */
	random_bytes(&t.seed, sizeof(t.seed));
	intern_side(&t, 0);
	intern_side(&t, 1);
	free(t.slots);
	free(t.first);
	if (flags & DIFF_EXACT)
		part_last_lines(side, out);
}

void intern_free(struct interned *t)
{
	free(t->id[0]);
	free(t->id[1]);
	free(t->sides);
	*t = (struct interned){ 0 };
}
