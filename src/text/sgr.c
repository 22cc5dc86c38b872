/* SGR sequences (ECMA-48 8.3.117; colours by ITU T.416 and as xterm has them) as styles. */
#include "sgr.h"

#include <stdlib.h>

#define PARAMETERS 32

/* One parameter, with what follows it behind colons. */
struct parameter {
	int v[8];  /* v[0] the code; -1: left out */
	size_t n;
};

/* ---- parameters that set or clear one attribute -------------------------------------------- */

static const struct {
	uint8_t code;
	uint16_t set, clear;
} attr_table[] = {
	{ 1, STYLE_BOLD, 0 },       { 2, STYLE_DIM, 0 },      { 3, STYLE_ITALIC, 0 },
	{ 4, STYLE_UNDERLINE, 0 },  { 5, STYLE_BLINK, 0 },    { 6, STYLE_BLINK, 0 },
	{ 7, STYLE_REVERSE, 0 },    { 8, STYLE_CONCEAL, 0 },  { 9, STYLE_STRIKE, 0 },
	{ 21, STYLE_UNDERLINE, 0 }, { 23, 0, STYLE_ITALIC },  { 22, 0, STYLE_BOLD | STYLE_DIM },
	{ 24, 0, STYLE_UNDERLINE }, { 25, 0, STYLE_BLINK },   { 27, 0, STYLE_REVERSE },
	{ 28, 0, STYLE_CONCEAL },   { 29, 0, STYLE_STRIKE },
};

static bool apply_attr(int code, struct style *s)
{
	for (size_t i = 0; i < ARRAY_LEN(attr_table); i++)
		if (attr_table[i].code == code) {
			s->attrs = (uint16_t)((s->attrs | attr_table[i].set) & ~attr_table[i].clear);
			return true;
		}
	return false;
}

static bool apply_plain_colour(int code, struct style *s)
{
	struct colour index = { .kind = COLOUR_INDEX };
	bool background = (code >= 40 && code <= 47) || (code >= 100 && code <= 107);

	if (code == 39)
		s->fg = (struct colour){ 0 };
	else if (code == 49)
		s->bg = (struct colour){ 0 };
	else if ((code >= 30 && code <= 47 && code % 10 <= 7) || (code >= 90 && code <= 107 && code % 10 <= 7)) {
		index.r = (uint8_t)(code % 10 + (code >= 90 ? 8 : 0));
		*(background ? &s->bg : &s->fg) = index;
	} else {
		return false;
	}
	return true;
}

/* ---- 38, 48 and 58: 5;N or 2;R;G;B, with colons an empty colour space may stand before R ---------- */

static bool byte_value(int v, uint8_t *out)
{
	*out = (uint8_t)MAX(v, 0);
	return v <= 255;
}

/* v[0] is the kind. Returns how many values were used, 0 when it is none. */
static size_t read_colour(const int *v, size_t n, bool colons, struct colour *c)
{
	size_t rgb = colons && n >= 5 ? 2 : 1;

	*c = (struct colour){ 0 };
	if (n >= 2 && v[0] == 5) {
		c->kind = COLOUR_INDEX;
		return byte_value(v[1], &c->r) ? 2 : 0;
	}
	if (n < rgb + 3 || v[0] != 2)
		return 0;
	c->kind = COLOUR_RGB;
	return byte_value(v[rgb], &c->r) && byte_value(v[rgb + 1], &c->g) && byte_value(v[rgb + 2], &c->b) ? rgb + 3 : 0;
}

static void set_colour(int code, struct colour c, struct style *s)
{
	if (code == 38)
		s->fg = c;
	else if (code == 48)
		s->bg = c;
	/* 58, the colour of the underline, has no style of ours */
}

/* Returns how many parameters were used; 0: not understood. */
static size_t apply(const struct parameter *p, size_t n, struct style *s)
{
	int code = MAX(p->v[0], 0);
	struct colour c;

	if (code == 38 || code == 48 || code == 58) {
		int v[4] = { 0 };
		size_t flat = 0, used;

		if (p->n > 1) {
			used = read_colour(p->v + 1, p->n - 1, true, &c);
			if (used)
				set_colour(code, c, s);
			return used ? 1 : 0;
		}
		for (; flat < ARRAY_LEN(v) && flat + 1 < n && p[flat + 1].n == 1; flat++)
			v[flat] = p[flat + 1].v[0];
		used = read_colour(v, flat, false, &c);
		if (used)
			set_colour(code, c, s);
		return used ? used + 1 : 0;
	}
	if (p->n > 1) { /* 4:0 to 4:5: kinds of underline */
		if (code != 4 || p->n != 2 || p->v[1] < 0 || p->v[1] > 5)
			return 0;
		return apply_attr(p->v[1] ? 4 : 24, s) ? 1 : 0;
	}
	if (code == 0) {
		*s = (struct style){ 0 };
		return 1;
	}
	return code == 59 || apply_attr(code, s) || apply_plain_colour(code, s) ? 1 : 0;
}

