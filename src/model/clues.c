/* The last words of a script. */
#include "clues.h"

#include <stdlib.h>
#include <string.h>

static bool hex_digits(const char *p, size_t n, unsigned *out)
{
	*out = 0;
	for (size_t i = 0; i < n; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *d = p[i] ? strchr(digits, p[i]) : NULL;
		if (!d)
			return false;
		*out = *out * 16 + (unsigned)(d - digits);
	}
	return true;
}

/* One escape of a quoted path, from behind the backslash; the bytes it took, 0 when not understood. */
static size_t undo_escape(const char *p, size_t n, struct buf *out)
{
	static const struct {
		char letter, means;
	} simple[] = { { 'n', '\n' }, { 't', '\t' }, { 'r', '\r' }, { '\\', '\\' }, { '\'', '\'' }, { '"', '"' } };
	unsigned v;

	for (size_t k = 0; n > 0 && k < ARRAY_LEN(simple); k++)
		if (p[0] == simple[k].letter) {
			buf_addc(out, simple[k].means);
			return 1;
		}
	if (n >= 3 && p[0] == 'x' && hex_digits(p + 1, 2, &v)) {
		/* A character, not a byte: those from U+0080 on have two. */
		if (v >= 0x80)
			buf_addc(out, (char)(0xC0 | v >> 6));
		buf_addc(out, (char)(v >= 0x80 ? 0x80 | (v & 0x3F) : v));
		return 3;
	}
	/* A byte of a name that is not UTF-8 (PEP 383). */
	if (n >= 5 && p[0] == 'u' && hex_digits(p + 1, 4, &v) && v >= 0xDC80 && v <= 0xDCFF) {
		buf_addc(out, (char)(v - 0xDC00));
		return 5;
	}
	return 0;
}

/* The path between Python's quotes, read back; false where that cannot be done. */
static bool unquote(struct span s, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\\') {
			buf_addc(out, s.p[i]);
			continue;
		}
		size_t took = undo_escape(s.p + i + 1, s.n - i - 1, out);
		if (took == 0)
			return false;
		i += took;
	}
	return out->len > 0 && !memchr(out->data, '\0', out->len);
}

/* Where a path of the run lies in its folder; owned, NULL when outside. */
static char *in_box(const struct attempt *a, const char *path)
{
	char *start = path_join(a->box, a->cwd);
	char *joined = path[0] == '/' ? xstrdup(path) : path_join(start, path), *clean = path_clean(joined);
	const char *below = path_below(a->box, clean);
	char *found = below && strcmp(below, ".") != 0 ? xstrdup(below) : NULL;

	free(clean);
	free(joined);
	free(start);
	return found;
}

static char *find_missing(const struct attempt *a, const struct trace *t)
{
	struct buf path = { 0 };
	char *found = NULL;

	if (t->found && trace_is(t, "FileNotFoundError") && unquote(t->path, &path))
		found = in_box(a, path.data);
	buf_free(&path);
	return found;
}

/* Of a.b.c the first part decides. */
static bool has_module(const struct offer *o, struct span module)
{
	const char *dot = module.n ? memchr(module.p, '.', module.n) : NULL;
	size_t n = dot ? (size_t)(dot - module.p) : module.n;

	for (size_t i = 0; n > 0 && i < o->n; i++) {
		const char *path = o->entries[i].path, *base = path_base(path);
		if (strncmp(base, module.p, n) == 0 && strcmp(base + n, ".py") == 0)
			return true;
		if (strncmp(path, module.p, n) == 0 && path[n] == '/')
			return true;
	}
	return false;
}

static struct span find_last_line(const char *p, size_t n)
{
	while (n > 0 && (p[n - 1] == '\n' || p[n - 1] == '\r' || p[n - 1] == ' '))
		n--;
	size_t from = n;
	while (from > 0 && p[from - 1] != '\n' && p[from - 1] != '\r')
		from--;
	return (struct span){ n > from ? p + from : NULL, n - from };
}

void clues_find(const char *tail, size_t n, const struct attempt *a, const struct offer *o, struct clues *out)
{
	*out = (struct clues){ 0 };
	trace_parse(tail, n, &out->trace);
	out->last_line = find_last_line(tail, n);
	out->missing = find_missing(a, &out->trace);
	out->module_is_ours = has_module(o, out->trace.module);
}

void clues_free(struct clues *c)
{
	free(c->missing);
	*c = (struct clues){ 0 };
}
