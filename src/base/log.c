/*
 * The developer's log. The file is opened for every line: a kept descriptor would be closed by
 * whoever closes all of them (the sandbox does), and its number given to a file of the user's.
 */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whoever reads the log with cat(1) must not be at the mercy of what was logged. */
static void add_harmless(struct buf *b, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if ((c < 0x20 && c != '\t') || c == 0x7F)
			buf_addf(b, "\\x%02x", c);
		else
			buf_addc(b, *s);
	}
}

void log_line(const char *fmt, ...)
{
	const char *path = getenv("TICKMARK_LOG");
	int kept = errno;
	va_list ap;

	if (!path || !*path)
		return;
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0) {
		errno = kept;
		return;
	}

	struct buf text = { 0 }, line = { 0 };
	char now[CLOCK_TEXT];
	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	clock_iso(clock_now_us(), now);
	buf_addf(&line, "%s %d ", now, (int)getpid());
	add_harmless(&line, text.data);
	buf_addc(&line, '\n');
	/* One write, so that lines of several processes do not mix. */
	(void)!write(fd, line.data, line.len);
	close(fd);
	buf_free(&text);
	buf_free(&line);
	errno = kept;
}
