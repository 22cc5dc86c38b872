/* Choosing how a file is shown, and the texts of those ways that are no bytes of it. */
#include "look.h"
#include "section_text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "converted.h"
#include "model/convert.h"
#include "pager.h"
#include "text.h"

/* ---- which file ---------------------------------------------------------------------------------------------- */

struct file_place file_place_of(const struct pager_spec *spec)
{
	return (struct file_place){
		.attempt = spec->attempt, .sha256 = spec->sha256, .path = spec->path ? xstrdup(spec->path) : NULL,
		.file = spec->file ? xstrdup(spec->file) : NULL, .look = spec->look, .encoding = spec->encoding, .part = spec->part,
	};
}

void file_place_free(struct file_place *p)
{
	free(p->path);
	free(p->file);
	*p = (struct file_place){ 0 };
}

struct pager_spec file_place_spec(const struct file_place *p)
{
	return (struct pager_spec){ .attempt = p->attempt, .sha256 = p->sha256, .path = p->path, .file = p->file, .look = p->look,
		.encoding = p->encoding, .part = p->part };
}

bool file_place_subject(const struct file_place *p, struct subject *out)
{
	if (p->attempt == 0)
		return false;
	out->attempt = p->attempt;
	out->step = p->step;
	out->check = strchr(p->ref, 'r') != NULL;
	memcpy(out->ref, p->ref, sizeof(out->ref));
	out->path = xstrdup(p->path);
	out->artifact = true;
	return true;
}

/* ---- its bytes -------------------------------------------------------------------------------------------------- */

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

/* The bytes that the spec brings along, those of the folder, or of the record. */
static bool take_content(struct ui *ui, const struct pager_spec *spec, struct looked_file *out, struct err *e)
{
	struct err fault = { 0 };

	if (spec->text) {
		buf_add(&out->bytes, spec->text, MIN(spec->text_len, LOOK_MAX));
		out->cut = spec->text_len > LOOK_MAX;
		return true;
	}
	if (spec->file)
		return fs_read_head(AT_FDCWD, spec->file, LOOK_MAX, &out->bytes, &out->cut, e);
	if (!query_blob(ui->query, &spec->sha256, take_bytes, &out->bytes, &fault) && out->bytes.len <= LOOK_MAX) {
		if (e)
			*e = fault;
		return false;
	}
	out->cut = out->bytes.len > LOOK_MAX;
	out->bytes.len = MIN(out->bytes.len, LOOK_MAX);
	return true;
}

/* A file that was cut has none: readers need the whole. */
static const char *reader_for(const struct looked_file *f, const char *path)
{
	struct span bytes = { f->bytes.data ? f->bytes.data : "", f->bytes.len };

	return f->cut ? NULL : png_is(bytes) ? CONVERTED_PNG : convert_reader(path, bytes);
}