/* Splits "1;38:5:7" into parameters; 0 when there are too many, or a value is too large. */
static size_t split(const char *p, size_t n, struct parameter *out)
{
	size_t count = 1;

	out[0] = (struct parameter){ .v = { -1 }, .n = 1 };
	for (size_t i = 0; i < n; i++) {
		struct parameter *last = &out[count - 1];
		int *v = &last->v[last->n - 1];

		if (p[i] == ';') {
			if (count == PARAMETERS)
				return 0;
			out[count++] = (struct parameter){ .v = { -1 }, .n = 1 };
		} else if (p[i] == ':') {
			if (last->n == ARRAY_LEN(last->v))
				return 0;
			last->v[last->n++] = -1;
		} else {
			*v = MAX(*v, 0) * 10 + (p[i] - '0');
			if (*v > 9999)
				return 0;
		}
	}
	return count;
}

static size_t parameter_bytes(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && ((p[i] >= '0' && p[i] <= '9') || p[i] == ';' || p[i] == ':'))
		i++;
	return i;
}

size_t sgr_length(const char *p, size_t n)
{
	size_t bytes;

	n = MIN(n, SGR_MAX);
	if (n < 3 || p[0] != '\033' || p[1] != '[')
		return 0;
	bytes = parameter_bytes(p + 2, n - 2);
	return bytes + 2 < n && p[bytes + 2] == 'm' ? bytes + 3 : 0;
}

size_t sgr_parse(const char *p, size_t n, struct style *s)
{
	struct parameter parameters[PARAMETERS];
	struct style result = *s;
	size_t length = sgr_length(p, n), count = length ? split(p + 2, length - 3, parameters) : 0;

	if (!count)
		return 0;
	for (size_t i = 0, used; i < count; i += used) {
		used = apply(parameters + i, count - i, &result);
		if (!used)
			return 0;
	}
	*s = result;
	return length;
}

bool sgr_is_partial(const char *p, size_t n)
{
	if (n >= SGR_MAX || n == 0 || p[0] != '\033')
		return false;
	return n == 1 || (p[1] == '[' && parameter_bytes(p + 2, n - 2) == n - 2);
}

/* ---- readable ---------------------------------------------------------------------------------- */

/* xterm's palette; terminals differ in the first 16, near enough for telling dark from light. */
static void rgb_of(struct colour c, int out[3])
{
	static const uint8_t base[16][3] = {
		{ 0, 0, 0 },       { 205, 0, 0 },   { 0, 205, 0 },   { 205, 205, 0 },
		{ 0, 0, 238 },     { 205, 0, 205 }, { 0, 205, 205 }, { 229, 229, 229 },
		{ 127, 127, 127 }, { 255, 0, 0 },   { 0, 255, 0 },   { 255, 255, 0 },
		{ 92, 92, 255 },   { 255, 0, 255 }, { 0, 255, 255 }, { 255, 255, 255 },
	};
	static const uint8_t cube[6] = { 0, 95, 135, 175, 215, 255 };
	int i = c.r;

	if (c.kind == COLOUR_RGB) {
		out[0] = c.r, out[1] = c.g, out[2] = c.b;
	} else if (i < 16) {
		out[0] = base[i][0], out[1] = base[i][1], out[2] = base[i][2];
	} else if (i < 232) {
		i -= 16;
		out[0] = cube[i / 36], out[1] = cube[i / 6 % 6], out[2] = cube[i % 6];
	} else {
		out[0] = out[1] = out[2] = 8 + (i - 232) * 10;
	}
}

#define ALIKE 40  /* colours whose channels differ by less cannot be told apart */
#define DARK 50   /* all channels at most: black on a black terminal */
#define LIGHT 215 /* all channels at least: white on a white one */

struct style sgr_readable(struct style s)
{
	int fg[3], bg[3];

	rgb_of(s.fg, fg);
	rgb_of(s.bg, bg);
	if (s.fg.kind && s.bg.kind && abs(fg[0] - bg[0]) < ALIKE && abs(fg[1] - bg[1]) < ALIKE &&
	    abs(fg[2] - bg[2]) < ALIKE)
		s.bg = (struct colour){ 0 };
	if (s.fg.kind && !s.bg.kind &&
	    ((fg[0] <= DARK && fg[1] <= DARK && fg[2] <= DARK) || (fg[0] >= LIGHT && fg[1] >= LIGHT && fg[2] >= LIGHT)))
		s.fg = (struct colour){ 0 };
	if (!s.fg.kind && s.bg.kind)
		s.fg = (struct colour){ .kind = COLOUR_INDEX,
			                .r = 299 * bg[0] + 587 * bg[1] + 114 * bg[2] < 128 * 1000 ? 15 : 0 };
	return s;
}

static bool colour_equal(struct colour a, struct colour b)
{
	return a.kind == b.kind && a.r == b.r && a.g == b.g && a.b == b.b;
}

bool style_equal(const struct style *a, const struct style *b)
{
	return a->attrs == b->attrs && colour_equal(a->fg, b->fg) && colour_equal(a->bg, b->bg);
}
