/*
 * Decoding of terminal input. Sequences are those of ECMA-48 with the finals that xterm, rxvt, the
 * Linux console and tmux use; the terminal's description is not asked, since all that ncurses knows
 * send one of these. An unknown sequence is swallowed whole: its letters are never keys.
 */
#include "keydec.h"

#include <stdlib.h>
#include <string.h>

#define SEQUENCE_MS 500 /* an introduced sequence that does not go on for so long is junk */
#define LATE_MS 1000    /* so long after a bare Esc the rest of a sequence may still arrive */
#define STRING_MAX 4096 /* longest answer of a terminal (OSC, DCS) that is swallowed */

struct keydec {
	int esc_delay_ms;
	struct buf in;        /* bytes not decoded yet */
	size_t at;            /* of the first of them */
	int64_t fed_ms;       /* when the last byte came */
	int64_t esc_ms;       /* when Esc was decided by its age; 0 */
	bool chunk_start;     /* `at` is where the last feed began */
	bool pasting;
	bool stalled;         /* nothing more of the paste came for long, and what came was given out */
	bool broken_off;      /* and then a Ctrl-C alone */
	bool given;           /* `paste` was given out */
	bool paste_cut;
	struct buf paste;
};

struct keydec *keydec_new(int esc_delay_ms)
{
	struct keydec *d = xcalloc(1, sizeof(*d));

	d->esc_delay_ms = esc_delay_ms;
	return d;
}

void keydec_free(struct keydec *d)
{
	if (!d)
		return;
	buf_free(&d->in);
	buf_free(&d->paste);
	free(d);
}

void keydec_feed(struct keydec *d, const void *p, size_t n, int64_t now_ms)
{
	if (d->at == d->in.len) {
		buf_clear(&d->in);
		d->at = 0;
		d->chunk_start = true;
	}
	buf_add(&d->in, p, n);
	d->fed_ms = now_ms;
	d->broken_off = d->stalled && n == 1 && *(const char *)p == '\x03';
	d->stalled = false;
}

/* ---- tables ------------------------------------------------------------------------------------ */

struct final_key {
	char final;
	uint32_t key;
};

static const struct final_key csi_finals[] = {
	{ 'A', K_UP },   { 'B', K_DOWN },   { 'C', K_RIGHT },  { 'D', K_LEFT },   { 'H', K_HOME },
	{ 'F', K_END },  { 'P', K_F1 },     { 'Q', K_F1 + 1 }, { 'R', K_F1 + 2 }, { 'S', K_F1 + 3 },
	{ 'Z', K_TAB | K_SHIFT },           { 'a', K_UP | K_SHIFT },              { 'b', K_DOWN | K_SHIFT },
	{ 'c', K_RIGHT | K_SHIFT },         { 'd', K_LEFT | K_SHIFT },
};

static const struct final_key ss3_finals[] = {
	{ 'A', K_UP },   { 'B', K_DOWN },   { 'C', K_RIGHT },  { 'D', K_LEFT },   { 'H', K_HOME },
	{ 'F', K_END },  { 'P', K_F1 },     { 'Q', K_F1 + 1 }, { 'R', K_F1 + 2 }, { 'S', K_F1 + 3 },
	{ 'M', K_ENTER },
};

/* The Linux console's ESC [ [ A */
static const struct final_key console_finals[] = {
	{ 'A', K_F1 }, { 'B', K_F1 + 1 }, { 'C', K_F1 + 2 }, { 'D', K_F1 + 3 }, { 'E', K_F1 + 4 },
};