bool look_read(struct ui *ui, const struct pager_spec *spec, struct looked_file *out, struct err *e)
{
	*out = (struct looked_file){ 0 };
	if (!take_content(ui, spec, out, e)) {
		buf_free(&out->bytes);
		return false;
	}
	out->guess = encoding_guess(out->bytes.data ? out->bytes.data : "", out->bytes.len, !out->cut);
	out->encoding = out->guess.encoding;
	out->delimiter = strcasecmp(ending(spec->path), "tsv") == 0 ? '\t' : 0;
	out->reader = reader_for(out, spec->path);
	if (out->reader) /* the record knows the hash of what it has */
		out->content = !spec->file && !digest_is_zero(&spec->sha256) ? spec->sha256 : hash_bytes(out->bytes.data, out->bytes.len);
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

char *look_title(struct ui *ui, struct file_place *p)
{
	char *name = escape_name_dup(p->path), *title;
	struct detail d = { 0 };

	if (p->attempt && query_detail(ui->query, p->attempt, &d, NULL)) {
		memcpy(p->ref, d.ref, sizeof(p->ref));
		p->step = d.step.number;
		title = xasprintf("%s %s", d.ref, name);
	} else {
		title = xasprintf("%s as it %s", name, p->file ? "is now" : "was for the newest attempt");
	}
	query_detail_free(&d);
	free(name);
	return title;
}

static struct view *text_view_of(struct ui *ui, const struct pager_spec *spec, enum way look, const char *how, const struct buf *text,
                                 struct err *e)
{
	struct file_place place = file_place_of(spec);
	char *name = look_title(ui, &place), *title = xasprintf("%s · %s", name, how);
	struct pager_spec made = *spec;
	struct view *v;

	made.text = text->data ? text->data : "";
	made.text_len = text->len;
	made.title = title;
	made.look = look;
	made.pos = 0;
	v = pager_plain_new(ui, &made, e);
	file_place_free(&place);
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
	struct buf text = { 0 }, how = { 0 };

	add_hex(f, &text);
	buf_addf(&how, "hex, %s", f->cut ? "more than " : "");
	section_add_size(&how, (int64_t)f->bytes.len);
	struct view *v = text_view_of(ui, spec, LOOK_HEXDUMP, how.data, &text, e);
	buf_free(&text);
	buf_free(&how);
	return v;
}

/* ---- what readers make ---------------------------------------------------------------------------------------- */

static bool is_converted(enum way look)
{
	return look >= LOOK_VALUES && look <= LOOK_PICTURE;
}

static enum way way_of_reader(const char *reader)
{
	if (strcmp(reader, CONVERTED_PNG) == 0 || strcmp(reader, "image") == 0)
		return LOOK_PICTURE;
	return strcmp(reader, "xlsx") == 0 ? LOOK_VALUES : LOOK_PAGES;
}

static bool fits(const struct looked_file *f, enum way look)
{
	enum way own = f->reader ? way_of_reader(f->reader) : LOOK_AUTO;

	return look == own || (look == LOOK_FORMULAS && own == LOOK_VALUES);
}

static struct view *as_pages(struct ui *ui, const struct pager_spec *spec, struct span lines, struct err *e)
{
	struct reading_pages pages;
	struct view *v = NULL;

	if (reading_pages(lines, &pages, e)) {
		v = text_view_of(ui, spec, LOOK_PAGES, pages.cut ? "its text, NOT ALL OF IT" : "its text", &pages.text, e);
		if (v)
			pager_set_stops(v, pages.heads, pages.n);
	}
	reading_pages_free(&pages);
	return v;
}

static struct view *as_sheet(struct ui *ui, const struct pager_spec *spec, enum way look, struct span lines, struct err *e)
{
	struct pager_spec made = *spec;
	struct reading_sheet sheet;
	struct view *v = NULL;

	made.look = look;
	if (reading_sheet(lines, spec->part, look == LOOK_FORMULAS, &sheet, e))
		v = view_sheet_new(ui, &made, &sheet);
	reading_sheet_free(&sheet);
	return v;
}

static struct view *coming(struct ui *ui, const struct pager_spec *spec, struct err *e)
{
	struct buf text = { 0 };
	struct view *v;

	buf_adds(&text, "A reader is at work on it in the sandbox.\n\nTab shows the bytes, Ctrl-C ends the reader.\n");
	v = text_view_of(ui, spec, (enum way)spec->look, "being read", &text, e);
	if (v)
		pager_set_coming(v);
	buf_free(&text);
	return v;
}

/* NULL with *e: it failed; the caller says so, and shows the bytes. */
static struct view *as_converted(struct ui *ui, const struct pager_spec *spec, enum way look, struct looked_file *f, struct err *e)
{
	const struct reading_image *facts;
	const struct picture *picture;
	struct pager_spec made = *spec;
	struct span lines = { 0 };
	enum converted_state state = look == LOOK_PICTURE ? converted_image(ui, f, &picture, &facts, e) : converted_lines(ui, f, &lines, e);

	made.look = look;
	made.sha256 = f->content;
	if (state == CONVERTED_FAILED)
		return NULL;
	if (state == CONVERTED_COMING)
		return coming(ui, &made, e);
	if (look == LOOK_PICTURE)
		return view_picture_new(ui, &made, picture, facts);
	return look == LOOK_PAGES ? as_pages(ui, &made, lines, e) : as_sheet(ui, &made, look, lines, e);
}

static struct view *open_as(struct ui *ui, const struct pager_spec *spec, enum way look, struct looked_file *f, struct err *e)
{
	struct view *v = NULL;

	if (look == LOOK_TABLE)
		return view_table_new(ui, spec, f);
	if (look == LOOK_JSON)
		return view_json_new(ui, spec, f);
	if (is_converted(look))
		v = fits(f, look) ? as_converted(ui, spec, look, f, e) : NULL;
	else if (look == LOOK_TEXT)
		v = f->reader ? NULL : as_text(ui, spec, f, e);
	else
		v = as_hex(ui, spec, f, e);
	look_free(f);
	return v;
}

static enum way choose(const struct looked_file *f, const char *path)
{
	static const char *const tables[] = { "csv", "tsv", "tab", "psv" };

	if (f->reader)
		return way_of_reader(f->reader);
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
	struct pager_spec made = *spec;
	enum way look = (enum way)spec->look;
	struct err why = { 0 };
	struct view *v;

	if (!spec->path || spec->pattern || !look_read(ui, spec, &f, NULL))
		return NULL; /* the pager says why it cannot be read */
	if (spec->encoding)
		f.encoding = (enum encoding)(spec->encoding - 1);
	if (look == LOOK_AUTO)
		look = choose(&f, spec->path);
	if (look == LOOK_AUTO) {
		look_free(&f);
		return NULL;
	}
	v = open_as(ui, spec, look, &f, &why);
	if (v || spec->look != LOOK_AUTO || look == LOOK_HEXDUMP) {
		*e = why;
		return v;
	}
	if (!is_converted(look))
		return NULL;
	ui_error(ui, "%s", why.msg);
	made.look = LOOK_HEXDUMP;
	return look_open(ui, &made, e);
}

/* What stands there for good when what was waited for cannot be shown at all. */
static struct view *sorry(struct ui *ui, const struct pager_spec *spec, const struct err *why)
{
	struct buf text = { 0 };
	struct view *v;

	buf_addf(&text, "%s\n", why->msg);
	v = text_view_of(ui, spec, LOOK_TEXT, "not read", &text, NULL);
	buf_free(&text);
	return v;
}

unsigned look_waits(struct view *v, const struct file_place *at)
{
	struct pager_spec spec = file_place_spec(at);
	struct err e = { 0 };
	struct view *other;

	if (converted_is_coming(v->ui, &at->sha256))
		return TURN_NOTHING;
	spec.look = LOOK_AUTO; /* so that a failure is told, and the bytes shown */
	other = view_pager_new(v->ui, &spec, &e);
	if (!other)
		other = sorry(v->ui, &spec, &e);
	if (!other)
		return TURN_NOTHING;
	ui_replace(v->ui, other);
	return TURN_DRAW;
}

/* ---- going on ------------------------------------------------------------------------------------------------ */

static const struct {
	enum way look;
	const char *word;
} order[] = {
	{ LOOK_VALUES, "values" }, { LOOK_FORMULAS, "formulas" }, { LOOK_PAGES, "the text in it" }, { LOOK_PICTURE, "a picture" },
	{ LOOK_TABLE, "a table" }, { LOOK_JSON, "JSON" }, { LOOK_TEXT, "text" }, { LOOK_HEXDUMP, "hex" },
};

unsigned look_switch(struct view *v, const struct file_place *at, int dir)
{
	struct ui *ui = v->ui;
	struct pager_spec made = file_place_spec(at);
	size_t i = 0, n = ARRAY_LEN(order);
	struct err e = { 0 };

	while (i + 1 < n && order[i].look != (at->look == LOOK_AUTO ? LOOK_TEXT : (enum way)at->look))
		i++;
	for (size_t k = 1; k < n; k++) {
		size_t to = (i + n + (dir > 0 ? k : n - k)) % n;
		struct view *other;

		made.look = order[to].look;
		other = at->coming && is_converted(order[to].look) ? NULL : look_open(ui, &made, &e);
		if (!other)
			continue; /* it cannot be shown that way */
		ui_notice(ui, "shown as %s", order[to].word);
		ui_replace(ui, other);
		return TURN_DRAW;
	}
	ui_notice(ui, "there is no other way of looking at this");
	return TURN_DRAW;
}

unsigned look_part(struct view *v, const struct file_place *at, size_t parts, int dir)
{
	struct pager_spec made = file_place_spec(at);
	struct err e = { 0 };
	struct view *other;

	if (parts < 2) {
		ui_notice(v->ui, "this is its only sheet");
		return TURN_DRAW;
	}
	made.part = (at->part + parts + (dir > 0 ? 1 : parts - 1)) % parts;
	other = look_open(v->ui, &made, &e);
	if (other)
		ui_replace(v->ui, other);
	else
		ui_error(v->ui, "%s", e.msg);
	return TURN_DRAW;
}

unsigned look_encoding(struct view *v, const struct file_place *at, const char *arg)
{
	struct ui *ui = v->ui;
	struct pager_spec made = file_place_spec(at);
	enum encoding x = at->encoding ? (enum encoding)(at->encoding % ENCODING_COMMON) : ENCODING_UTF8;
	struct err e = { 0 };
	struct view *other;

	if (arg && *arg && !encoding_parse(arg, &x)) {
		struct buf all = { 0 };

		for (int i = 0; encoding_word((enum encoding)i); i++)
			buf_addf(&all, "%s%s", i ? ", " : "", encoding_word((enum encoding)i));
		ui_error(ui, "there is no encoding '%.40s': %s", arg, all.data);
		buf_free(&all);
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
