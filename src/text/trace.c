/*
 * The last exception in what Python wrote to stderr.
 *
 * One pass over the lines with three states. Outside, only a header ("Traceback (most recent call
 * last):", or glued to an unfinished line of a progress bar) or a frame ("  File "x", line 3") leads
 * further: a frame without header is how the SyntaxError of the script itself begins, or what is
 * left where the tail cut the header off. Inside, indented lines are frames and source; the first
 * that is not must be "Type" or "Type: message", and is the exception. Lines of exception groups have
 * a margin of "| " that is taken off first, and rules ("+---- 1 ----") that begin each leaf.
 */
#include "text.h"

#include <string.h>

enum state {
	OUTSIDE,
	INSIDE,      /* behind a header or the rule of a leaf */
	UNANNOUNCED, /* behind a frame that had no header: the type must look like an exception's */
};

struct parser {
	struct trace best;  /* the last exception that counts */
	struct trace weak;  /* the last that Python ignored, or of another thread */
	struct trace now;   /* file and line of the traceback we are in */
	enum state state;
	bool in_group;      /* lines have a margin */
	bool is_weak;       /* the traceback we are in was announced as one that does not count */
	bool weak_next;     /* the line before did so */
};

static bool has_prefix(struct span s, const char *prefix)
{
	return s.n >= strlen(prefix) && memcmp(s.p, prefix, strlen(prefix)) == 0;
}

static bool has_suffix(struct span s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

static struct span from(struct span s, size_t at)
{
	return (struct span){ s.p + at, s.n - at };
}

/* Where `what` begins in s; SIZE_MAX where it does not occur. */
static size_t find(struct span s, const char *what)
{
	const char *at = s.n ? memmem(s.p, s.n, what, strlen(what)) : NULL;

	return at ? (size_t)(at - s.p) : SIZE_MAX;
}

/* Digits at the start of s: how many (at most 18), and their value. */
static size_t read_number(struct span s, int64_t *out)
{
	size_t n = 0;

	*out = 0;
	while (n < s.n && n < 18 && s.p[n] >= '0' && s.p[n] <= '9')
		*out = *out * 10 + (s.p[n++] - '0');
	return n;
}

/* ---- the kinds of lines ---- */

/* `  File "x", line 3, in f`, or with nothing behind the number (SyntaxError). Quotes in the name are
 * not escaped, so the last `", line ` counts. */
static bool parse_frame(struct span line, struct trace *t)
{
	static const char start[] = "  File \"", middle[] = "\", line ";
	size_t end = SIZE_MAX, at = strlen(start);
	int64_t number;

	if (!has_prefix(line, start))
		return false;
	for (size_t next; (next = find(from(line, at), middle)) != SIZE_MAX; at = end + 1)
		end = at + next;
	if (end == SIZE_MAX)
		return false;
	struct span rest = from(line, end + strlen(middle));
	size_t digits = read_number(rest, &number);
	rest = from(rest, digits);
	if (digits == 0 || (rest.n > 0 && !has_prefix(rest, ", in ")))
		return false;
	t->file = (struct span){ line.p + strlen(start), end - strlen(start) };
	t->line = number;
	return true;
}

static bool is_name_byte(char c, bool first)
{
	return (unsigned char)c >= 0x80 || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (!first && c >= '0' && c <= '9');
}

/* Length of "a.b.C" or "f.<locals>.C" at the start of s, 0 where there is none. */
static size_t type_length(struct span s)
{
	size_t n = 0;

	for (;;) {
		size_t start = n;
		if (start > 0 && has_prefix(from(s, n), "<locals>"))
			n += strlen("<locals>");
		while (n < s.n && is_name_byte(s.p[n], n == start))
			n++;
		if (n == start)
			return 0;
		if (n == s.n || s.p[n] != '.')
			return n;
		n++;
	}
}

static bool looks_like_exception(struct span type)
{
	static const char *const endings[] = { "Error", "Exception", "Interrupt", "Exit", "Warning" };

	for (size_t i = 0; i < ARRAY_LEN(endings); i++)
		if (has_suffix(type, endings[i]))
			return true;
	return false;
}

/* "Type", "Type:" or "Type: message". */
static bool parse_exception(struct span line, struct trace *t)
{
	size_t n = type_length(line);

	if (n == 0 || (n < line.n && line.p[n] != ':') || (n + 1 < line.n && line.p[n + 1] != ' '))
		return false;
	t->type = (struct span){ line.p, n };
	size_t skip = MIN(n + 2, line.n);
	t->message = from(line, skip);
	return true;
}

/* ---- what is in a message ---- */

static struct span between(struct span s, char quote)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == quote)
			return (struct span){ s.p, i };
	}
	return (struct span){ 0 };
}

