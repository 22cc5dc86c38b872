/* grid.c, encoding.c: cells as Python's csv reads them, in whatever encoding; bytes that are none stay. */
#include "text/encoding.h"
#include "text/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct grid *grid_of(const char *text, size_t n, char delimiter)
{
	return grid_new_take(xmemdup(n ? text : "x", n ? n : 1), n, delimiter);
}

static void assert_cells(struct grid *g, size_t row, const char *wanted)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < grid_cells(g, row); i++) {
		struct span s = grid_cell(g, row, i);
		buf_addf(&out, "%s[%.*s]", i ? " " : "", (int)s.n, s.p ? s.p : "");
	}
	assert_string_equal(out.data ? out.data : "", wanted);
	buf_free(&out);
}

static void cells(void **state)
{
	static const char text[] = "a,b,c\n1,\"x,y\",\"say \"\"hi\"\"\"\r\n\n\"two\nlines\",,\"q\"tail\n a , \"no\" ,end";
	struct grid *g = grid_of(text, sizeof(text) - 1, ',');

	(void)state;
	assert_int_equal(grid_rows(g), 4);
	assert_int_equal(grid_cols(g), 3);
	assert_cells(g, 0, "[a] [b] [c]");
	assert_cells(g, 1, "[1] [x,y] [say \"hi\"]");
	assert_cells(g, 2, "[two\nlines] [] [qtail]");
	assert_cells(g, 3, "[ a ] [ \"no\" ] [end]");
	assert_null(grid_cell(g, 1, 3).p);
	assert_null(grid_cell(g, 9, 0).p);
	assert_int_equal(grid_line(g, 2), 4);
	assert_int_equal(grid_line(g, 3), 6);
	grid_free(g);
}

