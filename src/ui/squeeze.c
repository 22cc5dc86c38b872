/* One pass over the bytes of a draw, sequence by sequence. */
#include "squeeze.h"

#include <stdlib.h>
#include <string.h>

/* Finals of control sequences whose effect does not depend on the margins: absolute moves, moves and changes
 * within a row, attributes. */
#define WITHIN_ROW "HfdG`CDmKXb@P"

void squeeze_forget(struct squeeze *s, int rows)
{
	*s = (struct squeeze){ .rows = rows, .asked = { 1, rows } };
}

static bool is_whole(const struct squeeze *s, struct margins m)
{
	return m.top == 1 && m.bottom == s->rows;
}

static bool is_same(struct margins a, struct margins b)
{
	return a.top == b.top && a.bottom == b.bottom;
}

void squeeze_release(struct squeeze *s, struct buf *out)
{
	if (is_whole(s, s->real))
		return;
	buf_adds(out, SQUEEZE_UNDO);
	s->real = (struct margins){ 1, s->rows };
}

/* Bytes of the sequence that begins at p; 0: it does not end before n. */
static size_t sequence(const char *p, size_t n)
{
	size_t i = 2;

	if (n < 2)
		return 0;
	if (p[1] != '[') {
		for (i = 1; i < n && p[i] >= 0x20 && p[i] <= 0x2f; i++)
			;
		return i < n ? i + 1 : 0;
	}
	while (i < n && p[i] >= 0x20 && p[i] <= 0x3f)
		i++;
	return i < n ? i + 1 : 0;
}

static bool read_margins(const char *p, size_t n, struct margins *out)
{
	char *end;

	if (n < 6 || p[1] != '[' || p[n - 1] != 'r' || p[2] < '0' || p[2] > '9')
		return false;
	out->top = (int)strtol(p + 2, &end, 10);
	if (*end != ';')
		return false;
	out->bottom = (int)strtol(end + 1, &end, 10);
	return end == p + n - 1;
}

/* Margins as curses wants them; its cursor is nowhere for it then, or saved around this (`kept`). Returns whether
 * the terminal must be told. */
static bool set_margins(struct squeeze *s, struct margins m)
{
	s->asked = m;
	if (is_same(m, s->real) || (is_whole(s, m) && s->real.top))
		return false;
	s->real = m;
	return true;
}

static void add_attributes(struct squeeze *s, const char *p, size_t n, struct buf *out)
{
	bool off = n == 3 || (n == 4 && p[2] == '0');

	if (s->plain && n > 5 && strncmp(p + 2, "0;", 2) == 0) {
		buf_adds(out, "\x1b[");
		buf_add(out, p + 4, n - 4);
	} else if (!(s->plain && off)) {
		buf_add(out, p, n);
	}
	s->plain = off;
}

/* Whether margins that curses does not know of leave the effect of the sequence as it is. */
static bool is_safe(const char *p, size_t n)
{
	if (p[1] != '[')
		return p[1] == '(';
	if (p[2] == '?')
		return strncmp(p, "\x1b[?25", 5) == 0; /* the cursor, shown or hidden */
	return p[n - 1] && strchr(WITHIN_ROW, p[n - 1]);
}

/* Curses saves the cursor around the margins where it stands in their last row: all of that is one. */
static size_t saved_margins(const char *p, size_t n, struct margins *m)
{
	size_t got = n > 4 && memcmp(p, "\x1b" "7\x1b", 3) == 0 ? sequence(p + 2, n - 2) : 0;

	if (got == 0 || !read_margins(p + 2, got, m) || got + 4 > n || memcmp(p + 2 + got, "\x1b" "8", 2) != 0)
		return 0;
	return got + 4;
}

/* The sequence at p; returns its bytes. */
static size_t add_sequence(struct squeeze *s, const char *p, size_t n, struct buf *out)
{
	struct margins m;
	size_t len = saved_margins(p, n, &m);
	bool margins = len > 0;

	if (!margins) {
		len = sequence(p, n);
		margins = len > 0 && read_margins(p, len, &m);
	}
	if (margins) {
		if (set_margins(s, m))
			buf_add(out, p, len);
		return len;
	}
	bool hidden = !is_same(s->asked, s->real);
	if (len == 0) { /* cut off: whatever it is */
		squeeze_release(s, out);
		buf_add(out, p, n);
		s->plain = s->ascii = false;
		return n;
	}
	if (hidden && !is_safe(p, len))
		squeeze_release(s, out);
	if (p[1] == '(') {
		if (!(s->ascii && p[2] == 'B'))
			buf_add(out, p, len);
		s->ascii = p[2] == 'B';
	} else if (p[1] == '[' && p[len - 1] == 'm' && p[2] != '?' && p[2] != '>') {
		add_attributes(s, p, len, out);
	} else {
		buf_add(out, p, len);
	}
	return len;
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 && !strchr("\r\t\b", c);
}

void squeeze_add(struct squeeze *s, const char *p, size_t n, struct buf *out)
{
	size_t i = 0;

	if (!s->real.top)
		squeeze_release(s, out);
	while (i < n) {
		size_t from = i;

		if (p[i] == '\x1b') {
			i += add_sequence(s, p + i, n - i, out);
			continue;
		}
		while (i < n && !is_control(p[i]))
			i++;
		buf_add(out, p + from, i - from);
		if (i == n || p[i] == '\x1b')
			continue;
		if (!is_same(s->asked, s->real))
			squeeze_release(s, out);
		buf_addc(out, p[i++]);
	}
}
