/*
 * Configuration files: lines of `key = value`. Writing changes one line and leaves the rest as the
 * user wrote it.
 */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define CONF_MAX ((size_t)1 << 20) /* a larger file is no configuration */

/* What a line consists of; empty and comment lines have an empty key. */
struct entry {
	const char *key;   /* into the line */
	size_t key_len;
	const char *raw;   /* value as written, into the line, quotes included */
	size_t raw_len;
};

static size_t blanks(const char *s)
{
	return strspn(s, " \t\r");
}

static bool is_key_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_-.", c);
}

static size_t key_length(const char *s)
{
	size_t n = 0;

	while (s[n] && is_key_char(s[n]))
		n++;
	return n;
}

/* The length of "…" or '…' with both quotes, 0 when the end is missing. */
static size_t quoted_length(const char *s)
{
	for (size_t i = 1; s[i]; i++) {
		if (s[i] == s[0])
			return i + 1;
		if (s[0] == '"' && s[i] == '\\' && s[i + 1])
			i++;
	}
	return 0;
}

/* Up to a '#' that follows a blank, or the end; trailing blanks do not count. A value may begin
 * with '#', as colours do. */
static size_t bare_length(const char *s)
{
	size_t n = 0;

	for (size_t i = 0; s[i]; i++) {
		if (i > 0 && s[i] == '#' && blanks(s + i - 1) > 0)
			break;
		if (blanks(s + i) == 0)
			n = i + 1;
	}
	return n;
}

static bool parse_line(const char *line, struct entry *out, struct err *e)
{
	const char *at = line + blanks(line);

	*out = (struct entry){ .key = at, .raw = at };
	if (*at == '\0' || *at == '#')
		return true;
	out->key_len = key_length(at);
	at += out->key_len;
	at += blanks(at);
	if (out->key_len == 0 || *at != '=')
		return err_set(e, ERR_INPUT, "expected 'key = value' or a '#' comment");
	at++;
	at += blanks(at);
	out->raw = at;
	bool quoted = *at == '"' || *at == '\'';
	out->raw_len = quoted ? quoted_length(at) : bare_length(at);
	if (quoted && out->raw_len == 0)
		return err_set(e, ERR_INPUT, "the value of '%.*s' has no closing quote", (int)out->key_len,
		               out->key);
	at += out->raw_len;
	at += blanks(at);
	if (*at != '\0' && *at != '#')
		return err_set(e, ERR_INPUT, "there is more behind the quoted value of '%.*s'",
		               (int)out->key_len, out->key);
	return true;
}

