/* A package list as requirements.txt. */
#include "requirements.h"

#include <ctype.h>
#include <string.h>

static bool is_of(const char *p, size_t n, const char *also)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)p[i]) && !(i > 0 && strchr(also, p[i])))
			return false;
	return n > 0;
}

/* A line of the record, "name version". */
static void add_package(struct buf *out, const char *line, size_t n)
{
	const char *blank = memchr(line, ' ', n);
	size_t name = blank ? (size_t)(blank - line) : n;

	if (blank && is_of(line, name, "._-") && is_of(blank + 1, n - name - 1, "._-+!")) {
		buf_addf(out, "%.*s==%.*s\n", (int)name, line, (int)(n - name - 1), blank + 1);
		return;
	}
	buf_adds(out, "# cannot be asked for by pip: ");
	escape_text(out, line, n, ESCAPE_ALL);
	buf_addc(out, '\n');
}

bool requirements_write(const struct detail *d, bytes_fn fn, void *ctx, struct err *e)
{
	const char *const facts[] = { d->ref, ": ", d->env.implementation, " ", d->env.version, " on ", d->env.platform };
	struct buf b = { 0 };

	buf_adds(&b, "# packages of ");
	for (size_t i = 0; i < ARRAY_LEN(facts); i++)
		escape_text(&b, facts[i], strlen(facts[i]), ESCAPE_ALL);
	buf_addc(&b, '\n');
	for (const char *p = d->env.packages; *p;) {
		const char *end = strchrnul(p, '\n');
		add_package(&b, p, (size_t)(end - p));
		p = *end ? end + 1 : end;
	}
	bool ok = fn(ctx, b.data, b.len, e);
	buf_free(&b);
	return ok;
}