/* The first 'text', "text" or b'text' in s that stands at its start or behind a blank. */
static struct span quoted(struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		size_t at = i + (s.p[i] == 'b');
		bool opens = (i == 0 || s.p[i - 1] == ' ') && at < s.n;
		if (opens && (s.p[at] == '\'' || s.p[at] == '"'))
			return between(from(s, at + 1), s.p[at]);
	}
	return (struct span){ 0 };
}

/* "[Errno 28]", "<urlopen error [Errno -3] …>"; gives what stands behind it. */
static struct span parse_errno(struct span message, int *error)
{
	static const char start[] = "[Errno ";
	size_t at = find(message, start);
	int64_t number;

	if (at == SIZE_MAX)
		return (struct span){ 0 };
	struct span rest = from(message, at + strlen(start));
	bool negative = has_prefix(rest, "-");
	if (negative)
		rest = from(rest, 1);
	size_t digits = read_number(rest, &number);
	if (digits == 0 || number > 99999 || !has_prefix(from(rest, digits), "]"))
		return (struct span){ 0 };
	*error = negative ? -(int)number : (int)number;
	return from(rest, digits + 1);
}

static void parse_message(struct trace *t)
{
	struct span behind = parse_errno(t->message, &t->error);

	if (t->error != 0) {
		size_t colon = find(behind, ": ");
		t->path = colon == SIZE_MAX ? (struct span){ 0 } : quoted(from(behind, colon));
	} else if (trace_is(t, "FileNotFoundError")) {
		t->path = quoted(t->message);
	}
	if (has_prefix(t->message, "No module named "))
		t->module = quoted(t->message);
}

/* ---- the machine ---- */

static const char header[] = "Traceback (most recent call last):";
static const char group_header[] = "+ Exception Group Traceback (most recent call last):";

/* Takes the margin off a line of a group: blanks, a sign, a blank. False where it has none. */
static bool strip_margin(struct span *line)
{
	size_t n = 0;

	while (n < line->n && line->p[n] == ' ')
		n++;
	if (n == line->n || line->p[n] != '|')
		return false;
	n += n + 1 < line->n ? 2 : 1;
	*line = from(*line, n);
	return true;
}

/* "  +-+---------------- 1 ----------------" and the last one, without a number. */
static bool is_rule(struct span line, bool *numbered)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == ' ')
		n++;
	line = from(line, n);
	*numbered = find(line, " ") != SIZE_MAX;
	return has_prefix(line, "+-");
}

static void enter(struct parser *ps, enum state state, bool in_group)
{
	ps->now = (struct trace){ 0 };
	ps->state = state;
	ps->in_group = in_group;
	ps->is_weak = ps->weak_next;
}

static bool is_weak_announcement(struct span line)
{
	return has_prefix(line, "Exception ignored ") || has_prefix(line, "Exception in thread ");
}

static void leave(struct parser *ps, struct span line, size_t rest)
{
	struct trace t = ps->now;
	bool good = parse_exception(line, &t) && (ps->state == INSIDE || looks_like_exception(t.type));

	ps->state = OUTSIDE;
	if (!good)
		return;
	t.found = true;
	t.rest = rest;
	parse_message(&t);
	if (ps->is_weak)
		ps->weak = t;
	else
		ps->best = t;
}

static void take_line(struct parser *ps, struct span line, size_t rest)
{
	bool numbered;

	if (has_suffix(line, "\r"))
		line.n--;
	/* Lines of a message have no margin, so only a header without one ends the group. */
	bool margin = ps->in_group && strip_margin(&line);
	if (ps->in_group && !margin && is_rule(line, &numbered)) {
		enter(ps, numbered ? INSIDE : OUTSIDE, true);
	} else if (has_suffix(line, group_header)) {
		enter(ps, INSIDE, true);
	} else if (has_suffix(line, header)) {
		enter(ps, INSIDE, margin);
	} else if (parse_frame(line, &ps->now)) {
		if (ps->state == OUTSIDE)
			ps->state = UNANNOUNCED;
	} else if (ps->state != OUTSIDE && !has_prefix(line, " ")) {
		leave(ps, line, rest);
	}
	ps->weak_next = is_weak_announcement(line);
}

void trace_parse(const void *p, size_t n, struct trace *out)
{
	struct parser ps = { 0 };
	struct span rest = { p, n };

	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		struct span line = { rest.p, end ? (size_t)(end - rest.p) : rest.n };
		rest = from(rest, line.n + (end ? 1 : 0));
		take_line(&ps, line, rest.n);
	}
	*out = ps.best.found ? ps.best : ps.weak;
}

bool trace_is(const struct trace *t, const char *type)
{
	size_t n = strlen(type);

	return has_suffix(t->type, type) && (t->type.n == n || t->type.p[t->type.n - n - 1] == '.');
}
