/* Choosing how a file is shown, and the texts of those ways that are no bytes of it. */
#include "look.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

static bool take_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, LOOK_MAX + 1 - b->len));
	return b->len <= LOOK_MAX;
}

static const char *ending(const char *path)
{
	const char *dot = path ? strrchr(path_base(path), '.') : NULL;

	return dot ? dot + 1 : "";
}

bool look_read(struct ui *ui, const struct digest *sha256, const char *path, struct looked_file *out, struct err *e)
{
	struct err fault = { 0 };

	*out = (struct looked_file){ 0 };
	if (!query_blob(ui->query, sha256, take_bytes, &out->bytes, &fault) && out->bytes.len <= LOOK_MAX) {
		buf_free(&out->bytes);
		if (e)
			*e = fault;
		return false;
	}
	out->cut = out->bytes.len > LOOK_MAX;
	out->bytes.len = MIN(out->bytes.len, LOOK_MAX);
	out->guess = encoding_guess(out->bytes.data ? out->bytes.data : "", out->bytes.len, !out->cut);
	out->encoding = out->guess.encoding;
	out->delimiter = strcasecmp(ending(path), "tsv") == 0 ? '\t' : 0;
	return true;
}

void look_free(struct looked_file *f)
{
	buf_free(&f->bytes);
}

void look_encoding_text(const struct looked_file *f, int64_t bad, struct buf *out)
{
	buf_adds(out, encoding_word(f->encoding));
	if (f->encoding != f->guess.encoding)
		buf_adds(out, ", chosen");
	else if (f->guess.guessed)
		buf_adds(out, ", guessed");
	if (bad)
		buf_addf(out, ", %lld BAD", (long long)bad);
}

/* ---- texts --------------------------------------------------------------------------------------------- */

static void add_hex(const struct looked_file *f, struct buf *out)
{
	size_t n = MIN(f->bytes.len, LOOK_HEX);

	hex_rows(out, f->bytes.data, n);
	if (n < f->bytes.len || f->cut)
		buf_addf(out, "… only the first %zu bytes are shown; s saves the file\n", n);
	else if (n == 0)
		buf_adds(out, "empty\n");
}

static struct view *text_view_of(struct ui *ui, const struct pager_spec *spec, enum way look, const char *how, const struct buf *text,
                                 struct err *e)
{
	struct detail d = { 0 };
	char *name = escape_name_dup(spec->path), *title = NULL;
	struct pager_spec made = *spec;
	struct view *v;

	if (query_detail(ui->query, spec->attempt, &d, NULL))
		title = xasprintf("%s %s · %s", d.ref, name, how);
	query_detail_free(&d);
	made.text = text->data ? text->data : "";
	made.text_len = text->len;
	made.title = title ? title : name;
	made.look = look;
	made.pos = 0;
	v = view_pager_new(ui, &made, e);
	free(name);
	free(title);
	return v;
}

/* ---- choosing ---------------------------------------------------------------------------------------------- */

static struct view *as_text(struct ui *ui, const struct pager_spec *spec, const struct looked_file *f, struct err *e)
{
	struct buf text = { 0 }, how = { 0 };
	int64_t bad = encoding_decode(f->encoding, f->bytes.data ? f->bytes.data : "", f->bytes.len, &text);

	look_encoding_text(f, bad, &how);
	if (f->cut)
		buf_addf(&how, ", first %zu MiB", LOOK_MAX >> 20);
	struct view *v = text_view_of(ui, spec, LOOK_TEXT, how.data, &text, e);
	buf_free(&text);
	buf_free(&how);
	return v;
}

static struct view *as_hex(struct ui *ui, const struct pager_spec *spec, const struct looked_file *f, struct err *e)
{
	struct buf text = { 0 };

	add_hex(f, &text);
	struct view *v = text_view_of(ui, spec, LOOK_HEXDUMP, "hex", &text, e);
	buf_free(&text);
	return v;
}

static struct view *open_as(struct ui *ui, const struct pager_spec *spec, enum way look, struct looked_file *f, struct err *e)
{
	struct view *v = NULL;

