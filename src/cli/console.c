/*
 * What goes to stdout and stderr for people: escaped, coloured where that is wanted, and with an eye
 * on the width of a terminal.
 */
#include "cmd.h"
#include "text/ansi.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>


/* By descriptor: 0 not asked yet, 1 no, 2 yes. Asked for each cell of a table. */
static int known[3];

void console_is_paged(void)
{
	known[STDOUT_FILENO] = known[STDERR_FILENO] = 2;
}

bool console_is_tty(FILE *f)
{
	int fd = f ? fileno(f) : -1;

	if (fd != STDOUT_FILENO && fd != STDERR_FILENO)
		return fd >= 0 && isatty(fd);
	if (known[fd] == 0)
		known[fd] = isatty(fd) ? 2 : 1;
	return known[fd] == 2;
}

size_t console_width(FILE *f)
{
	const char *columns = getenv("COLUMNS"), *term = getenv("TERM");
	struct winsize ws;

	/* what is read aloud has no width, and a cut would be lost */
	if (!console_is_tty(f) || (term && strcmp(term, "dumb") == 0))
		return 0;
	if (columns && atoi(columns) > 0)
		return (size_t)atoi(columns);
	if (ioctl(fileno(f), TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
	return 80;
}

/* Whether f is a terminal that shows ASCII only, as far as the locale tells. Nothing else asks for the
 * locale, and loading one takes longer than most commands' own work before the first line. */
static bool wants_ascii(FILE *f)
{
	static bool loaded;

	if (!console_is_tty(f))
		return false;
	if (!loaded)
		setlocale(LC_CTYPE, "");
	loaded = true;
	return strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
}

/* Characters beyond ASCII as <U+00EB>, in text that is escaped already. */
static void to_ascii(struct buf *b)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < b->len;) {
		uint32_t cp = '?';
		size_t n = utf8_decode(b->data + i, b->len - i, &cp);

		if (n == 1)
			buf_addc(&out, b->data[i]);
		else
			buf_addf(&out, "<U+%04X>", cp);
		i += n ? n : 1;
	}
	buf_free(b);
	*b = out;
}

static char *finish_text(FILE *f, struct buf *b)
{
	if (wants_ascii(f))
		to_ascii(b);
	return buf_take(b);
}

char *console_text(FILE *f, const void *p, size_t n)
{
	struct buf b = { 0 };

	escape_text(&b, p, n, ESCAPE_ALL);
	return finish_text(f, &b);
}

char *console_str(FILE *f, const char *s)
{
	return console_text(f, s, strlen(s));
}

char *console_name(FILE *f, const char *name)
{
	struct buf b = { 0 };

	escape_name(&b, name, strlen(name));
	return finish_text(f, &b);
}

void console_output(FILE *f, struct buf *out, const void *p, size_t n)
{
	const char *s = p, *end = s + n;
	struct buf b = { 0 };

	while (s < end) {
		const char *stop = s;

		while (stop < end && *stop != '\033' && *stop != '\r')
			stop++;
		escape_text(&b, s, (size_t)(stop - s), ESCAPE_NEWLINE | ESCAPE_TAB);
		s = stop;
		if (s == end)
			break;
		size_t skip = sgr_length(s, (size_t)(end - s));
		if (skip == 0 && *s == '\r' && s + 1 < end && s[1] == '\n')
			skip = 1;
		if (skip == 0)
			escape_text(&b, s, 1, ESCAPE_ALL);
		s += skip ? skip : 1;
	}
	if (wants_ascii(f))
		to_ascii(&b);
	buf_add(out, b.data, b.len);
	buf_free(&b);
}

void console_lines(FILE *f, const void *p, size_t n, const char *indent)
{
	const char *s = p, *end = s + n;

	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		struct buf line = { 0 };

		console_output(f, &line, s, (size_t)((stop ? stop : end) - s));
		fprintf(f, "%s", indent);
		fwrite(line.data ? line.data : "", 1, line.len, f);
		putc('\n', f);
		buf_free(&line);
		s = stop ? stop + 1 : end;
	}
}

/* ---- colours ------------------------------------------------------------------------------------- */

static const char *const tone_codes[] = {
	[TONE_PLAIN] = NULL, [TONE_GOOD] = "32", [TONE_BAD] = "31", [TONE_BUSY] = "33", [TONE_BOLD] = "1",
};

static bool takes_colours(FILE *f)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return console_is_tty(f) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

char *console_tinted(FILE *f, enum tone tone, const char *text)
{
	if (!tone_codes[tone] || !*text || !takes_colours(f))
		return xstrdup(text);
	return xasprintf("\033[%sm%s\033[0m", tone_codes[tone], text);
}

/* ---- messages -------------------------------------------------------------------------------------- */

/* FRONT, what is in b as one line of text; empties b. */
static void message(const char *front, const char *name, struct buf *b)
{
	char *text = console_text(stderr, b->data ? b->data : "", b->len);

	fflush(stdout);
	fprintf(stderr, "%s%s%s%s\n", front, name ? name : "", *front ? ": " : "", text);
	free(text);
	buf_free(b);
}

void console_say(const struct cmd *c, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	message(c ? "tickmark " : "tickmark", c ? c->entry->name : NULL, &b);
}

void console_note(const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	message("", NULL, &b);
}

bool console_ask(const char *question, bool otherwise)
{
	char answer[16];

	fprintf(stderr, "%s [%s] ", question, otherwise ? "Y/n" : "y/N");
	fflush(stderr);
	if (!fgets(answer, sizeof answer, stdin))
		return false;
	if (*answer == '\n')
		return otherwise;
	return *answer == 'y' || *answer == 'Y';
}

bool console_finish(const struct cmd *c)
{
	int fault = 0;

	if (fflush(stdout) != 0)
		fault = errno;
	else if (!ferror(stdout))
		return true;
	clearerr(stdout);
	if (fault == EPIPE)
		return true;
	console_say(c, "cannot write to stdout%s%s", fault ? ": " : "", fault ? strerror(fault) : "");
	return false;
}
