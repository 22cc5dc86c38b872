/*
 * Everything that reads foreign text, driven by the first byte: escapes, names, script heads,
 * tracebacks, references, cells, Python's lexer, ignore rules, JSON. What comes out of an escape must
 * be printable, and undoing an escaped name must give the name.
 */
#include "text.h"
#include "text/ansi.h"
#include "text/encoding.h"
#include "text/grid.h"
#include "text/odd.h"
#include "text/pyfilter.h"
#include "text/pylex.h"
#include "model/ignore.h"

#include <stdlib.h>
#include <string.h>

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void fuzz_escape(const char *p, size_t n)
{
	struct buf b = { 0 };

	escape_text(&b, p, n, 0);
	for (size_t i = 0; i < b.len; i++)
		must((unsigned char)b.data[i] >= 0x20 && b.data[i] != 0x7f);
	must(utf8_valid(b.data, b.len));
	buf_free(&b);
}

static void fuzz_name(const char *p, size_t n)
{
	struct buf shown = { 0 }, again = { 0 };

	escape_name(&shown, p, strnlen(p, n));
	buf_addc(&shown, '\0');
	must(escape_name_undo(shown.data, &again));
	must(again.len == strnlen(p, n) && memcmp(again.data ? again.data : "", p, again.len) == 0);
	buf_free(&shown);
	buf_free(&again);
}

static void fuzz_head(const char *p, size_t n)
{
	struct head h;

	head_parse(p, n, &h);
	must(utf8_valid(h.title, strlen(h.title)) && utf8_valid(h.purpose, strlen(h.purpose)));
}

static void fuzz_trace(const char *p, size_t n)
{
	struct trace t;

	trace_parse(p, n, &t);
	must(t.rest <= n);
}

static void fuzz_ref(const char *p, size_t n)
{
	char *s = xstrndup(p, n);
	struct ref r;
	struct err e = { 0 };

	must(ref_parse(s, &r, &e) == (e.code == ERR_NONE));
	free(s);
}

static void fuzz_cells(const char *p, size_t n)
{
	struct cells_state s = { 0 };
	struct glyph out[64];

	for (size_t used; n > 0; p += used, n -= used) {
		size_t got = cells_put(&s, 0, p, n, false, 1 + n % 40, out, ARRAY_LEN(out), &used);
		must(used <= n && got <= ARRAY_LEN(out));
		if (used == 0 && got == 0)
			abort();
	}
}

static void fuzz_pylex(const char *p, size_t n)
{
	struct py_state state = { 0 };
	struct py_span spans[16];

	while (n > 0) {
		const char *end = memchr(p, '\n', n);
		size_t len = end ? (size_t)(end - p) + 1 : n;
		must(pylex_line(&state, p, len, spans, ARRAY_LEN(spans)) <= ARRAY_LEN(spans));
		p += len;
		n -= len;
	}
}

static void fuzz_ignore(const char *p, size_t n)
{
	size_t rules = n / 2;
	struct ignore *g = ignore_parse(p, rules);
	char *path = xstrndup(p + rules, n - rules);

	ignore_match(g, path, false, NULL);
	ignore_match(g, path, true, NULL);
	free(path);
	ignore_free(g);
}

static void fuzz_json(const char *p, size_t n)
{
	struct err e = { 0 };
	struct json_value *v = json_read(p, n, &e);

	must((v != NULL) == (e.code == ERR_NONE));
	json_free(v);
}

static void fuzz_odd(const char *p, size_t n)
{
	struct odd_span found[8];
	struct odd_sum sum = { 0 };
	size_t got = odd_find(p, n, found, ARRAY_LEN(found)), end = 0;

	for (size_t i = 0; i < got; i++) {
		must(found[i].start >= end && found[i].len > 0 && found[i].start + found[i].len <= n);
		end = found[i].start + found[i].len;
	}
	odd_count(&sum, p, n);
	must(sum.hidden + sum.bidi + sum.alike >= 0);
}

static void fuzz_pyfilter(const char *p, size_t n)
{
	struct py_filters found = { 0 };

	pyfilter_find(p, n, &found);
	for (size_t i = 0; i < found.n; i++)
		must(found.at[i].start + found.at[i].len <= n && (i == 0 || found.at[i - 1].start <= found.at[i].start));
	pyfilter_free(&found);
}

/* Decoded text is cut into cells that lie inside it; sorting is a permutation. */
static void fuzz_grid(const char *p, size_t n)
{
	struct buf text = { 0 };
	struct grid_column column;

	encoding_decode(encoding_guess(p, n, true).encoding, p, n, &text);
	size_t len = text.len;
	struct grid *g = grid_new_take(buf_take(&text), len, 0);
	size_t rows = grid_rows(g), *order = calloc(rows + 1, sizeof(*order)), sum = 0;

	for (size_t r = 0; r < rows && r < 50; r++)
		for (size_t i = 0; i <= grid_cells(g, r); i++)
			must(grid_cell(g, r, i).n <= len);
	grid_is_table(g);
	grid_column(g, 1, 0, &column);
	if (rows > 0) {
		grid_sort(g, 1, 0, n % 2, order);
		for (size_t i = 0; i < rows; i++)
			sum += order[i];
		must(sum == rows * (rows - 1) / 2);
	}
	free(order);
	grid_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const targets[])(const char *p, size_t n) = {
		fuzz_escape, fuzz_name, fuzz_head, fuzz_trace, fuzz_ref, fuzz_cells, fuzz_pylex, fuzz_ignore, fuzz_json,
		fuzz_odd, fuzz_pyfilter, fuzz_grid,
	};

	if (size > 0)
		targets[data[0] % ARRAY_LEN(targets)]((const char *)data + 1, size - 1);
	return 0;
}