static const struct {
	int number;
	uint32_t key;
} tilde_keys[] = {
	{ 1, K_HOME },     { 2, K_INS },      { 3, K_DEL },       { 4, K_END },       { 5, K_PGUP },
	{ 6, K_PGDN },     { 7, K_HOME },     { 8, K_END },       { 11, K_F1 },       { 12, K_F1 + 1 },
	{ 13, K_F1 + 2 },  { 14, K_F1 + 3 },  { 15, K_F1 + 4 },   { 17, K_F1 + 5 },   { 18, K_F1 + 6 },
	{ 19, K_F1 + 7 },  { 20, K_F1 + 8 },  { 21, K_F1 + 9 },   { 23, K_F1 + 10 },  { 24, K_F1 + 11 },
};

static uint32_t find_final(const struct final_key *table, size_t n, char final)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].final == final)
			return table[i].key;
	return K_NONE;
}

static uint32_t find_tilde(int number)
{
	for (size_t i = 0; i < ARRAY_LEN(tilde_keys); i++)
		if (tilde_keys[i].number == number)
			return tilde_keys[i].key;
	return K_NONE;
}

/* xterm's modifier parameter is 1 + a sum of bits. */
static uint32_t modifiers(int param)
{
	int bits = param > 0 ? param - 1 : 0;

	return (bits & 1 ? K_SHIFT : 0) | (bits & 2 ? K_ALT : 0) | (bits & 4 ? K_CTRL : 0);
}

/* ---- one sequence -------------------------------------------------------------------------------- */

/* Each scanner returns the bytes it used, 0 when the end has not come yet. */

static size_t emit(struct event *out, uint32_t key, size_t used)
{
	*out = (struct event){ .kind = key == K_NONE ? EVENT_JUNK : EVENT_KEY, .key = key };
	return used;
}

static size_t scan_mouse(const int *p, size_t n, char final, size_t used, struct event *out)
{
	int code = p[0];

	if (n < 3)
		return emit(out, K_NONE, used);
	*out = (struct event){ .kind = EVENT_MOUSE, .button = (code & 3) + 1, .x = p[1] - 1, .y = p[2] - 1 };
	if (code & 64)
		out->action = (code & 1) ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
	else if (code & 32)
		out->action = MOUSE_DRAG;
	else
		out->action = final == 'm' ? MOUSE_RELEASE : MOUSE_PRESS;
	if (out->x < 0 || out->y < 0)
		return emit(out, K_NONE, used);
	return used;
}

/* The numbers of "1;5" into p, at most max. */
static size_t parse_params(const char *s, size_t len, int *p, size_t max)
{
	size_t n = 0;
	int value = 0;

	for (size_t i = 0; i <= len && n < max; i++) {
		if (i < len && s[i] >= '0' && s[i] <= '9') {
			value = MIN(value * 10 + (s[i] - '0'), 99999);
		} else if (i == len || s[i] == ';' || s[i] == ':') {
			p[n++] = value;
			value = 0;
		}
	}
	return n;
}

/* s begins behind "ESC [". */
static size_t scan_csi(struct keydec *d, const char *s, size_t len, struct event *out)
{
	size_t i = 0;
	int p[4] = { 0 };
	size_t n;
	char final;

	if (len > 0 && s[0] == '[')
		return len < 2 ? 0 : emit(out, find_final(console_finals, ARRAY_LEN(console_finals), s[1]), 4);
	if (len > 0 && s[0] == 'M') /* mouse of old: three raw bytes */
		return len < 4 ? 0 : emit(out, K_NONE, 6);
	while (i < len && s[i] >= 0x20 && s[i] <= 0x3F)
		i++;
	if (i == len)
		return len > 64 ? emit(out, K_NONE, 2 + i) : 0;
	final = s[i];
	if (final < 0x40 || final > 0x7E) /* broken off by a control byte, which counts again */
		return emit(out, K_NONE, 2 + i);
	if (s[0] == '<' && (final == 'M' || final == 'm')) {
		n = parse_params(s + 1, i - 1, p, ARRAY_LEN(p));
		return scan_mouse(p, n, final, 3 + i, out);
	}
	n = parse_params(s, i, p, ARRAY_LEN(p));
	if (final == '~' && p[0] == 200 && n == 1) {
		d->pasting = d->given = true;
		return emit(out, K_NONE, 3 + i);
	}
	uint32_t key = final == '~' ? find_tilde(p[0]) : find_final(csi_finals, ARRAY_LEN(csi_finals), final);
	if (i > 0 && (s[0] < '0' || s[0] > '9'))
		key = K_NONE; /* private answers, as ESC [ ? 1 c */
	return emit(out, key == K_NONE ? key : key | modifiers(n > 1 ? p[1] : 0), 3 + i);
}