static void delimiters(void **state)
{
	static const struct {
		const char *text;
		char delimiter;
		bool table;
	} table[] = {
		{ "a;b;c\n1,5;2;3\n", ';', true }, { "a\tb\n1\t2\n", '\t', true }, { "a|b\n1|2\n", '|', true }, { "a,b\n1,2\n", ',', true },
		{ "just text\nof two lines\n", ',', false }, { "", ',', false }, { "a,b\n", ',', false }, { "\n\n\n", ',', false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct grid *g = grid_of(table[i].text, strlen(table[i].text), 0);
		if (grid_delimiter(g) != table[i].delimiter || grid_is_table(g) != table[i].table)
			fail_msg("%s: '%c'", table[i].text, grid_delimiter(g));
		grid_free(g);
	}
}

static void sorting(void **state)
{
	static const char text[] = "k,v\nb,10\na,9\nc,x\nd,-1.5\ne,10\n";
	struct grid *g = grid_of(text, sizeof(text) - 1, ',');
	size_t order[6];
	static const size_t up[] = { 0, 4, 2, 1, 5, 3 }, down[] = { 0, 3, 1, 5, 2, 4 };
	struct grid_column c;

	(void)state;
	assert_int_equal(grid_sort(g, 1, 1, false, order), GRID_NUMBERS);
	assert_memory_equal(order, up, sizeof(up));
	grid_sort(g, 1, 1, true, order);
	assert_memory_equal(order, down, sizeof(down));
	grid_column(g, 1, 1, &c);
	assert_int_equal(c.cells, 5);
	assert_int_equal(c.numbers, 4);
	assert_int_equal(c.distinct, 4);
	assert_true(c.least == -1.5 && c.most == 10 && c.sum == 27.5);
	grid_free(g);
}

/* One column as lines: what it is sorted as, and the order, both ways: empty cells stay last, equal ones in order. */
static void kinds_of_sorting(void **state)
{
	static const struct {
		const char *lines, *up, *down;
		enum grid_order kind;
	} table[] = {
		{ "b||a|B|a", "3 2 4 0 1", "0 2 4 3 1", GRID_TEXTS },
		{ "10|9||x|-1.5|1e3|007", "4 6 1 0 5 3 2", "3 5 0 1 6 4 2", GRID_NUMBERS },
		{ "1,234.50|999|(5.00)|-12 %|$7", "3 2 4 1 0", "0 1 4 2 3", GRID_NUMBERS },
		{ "1.234,50|999,5|12,00 €|1.000.000", "2 1 0 3", "3 0 1 2", GRID_NUMBERS },
		{ "1 234|99|1'000", "1 2 0", "0 2 1", GRID_NUMBERS },
		{ "13/04/2024|03/05/2023|2024-04-12||31.12.1899", "4 1 2 0 3", "0 2 1 4 3", GRID_DAYS },
		{ "04/13/2024|05/03/2023", "1 0", "0 1", GRID_MONTHS },
		{ "02/01/2024|01/02/2024", "0 1", "1 0", GRID_DATES },
		{ "2024-01-02 10:00:01|2024-01-02T09:59:00Z|2023-12-31", "2 1 0", "0 1 2", GRID_DATES },
		{ "30 Nov 2026|1-Feb-26|March 3, 2025", "2 1 0", "0 1 2", GRID_DATES },
		{ "2024-01-02|1.2.3.4", "1 0", "0 1", GRID_TEXTS },
		{ "", "0", "0", GRID_TEXTS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct buf text = { 0 };
		size_t order[16];

		for (const char *at = table[i].lines, *end; at; at = *end ? end + 1 : NULL) {
			end = at + strcspn(at, "|");
			buf_addf(&text, "\"%.*s\",x\n", (int)(end - at), at);
		}
		struct grid *g = grid_of(text.data, text.len, ',');
		for (int down = 0; down < 2; down++) {
			struct buf got = { 0 };

			if (grid_sort(g, 0, 0, down, order) != table[i].kind)
				fail_msg("%s: taken for something else", table[i].lines);
			for (size_t k = 0; k < grid_rows(g); k++)
				buf_addf(&got, "%s%zu", k ? " " : "", order[k]);
			if (strcmp(got.data, down ? table[i].down : table[i].up) != 0)
				fail_msg("%s: %s", table[i].lines, got.data);
			buf_free(&got);
		}
		grid_free(g);
		buf_free(&text);
	}
}

static void names_and_figures(void **state)
{
	static const struct { const char *text; bool names; } table[] = {
		{ "id,name\n1,a\n", true }, { "1,a\n2,b\n", false }, { "a,b\n", true }, { "x,2024,2025\n1,2,3\n", true },
	};
	static const char large[] = "v,w\n1e309,a\n1e5000,b\n-2,c\n";
	struct grid_column c;
	struct grid *g;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		g = grid_of(table[i].text, strlen(table[i].text), ',');
		if (grid_names(g) != table[i].names)
			fail_msg("%s", table[i].text);
		grid_free(g);
	}
	g = grid_of(large, sizeof(large) - 1, ',');
	grid_column(g, 1, 0, &c);
	assert_int_equal(c.numbers, 2);
	assert_int_equal(c.beyond, 1);
	assert_true(c.most == 1e309L && c.least == -2);
	grid_free(g);
}

static void encodings(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		enum encoding encoding;
		bool marked, guessed, binary;
		int bad;
		const char *text;
	} table[] = {
		{ "Zo\xc3\xab", 4, ENCODING_UTF8, false, false, false, 0, "Zo\xc3\xab" },
		{ "\xef\xbb\xbfZo\xc3\xab", 7, ENCODING_UTF8, true, false, false, 0, "Zo\xc3\xab" },
		{ "\xff\xfeZ\0o\0\xeb\0", 8, ENCODING_UTF16LE, true, false, false, 0, "Zo\xc3\xab" },
		{ "\xfe\xff\0Z\0o\0\xeb", 8, ENCODING_UTF16BE, true, false, false, 0, "Zo\xc3\xab" },
		{ "Z\0o\0e\0!\0\n\0", 10, ENCODING_UTF16LE, false, true, false, 0, "Zoe!\n" },
		{ "Zo\xeb \x80", 5, ENCODING_CP1252, false, true, false, 0, "Zo\xc3\xab \xe2\x82\xac" },
		{ "Zo\xeb \x81", 5, ENCODING_CP1252, false, true, false, 1, "Zo\xc3\xab \x81" },
		{ "Zo\xc3\xab \xc3\xb6 \xeb", 9, ENCODING_UTF8, false, true, false, 1, "Zo\xc3\xab \xc3\xb6 \xeb" },
		{ "\xff\xfe\0\0Z\0\0\0\xeb\0\0\0", 12, ENCODING_UTF32LE, true, false, false, 0, "Z\xc3\xab" },
		{ "\0\0\xfe\xff\0\0\0Z\0\x1\xf6\0", 12, ENCODING_UTF32BE, true, false, false, 0, "Z\xf0\x9f\x98\x80" },
		{ "\xff\xfeZ\0\n", 5, ENCODING_UTF16LE, true, false, false, 0, "Z\\x0a" }, /* shown as the byte it is */
		{ "\x7f" "ELF\0\0\1", 7, ENCODING_UTF8, false, false, true, 0, NULL },
		{ "", 0, ENCODING_UTF8, false, false, false, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct encoding_guess g = encoding_guess(table[i].bytes, table[i].n, true);
		struct buf out = { 0 };

		if (g.encoding != table[i].encoding || g.marked != table[i].marked || g.guessed != table[i].guessed ||
		    g.binary != table[i].binary || g.bad != table[i].bad)
			fail_msg("%zu: %s%s%s bad %d", i, encoding_word(g.encoding), g.guessed ? " guessed" : "", g.binary ? " binary" : "", (int)g.bad);
		encoding_decode(g.encoding, table[i].bytes, table[i].n, &out);
		if (table[i].text)
			assert_string_equal(out.data ? out.data : "", table[i].text);
		buf_free(&out);
	}
	enum encoding x;
	assert_true(encoding_parse("utf8", &x) && x == ENCODING_UTF8);
	assert_true(encoding_parse("Latin-1", &x) && x == ENCODING_LATIN1);
	assert_true(encoding_parse("windows1252", &x) && x == ENCODING_CP1252);
	assert_false(encoding_parse("ebcdic", &x));
	static const struct { const char *name, *word, *bytes, *text; int bad; } others[] = {
		{ "cp1250", "Windows-1250", "\xa3\xf3" "d\x9f", "\xc5\x81\xc3\xb3" "d\xc5\xba", 0 },
		{ "windows-1251", "Windows-1251", "\xcf\xf0", "\xd0\x9f\xd1\x80", 0 },
		{ "8859-2", "ISO-8859-2", "\xa3", "\xc5\x81", 0 },
		{ "cp437", "IBM437", "caf\x82", "caf\xc3\xa9", 0 },
		/* a letter that waits for its points, at the end and before a bad byte */
		{ "cp1255", "Windows-1255", "\xf9\xec\xe5\xed", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", 0 },
		{ "cp1255", "Windows-1255", "\xed\xff" "a", "\xd7\x9d\xff" "a", 1 },
		{ "koi8r", "KOI8-R", "\xf0", "\xd0\x9f", 0 },
		{ "shift-jis", "Shift_JIS", "\x8a\xbf\xff!", "\xe6\xbc\xa2\xff!", 1 },
		{ "gb18030", "GB18030", "\xba\xba\xba", "\xe6\xb1\x89\xba", 1 },
	};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct buf out = { 0 };

		assert_true(encoding_parse(others[i].name, &x));
		assert_string_equal(encoding_word(x), others[i].word);
		assert_int_equal(encoding_decode(x, others[i].bytes, strlen(others[i].bytes), &out), others[i].bad);
		assert_string_equal(out.data, others[i].text);
		buf_free(&out);
	}
}

/* The files of the cases against Python's own reader, and random bytes too. */
static void as_python_reads_them(void **state)
{
	static const char program[] =
		"import csv,io,sys\n"
		"t = sys.stdin.buffer.read().decode('utf-8','surrogateescape')\n"
		"for r in csv.reader(io.StringIO(t, newline='')):\n"
		"    if r: sys.stdout.buffer.write(('\\x1f'.join(r)+'\\x1e').encode('utf-8','surrogateescape'))\n";
	static const char letters[] = "ab,,\"\"\n\r ;x";
	uint64_t seed = 11;

	(void)state;
	if (access("/usr/bin/python3", X_OK) != 0)
		skip();
	for (int round = 0; round < 40; round++) {
		char path[] = "/tmp/tickmark-grid-XXXXXX", *command;
		struct buf text = { 0 }, ours = { 0 }, theirs = { 0 };
		int fd = mkstemp(path);
		FILE *f;

		for (int i = 0; i < 400; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			buf_addc(&text, letters[(seed >> 33) % (sizeof(letters) - 1)]);
		}
		assert_int_equal(write(fd, text.data, text.len), (ssize_t)text.len);
		close(fd);
		command = xasprintf("/usr/bin/python3 -c \"$P\" < %s", path);
		setenv("P", program, 1);
		f = popen(command, "r");
		assert_non_null(f);
		for (int c; (c = getc(f)) != EOF;)
			buf_addc(&theirs, (char)c);
		assert_int_equal(pclose(f), 0);
		struct grid *g = grid_of(text.data, text.len, ',');
		for (size_t row = 0; row < grid_rows(g); row++) {
			for (size_t i = 0; i < grid_cells(g, row); i++) {
				struct span s = grid_cell(g, row, i);
				if (i)
					buf_addc(&ours, '\x1f');
				buf_add(&ours, s.p, s.n);
			}
			buf_addc(&ours, '\x1e');
		}
		if (ours.len != theirs.len || (ours.len && memcmp(ours.data, theirs.data, ours.len) != 0))
			fail_msg("round %d: %s\nours:   %s\ntheirs: %s", round, text.data, ours.data, theirs.data);
		grid_free(g);
		unlink(path);
		free(command);
		buf_free(&text);
		buf_free(&ours);
		buf_free(&theirs);
	}
}

/* Going along wide records costs what they are long: from the beginning each time it would take minutes. And whatever
 * was asked for before, a cell is the same. */
static void wide_records_are_gone_along(void **state)
{
	enum { ROWS = 60, COLS = 30000 };
	struct buf b = { 0 };
	unsigned at = 1;

	(void)state;
	for (int row = 0; row < ROWS; row++)
		for (int col = 0; col < COLS; col++)
			buf_addf(&b, "%d.%d%c", row, col, col + 1 < COLS ? ',' : '\n');
	struct grid *g = grid_of(b.data, b.len, ',');
	for (size_t row = 0; row < ROWS; row++)
		for (size_t col = 0; col < COLS; col++)
			assert_true(grid_cell(g, row, col).n >= 3);
	for (int i = 0; i < 200; i++) {
		at = at * 1103515245u + 12345u;
		size_t row = (at >> 8) % ROWS, col = (at >> 16) % COLS;
		char wanted[32];
		struct span s = grid_cell(g, row, col);

		snprintf(wanted, sizeof(wanted), "%zu.%zu", row, col);
		assert_int_equal(s.n, strlen(wanted));
		assert_memory_equal(s.p, wanted, s.n);
		assert_null(grid_cell(g, row, COLS).p);
	}
	grid_free(g);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells), cmocka_unit_test(delimiters), cmocka_unit_test(sorting), cmocka_unit_test(kinds_of_sorting), cmocka_unit_test(names_and_figures), cmocka_unit_test(encodings),
		cmocka_unit_test(as_python_reads_them), cmocka_unit_test(wide_records_are_gone_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
