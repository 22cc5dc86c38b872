/*
 * Title and purpose of a Python script from the comments before its first statement.
 */
#include "text.h"

#include <string.h>
#include <strings.h>

#define HEAD_BYTES ((size_t)16 << 10) /* looked at; what stands further down is no head */

/* Comments for machines; the text behind "# " begins so, in any case of letters. */
static const char *const machine_lines[] = {
	"-*-",    "vim:", "vi:",    "emacs:", "kate:", "type: ignore", "mypy:", "pyright:",  "pylint:",
	"noqa",   "ruff:", "flake8:", "fmt:", "isort:", "yapf:",       "nosec", "jupytext:", "in[",
	"spdx-",  "copyright", "(c) ", "©",
};

enum comment {
	COMMENT_NONE,    /* the line is no comment */
	COMMENT_EMPTY,   /* "#", or a rule of signs: ends a purpose */
	COMMENT_MACHINE, /* passed over */
	COMMENT_TEXT,
};

static struct span take_line(struct span *rest)
{
	const char *end = memchr(rest->p, '\n', rest->n);
	struct span line = { rest->p, end ? (size_t)(end - rest->p) : rest->n };
	size_t used = line.n + (end ? 1 : 0);

	rest->p += used;
	rest->n -= used;
	return line;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static struct span trim(struct span s)
{
	while (s.n > 0 && is_blank(s.p[0]))
		s.p++, s.n--;
	while (s.n > 0 && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

static bool starts_with(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && strncasecmp(s.p, prefix, n) == 0;
}

static bool skip_prefix(struct span *s, const char *prefix)
{
	if (!starts_with(*s, prefix))
		return false;
	s->p += strlen(prefix);
	s->n -= strlen(prefix);
	return true;
}

/* A letter or digit, or part of one beyond ASCII. */
static bool is_word_byte(char c)
{
	return (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

static bool has_words(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (is_word_byte(s.p[i]))
			return true;
	return false;
}

/* Frames that people draw: "==== Title ====", "## Title ##", "%% Title" of a notebook cell. */
static struct span strip_frame(struct span s)
{
	static const char frame[] = "=-#*~%";

	s = trim(s);
	while (s.n > 1 && strchr(frame, s.p[0]) && s.p[0] && (s.p[0] == '#' || s.p[0] == s.p[1]))
		for (char c = s.p[0]; s.n > 0 && s.p[0] == c;)
			s.p++, s.n--;
	while (s.n > 1 && strchr(frame, s.p[s.n - 1]) && s.p[s.n - 1] && s.p[s.n - 1] == s.p[s.n - 2])
		for (char c = s.p[s.n - 1]; s.n > 0 && s.p[s.n - 1] == c;)
			s.n--;
	return trim(s);
}

/* PEP 263: `coding[:=]\s*([-\w.]+)` anywhere in a comment of the first two lines. */
static bool is_coding_line(struct span s, int number)
{
	for (; number <= 2 && s.n >= 8; s.p++, s.n--) {
		if (memcmp(s.p, "coding", 6) != 0 || (s.p[6] != ':' && s.p[6] != '='))
			continue;
		struct span name = trim((struct span){ s.p + 7, s.n - 7 });
		return name.n > 0 && (is_word_byte(name.p[0]) || strchr("-_.", name.p[0]));
	}
	return false;
}

static enum comment classify(struct span *text, int number)
{
	if (number == 1 && starts_with(*text, "#!"))
		return COMMENT_MACHINE;
	if (!skip_prefix(text, "#"))
		return COMMENT_NONE;
	if (is_coding_line(*text, number))
		return COMMENT_MACHINE;
	*text = strip_frame(*text);
	for (size_t i = 0; i < ARRAY_LEN(machine_lines); i++)
		if (starts_with(*text, machine_lines[i]))
			return COMMENT_MACHINE;
	return has_words(*text) ? COMMENT_TEXT : COMMENT_EMPTY;
}

/* ---- what is kept of a line ---- */

struct line {
	char *text;  /* NUL-terminated */
	size_t used; /* bytes in it */
	size_t room; /* bytes it may have, those of a final "…" apart */
	bool gap;    /* a blank is due before what comes next */
	bool full;   /* ends in "…" */
};

static void add_piece(struct line *l, const char *p, size_t n)
{
	if (l->full)
		return;
	l->full = l->used + l->gap + n > l->room;
	if (l->full) {
		memcpy(l->text + l->used, "…", sizeof("…"));
		return;
	}
	if (l->gap)
		l->text[l->used++] = ' ';
	l->gap = false;
	memcpy(l->text + l->used, p, n);
	l->used += n;
	l->text[l->used] = '\0';
}

/* Adds `s` to the line in `out`: blanks drawn together, hidden characters left out, controls and bad
 * bytes replaced. */
static void add_clean(char *out, size_t size, struct span s)
{
	struct line l = { .text = out, .used = strlen(out), .room = size - sizeof("…") };
	size_t len;

	l.gap = l.used > 0;
	l.full = l.used + 3 > l.room; /* so it may not be told from one that is */
	for (s = trim(s); s.n > 0; s.p += len, s.n -= len) {
		uint32_t cp = 0;
		len = utf8_decode(s.p, s.n, &cp);
		if (is_blank(s.p[0]) || utf8_is_odd_space(cp))
			l.gap = l.used > 0;
		else if (len == 0 || utf8_is_control(cp))
			add_piece(&l, "\xEF\xBF\xBD", 3); /* U+FFFD */
		else if (!utf8_is_hidden(cp))
			add_piece(&l, s.p, len);
		len = MAX(len, (size_t)1);
	}
}

/* ---- comments ---- */

struct reader {
	struct span rest;  /* lines not yet read */
	int number;        /* of the line last read */
	bool in_metadata;  /* between "# /// script" and "# ///" (PEP 723) */
	bool in_purpose;   /* the purpose may go on */
	bool seen_text;    /* a title would have had its chance */
	struct head *out;
};

/* "Author: …" begins something else than more of the purpose; "http://x" does not. */
static bool is_label(struct span s)
{
	size_t n = 0;

	while (n < s.n && n < 16 && is_word_byte(s.p[n]))
		n++;
	return n > 0 && n < s.n && s.p[n] == ':' && (n + 1 == s.n || is_blank(s.p[n + 1]));
}

static void take_text(struct reader *r, struct span text)
{
	struct head *h = r->out;

	if (h->purpose[0] == '\0' && skip_prefix(&text, "purpose:")) {
		add_clean(h->purpose, sizeof(h->purpose), text);
		r->in_purpose = true;
	} else if (r->in_purpose && !is_label(text)) {
		add_clean(h->purpose, sizeof(h->purpose), text);
	} else {
		r->in_purpose = false;
		if (r->seen_text)
			return;
		r->seen_text = true;
		skip_prefix(&text, "title:");
		add_clean(h->title, sizeof(h->title), text);
	}
}

/* False at the first line that is neither comment nor blank; it stays unread. */
static bool take_comment(struct reader *r)
{
	struct span before = r->rest;
	struct span text = trim(take_line(&r->rest));

	r->number++;
	if (text.n == 0) {
		r->in_purpose = false;
		return true;
	}
	enum comment kind = classify(&text, r->number);
	bool fence = kind != COMMENT_NONE && starts_with(text, "///");
	if (kind == COMMENT_NONE) {
		r->rest = before;
		return false;
	}
	if (fence || r->in_metadata)
		r->in_metadata = fence ? !r->in_metadata : true;
	else if (kind == COMMENT_TEXT)
		take_text(r, text);
	else
		r->in_purpose = false;
	return true;
}

/* ---- docstring ---- */

/* The first line with words of a string that stands alone at the start of `s`. */
static void take_docstring(struct span s, struct head *out)
{
	char quote[4] = "";

	s = trim(s);
	if (s.n > 0 && strchr("rRuU", s.p[0]))
		s.p++, s.n--;
	if (s.n == 0 || (s.p[0] != '"' && s.p[0] != '\''))
		return;
	quote[0] = s.p[0];
	if (s.n >= 3 && s.p[1] == s.p[0] && s.p[2] == s.p[0])
		quote[1] = quote[2] = s.p[0];
	skip_prefix(&s, quote);

	while (s.n > 0) {
		struct span line = take_line(&s);
		const char *end = memmem(line.p, line.n, quote, strlen(quote));
		if (end)
			line.n = (size_t)(end - line.p);
		line = strip_frame(line);
		if (has_words(line))
			add_clean(out->title, sizeof(out->title), line);
		if (end || has_words(line))
			return;
	}
}

/* ---- code ---- */

static void take_first_line(struct span rest, struct head *out)
{
	struct span found = { 0 };

	while (rest.n > 0) {
		struct span line = trim(take_line(&rest));
		bool import = starts_with(line, "import ") || starts_with(line, "from ");
		if (line.n == 0 || line.p[0] == '#' || (import && found.n > 0))
			continue;
		found = line;
		if (!import)
			break;
	}
	add_clean(out->first, sizeof(out->first), found);
}

void head_parse(const void *code, size_t n, struct head *out)
{
	struct reader r = { .rest = { code, MIN(n, HEAD_BYTES) }, .out = out };

	*out = (struct head){ 0 };
	if (n == 0)
		return;
	skip_prefix(&r.rest, "\xEF\xBB\xBF");
	while (r.rest.n > 0 && take_comment(&r))
		;
	if (out->title[0] == '\0' && r.rest.n > 0)
		take_docstring(r.rest, out);
	take_first_line(r.rest, out);
}