/* OSC, DCS, SOS, PM, APC: answers of a terminal; swallowed up to BEL or ST. */
static size_t scan_string(const char *s, size_t len, struct event *out)
{
	for (size_t i = 2; i < len; i++) {
		if (s[i] == '\a')
			return emit(out, K_NONE, i + 1);
		if (s[i] == '\x1b' && i + 1 < len)
			return emit(out, K_NONE, s[i + 1] == '\\' ? i + 2 : i);
	}
	return len > STRING_MAX ? emit(out, K_NONE, len) : 0;
}

static size_t scan_utf8(const char *s, size_t len, struct event *out)
{
	static const unsigned char lead_mask[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
	unsigned char c = (unsigned char)s[0];
	size_t need = c < 0x80 ? 1 : c >= 0xF0 && c < 0xF5 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
	uint32_t cp = need ? c & lead_mask[need] : 0;

	if (need == 0 || c >= 0xF5)
		return emit(out, K_NONE, 1);
	for (size_t i = 1; i < need; i++) {
		if (i == len)
			return 0;
		if (((unsigned char)s[i] & 0xC0) != 0x80)
			return emit(out, K_NONE, i);
		cp = cp << 6 | ((unsigned char)s[i] & 0x3F);
	}
	if ((need == 3 && cp < 0x800) || (need == 4 && cp < 0x10000) || cp > 0x10FFFF ||
	    (cp >= 0xD800 && cp < 0xE000) || (cp >= 0x80 && cp < 0xA0))
		return emit(out, K_NONE, need);
	return emit(out, cp, need);
}

static uint32_t control_key(unsigned char c)
{
	switch (c) {
	case 9: case 13: case 27:
		return c;
	case 8: case 127:
		return K_BACKSPACE;
	case 0:
		return K_CTRL | ' ';
	default:
		return K_CTRL | (c <= 26 ? c + 'a' - 1 : c + '@');
	}
}

static size_t scan_escape(struct keydec *d, const char *s, size_t len, struct event *out)
{
	unsigned char c;

	if (len < 2)
		return 0;
	c = (unsigned char)s[1];
	if (c == '[')
		return scan_csi(d, s + 2, len - 2, out);
	if (c == 'O')
		return len < 3 ? 0 : emit(out, find_final(ss3_finals, ARRAY_LEN(ss3_finals), s[2]), 3);
	if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_')
		return scan_string(s, len, out);
	if (c == 0x1B) /* Esc, and something of its own behind it */
		return emit(out, K_ESC, 1);
	if (c < 0x20 || c == 0x7F)
		return emit(out, K_ALT | control_key(c), 2);

	size_t used = scan_utf8(s + 1, len - 1, out);
	if (used > 0 && out->kind == EVENT_KEY)
		out->key |= K_ALT;
	return used ? used + 1 : 0;
}

static size_t scan(struct keydec *d, const char *s, size_t len, struct event *out)
{
	unsigned char c = (unsigned char)s[0];

	if (c == 0x1B)
		return scan_escape(d, s, len, out);
	if (c < 0x20 || c == 0x7F)
		return emit(out, control_key(c), 1);
	return scan_utf8(s, len, out);
}

/* The rest of a sequence whose Esc came alone and was decided already: "[A" in one read soon after. */
static size_t late_tail(struct keydec *d, const char *s, size_t len, int64_t now_ms)
{
	struct event dropped;
	char whole[64] = "\x1b";
	size_t used;

	if (!d->chunk_start || d->esc_ms == 0 || now_ms - d->esc_ms > LATE_MS || len < 2 || len >= sizeof(whole))
		return 0;
	if (s[0] != '[' && s[0] != 'O')
		return 0;
	memcpy(whole + 1, s, len);
	used = scan(d, whole, len + 1, &dropped);
	return used > 1 ? used - 1 : 0;
}

/* ---- paste ------------------------------------------------------------------------------------------ */

static const char paste_end[] = "\x1b[201~";

static void paste_add(struct keydec *d, const char *s, size_t n)
{
	size_t room = d->paste.len < PASTE_MAX ? PASTE_MAX - d->paste.len : 0;

	if (n > room)
		d->paste_cut = true;
	buf_add(&d->paste, s, MIN(n, room));
}

/* Takes what belongs to the paste; true when it has ended. A paste that comes to a stop has not: what follows would be
 * keys, and marks or runs something. */
static bool paste_take(struct keydec *d)
{
	if (d->given) {
		buf_clear(&d->paste);
		d->paste_cut = d->given = false;
	}
	const char *s = d->in.data + d->at;
	size_t len = d->in.len - d->at, mark = sizeof(paste_end) - 1;
	const char *end = len ? memmem(s, len, paste_end, mark) : NULL;

	if (end) {
		paste_add(d, s, (size_t)(end - s));
		d->at += (size_t)(end - s) + mark;
	} else {
		size_t keep = MIN(len, mark - 1);
		/* only a possible begin of the end mark waits */
		while (keep > 0 && memcmp(s + len - keep, paste_end, keep) != 0)
			keep--;
		paste_add(d, s, len - keep);
		d->at += len - keep;
	}
	return end != NULL;
}

/* ---- the decoder --------------------------------------------------------------------------------------- */

static int patience_ms(const struct keydec *d)
{
	const char *s = d->in.data + d->at;
	size_t len = d->in.len - d->at;

	if (d->pasting)
		return 2 * SEQUENCE_MS;
	if (len == 1 && s[0] == '\x1b')
		return d->esc_delay_ms;
	return SEQUENCE_MS;
}

int keydec_wait_ms(const struct keydec *d, int64_t now_ms)
{
	int64_t left;

	if ((d->at == d->in.len && !d->pasting) || d->stalled)
		return -1;
	left = d->fed_ms + patience_ms(d) - now_ms;
	return left < 0 ? 0 : (int)left;
}

/* What came too long ago to become whole. */
static bool give_up(struct keydec *d, struct event *out, int64_t now_ms)
{
	bool lone_esc = d->in.len - d->at == 1 && d->in.data[d->at] == '\x1b';

	if (keydec_wait_ms(d, now_ms) > 0)
		return false;
	d->at = d->in.len;
	emit(out, lone_esc ? K_ESC : K_NONE, 0);
	d->esc_ms = now_ms;
	return true;
}

/* A paste whose end mark was lost would take all keys for good: Ctrl-C by itself ends it. */
static bool paste_next(struct keydec *d, struct event *out, int64_t now_ms)
{
	if (d->broken_off) {
		d->at = d->in.len;
		d->pasting = d->broken_off = false;
		*out = (struct event){ .kind = EVENT_JUNK };
		return true;
	}
	d->pasting = !paste_take(d);
	if (d->pasting) {
		d->stalled = d->stalled || keydec_wait_ms(d, now_ms) == 0;
		if (!d->stalled || d->paste.len == 0)
			return false;
	}
	d->given = true;
	*out = (struct event){ .kind = EVENT_PASTE, .text = d->paste.data ? d->paste.data : "", .len = d->paste.len, .cut = d->paste_cut };
	return true;
}

bool keydec_next(struct keydec *d, struct event *out, int64_t now_ms)
{
	while (d->at < d->in.len || d->pasting) {
		if (d->pasting)
			return paste_next(d, out, now_ms);
		const char *s = d->in.data + d->at;
		size_t len = d->in.len - d->at, used = late_tail(d, s, len, now_ms);
		if (used > 0) {
			d->at += used;
			d->chunk_start = false;
			*out = (struct event){ .kind = EVENT_JUNK };
			return true;
		}
		used = scan(d, s, len, out);
		if (used == 0)
			return give_up(d, out, now_ms);
		d->at += used;
		d->chunk_start = false;
		if (!d->pasting) {
			d->esc_ms = 0;
			return true;
		}
	}
	return false;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t key;
} names[] = {
	{ "Tab", K_TAB },     { "Enter", K_ENTER }, { "Esc", K_ESC },   { "Backspace", K_BACKSPACE },
	{ "Up", K_UP },       { "Down", K_DOWN },   { "Right", K_RIGHT }, { "Left", K_LEFT },
	{ "Home", K_HOME },   { "End", K_END },     { "PgUp", K_PGUP }, { "PgDn", K_PGDN },
	{ "Ins", K_INS },     { "Del", K_DEL },     { "Space", ' ' },
	{ "F1", K_F1 },       { "F2", K_F1 + 1 },   { "F3", K_F1 + 2 }, { "F4", K_F1 + 3 },
	{ "F5", K_F1 + 4 },   { "F6", K_F1 + 5 },   { "F7", K_F1 + 6 }, { "F8", K_F1 + 7 },
	{ "F9", K_F1 + 8 },   { "F10", K_F1 + 9 },  { "F11", K_F1 + 10 }, { "F12", K_F12 },
};

static const struct {
	const char *prefix;
	uint32_t bit;
} prefixes[] = { { "Ctrl-", K_CTRL }, { "Alt-", K_ALT }, { "S-", K_SHIFT } };

size_t key_utf8(uint32_t key, char out[5])
{
	size_t n = key < 0x80 ? 1 : key < 0x800 ? 2 : key < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };

	for (size_t i = n - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (key & 0x3F));
		key >>= 6;
	}
	out[0] = (char)(n == 1 ? key : lead[n] | key);
	out[n] = '\0';
	return n;
}