	if (look == LOOK_TABLE)
		return view_table_new(ui, spec, f);
	if (look == LOOK_JSON)
		return view_json_new(ui, spec, f);
	v = look == LOOK_TEXT ? as_text(ui, spec, f, e) : as_hex(ui, spec, f, e);
	look_free(f);
	return v;
}

static enum way choose(const struct looked_file *f, const char *path)
{
	static const char *const tables[] = { "csv", "tsv", "tab", "psv" };

	if (f->guess.binary)
		return LOOK_HEXDUMP;
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (strcasecmp(ending(path), tables[i]) == 0)
			return LOOK_TABLE;
	if (strcasecmp(ending(path), "json") == 0)
		return LOOK_JSON;
	return f->encoding == ENCODING_UTF8 ? LOOK_AUTO : LOOK_TEXT;
}

struct view *look_open(struct ui *ui, const struct pager_spec *spec, struct err *e)
{
	struct looked_file f;
	enum way look = spec->look;
	struct view *v;

	if (!spec->path || spec->text || spec->pattern || !look_read(ui, &spec->sha256, spec->path, &f, NULL))
		return NULL; /* the pager says why it cannot be read */
	if (spec->encoding)
		f.encoding = (enum encoding)(spec->encoding - 1);
	if (look == LOOK_AUTO)
		look = choose(&f, spec->path);
	if (look == LOOK_AUTO) {
		look_free(&f);
		return NULL;
	}
	v = open_as(ui, spec, look, &f, e);
	if (!v && spec->look == LOOK_AUTO && look != LOOK_HEXDUMP)
		*e = (struct err){ 0 };
	return v;
}

/* ---- going on ------------------------------------------------------------------------------------------------ */

static const struct {
	enum way look;
	const char *word;
} order[] = { { LOOK_TABLE, "a table" }, { LOOK_TEXT, "text" }, { LOOK_JSON, "JSON" }, { LOOK_HEXDUMP, "hex" } };

unsigned look_switch(struct view *v, const struct pager_spec *spec, int dir)
{
	struct ui *ui = v->ui;
	struct pager_spec made = { .attempt = spec->attempt, .sha256 = spec->sha256, .path = spec->path, .encoding = spec->encoding };
	size_t i = 0, n = ARRAY_LEN(order);
	struct err e = { 0 };

	while (i + 1 < n && order[i].look != (spec->look == LOOK_AUTO ? LOOK_TEXT : (enum way)spec->look))
		i++;
	for (size_t k = 1; k < n; k++) {
		size_t to = (i + n + (dir > 0 ? k : n - k)) % n;
		struct view *other;

		made.look = order[to].look;
		other = look_open(ui, &made, &e);
		if (!other)
			continue; /* it cannot be shown that way */
		ui_notice(ui, "shown as %s", order[to].word);
		ui_replace(ui, other);
		return TURN_DRAW;
	}
	ui_notice(ui, "there is no other way of looking at this");
	return TURN_DRAW;
}

unsigned look_encoding(struct view *v, const struct pager_spec *spec, const char *arg)
{
	struct ui *ui = v->ui;
	struct pager_spec made = { .attempt = spec->attempt, .sha256 = spec->sha256, .path = spec->path, .look = spec->look };
	enum encoding x = spec->encoding ? (enum encoding)(spec->encoding % ENCODING_COUNT) : ENCODING_UTF8;
	struct err e = { 0 };
	struct view *other;

	if (arg && *arg && !encoding_parse(arg, &x)) {
		ui_error(ui, "there is no encoding '%.40s': UTF-8, UTF-16LE, UTF-16BE, Windows-1252, ISO-8859-1", arg);
		return TURN_DRAW;
	}
	made.encoding = (int)x + 1;
	if (made.look == LOOK_AUTO || made.look == LOOK_HEXDUMP)
		made.look = LOOK_TEXT;
	other = look_open(ui, &made, &e);
	if (other) {
		ui_notice(ui, "read as %s; the file is what it was", encoding_word(x));
		ui_replace(ui, other);
	} else {
		ui_error(ui, "%s", e.code ? e.msg : "it cannot be shown so");
	}
	return TURN_DRAW;
}