/* The value without quotes; in "…" a backslash makes n and t line feed and tab, all else itself. */
static char *value_of(const struct entry *en)
{
	struct buf b = { 0 };

	if (en->raw_len == 0 || (*en->raw != '"' && *en->raw != '\''))
		return xstrndup(en->raw, en->raw_len);
	for (size_t i = 1; i + 1 < en->raw_len; i++) {
		char c = en->raw[i];
		if (*en->raw == '"' && c == '\\') {
			c = en->raw[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
		}
		buf_addc(&b, c);
	}
	return buf_take(&b);
}

static bool needs_quotes(const char *value)
{
	size_t n = strlen(value);

	return *value == '"' || *value == '\'' || strpbrk(value, "\n\t\r") || bare_length(value) != n ||
	       blanks(value) > 0 || n == 0;
}

static void add_value(struct buf *b, const char *value)
{
	if (!needs_quotes(value)) {
		buf_adds(b, value);
		return;
	}
	buf_addc(b, '"');
	for (; *value; value++) {
		if (*value == '\n' || *value == '\t')
			buf_addf(b, "\\%c", *value == '\n' ? 'n' : 't');
		else if (*value == '"' || *value == '\\')
			buf_addf(b, "\\%c", *value);
		else
			buf_addc(b, *value);
	}
	buf_addc(b, '"');
}

/* The file's text, empty when there is none. A byte order mark is dropped. */
static bool load(const char *path, struct buf *text, struct err *e)
{
	struct err fault = { 0 };

	if (!fs_read(AT_FDCWD, path, CONF_MAX, text, &fault) && fault.code != ERR_NOTFOUND) {
		if (e)
			*e = fault;
		return false;
	}
	if (text->len >= 3 && memcmp(text->data, "\xEF\xBB\xBF", 3) == 0) {
		text->len -= 3;
		memmove(text->data, text->data + 3, text->len + 1);
	}
	const char *nul = text->len > 0 ? memchr(text->data, '\0', text->len) : NULL;
	int line = 1;
	for (const char *p = text->data; nul && p < nul; p++)
		line += *p == '\n';
	return !nul || err_set(e, ERR_CORRUPT, "%s:%d: holds a NUL byte: the file is no configuration; correct or remove it", path, line);
}

/* Cuts the next line out of *text, in place; NULL at the end. */
static char *next_line(char **text)
{
	char *line = *text;

	if (!line || !*line)
		return NULL;
	char *end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*text = end ? end + 1 : NULL;
	return line;
}

static bool apply_line(const char *line, bool (*set)(void *, const char *, const char *, struct err *),
                       void *ctx, struct err *e)
{
	struct entry en;

	if (!parse_line(line, &en, e))
		return false;
	if (en.key_len == 0)
		return true;
	char *key = xstrndup(en.key, en.key_len);
	char *value = value_of(&en);
	bool ok = set(ctx, key, value, e);
	if (!ok && e->code == ERR_NONE)
		err_set(e, ERR_INPUT, "'%s' is not accepted", key);
	free(key);
	free(value);
	return ok;
}

/* "FILE:LINE: reason; what to do". It is the file that is wrong, not what the user typed just now. */
static void name_line(struct err *fault, const char *path, int number)
{
	struct err reason = *fault;

	err_set(fault, reason.code == ERR_INPUT ? ERR_CORRUPT : reason.code, "%s:%d: %s; correct or remove that line", path, number, reason.msg);
}

bool conf_read_on(const char *path, bool (*set)(void *ctx, const char *key, const char *value, struct err *e),
                  void (*wrong)(void *ctx, const struct err *e), void *ctx, struct err *e)
{
	struct buf text = { 0 };
	bool ok = load(path, &text, e);
	char *rest = text.data;
	int number = 0;

	for (char *line; ok && (line = next_line(&rest));) {
		struct err fault = { 0 };

		number++;
		if (apply_line(line, set, ctx, &fault))
			continue;
		name_line(&fault, path, number);
		ok = wrong != NULL;
		if (wrong)
			wrong(ctx, &fault);
		else if (e)
			*e = fault;
	}
	buf_free(&text);
	return ok;
}

bool conf_read(const char *path, bool (*set)(void *ctx, const char *key, const char *value, struct err *e),
               void *ctx, struct err *e)
{
	return conf_read_on(path, set, NULL, ctx, e);
}

static bool is_line_of(const char *line, const char *key, struct entry *en)
{
	return parse_line(line, en, NULL) && en->key_len == strlen(key) &&
	       memcmp(en->key, key, en->key_len) == 0;
}

static void add_line(struct buf *b, const char *line)
{
	buf_adds(b, line);
	buf_addc(b, '\n');
}

/* The last line of a key is the one that counts when it is read: the first keeps the place, gets
 * the value, and the others go. */
static void rewrite(char *text, const char *key, const char *value, struct buf *out)
{
	bool done = value == NULL;
	struct entry en;

	for (char *line; (line = next_line(&text));) {
		if (!is_line_of(line, key, &en)) {
			add_line(out, line);
		} else if (!done) {
			buf_add(out, line, (size_t)(en.raw - line));
			add_value(out, value);
			add_line(out, en.raw + en.raw_len);
			done = true;
		}
	}
	if (!done) {
		buf_addf(out, "%s = ", key);
		add_value(out, value);
		buf_addc(out, '\n');
	}
}

static bool make_parent(const char *path, struct err *e)
{
	char *parent = path_dir(path);
	/* A link to a folder is welcome here, and fs_mkdirs would refuse it. */
	char *inside = path_join(parent, ".");
	bool ok = fs_exists(AT_FDCWD, inside) || fs_mkdirs(AT_FDCWD, parent, e);

	free(inside);
	free(parent);
	return ok;
}

bool conf_write(const char *path, const char *key, const char *value, struct err *e)
{
	struct buf text = { 0 }, out = { 0 };

	if (*key == '\0' || key[key_length(key)] != '\0')
		return err_set(e, ERR_INPUT, "'%s' cannot be a key", key);
	bool ok = load(path, &text, e);
	if (ok)
		rewrite(text.data, key, value, &out);
	/* Nothing to remove from nothing: no file is made. */
	if (ok && (out.len > 0 || text.len > 0))
		ok = make_parent(path, e) && fs_write(AT_FDCWD, path, out.data, out.len, true, e);
	buf_free(&text);
	buf_free(&out);
	return ok;
}