bool key_is_text(uint32_t key)
{
	return key >= 0x20 && key < K_UP && key != K_BACKSPACE && !(key >= 0x80 && key < 0xA0);
}

void key_label(uint32_t key, char out[KEY_TEXT])
{
	size_t n = 0;
	uint32_t plain = key & ~(uint32_t)(K_CTRL | K_ALT | K_SHIFT);
	char glyph[5];

	out[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (key & prefixes[i].bit)
			n += (size_t)snprintf(out + n, KEY_TEXT - n, "%s", prefixes[i].prefix);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i].key == plain) {
			snprintf(out + n, KEY_TEXT - n, "%s", names[i].name);
			return;
		}
	}
	if (key & K_CTRL && plain >= 'a' && plain <= 'z')
		plain -= 'a' - 'A';
	key_utf8(plain, glyph);
	snprintf(out + n, KEY_TEXT - n, "%s", glyph);
}

uint32_t key_parse(const char *name)
{
	uint32_t bits = 0;
	struct event ev;
	size_t len;

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t n = strlen(prefixes[i].prefix);
		if (strncasecmp(name, prefixes[i].prefix, n) == 0 && name[n]) {
			bits |= prefixes[i].bit;
			name += n;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(name, names[i].name) == 0)
			return names[i].key | bits;
	len = strlen(name);
	if (len == 0 || (unsigned char)name[0] < 0x20 || scan_utf8(name, len, &ev) != len || ev.kind != EVENT_KEY)
		return K_NONE;
	if (bits & K_CTRL && ev.key >= 'A' && ev.key <= 'Z')
		ev.key += 'a' - 'A';
	return ev.key | bits;
}
