/* pylex.c: Python coloured as Python itself cuts it. */
#include "text/pylex.h"

#include <glob.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* ---- small cases ----------------------------------------------------------------------------------- */

/* One letter for each byte: its kind. */
static const char letters[PY_KIND_COUNT + 1] = ".KCBS{#N@Do";

static void paint(const char *text, size_t n, char *out)
{
	struct py_state st = { 0 };

	for (size_t at = 0; at < n;) {
		static struct py_span spans[100000];
		const char *lf = memchr(text + at, '\n', n - at);
		size_t len = lf ? (size_t)(lf + 1 - text) - at : n - at, covered = 0;
		size_t count = pylex_line(&st, text + at, len, spans, ARRAY_LEN(spans));

		for (size_t i = 0; i < count; i++) {
			assert_int_equal(spans[i].start, covered);
			assert_in_range(spans[i].kind, 0, PY_KIND_COUNT - 1);
			memset(out + at + covered, letters[spans[i].kind], spans[i].len);
			covered += spans[i].len;
		}
		assert_int_equal(covered, len);
		at += len;
	}
	out[n] = '\0';
}

static void kinds(void **state)
{
	(void)state;
	static const char *const table[][2] = {
		{ "import os", "KKKKKK..." },
		{ "x = None", "..o.CCCC" },
		{ "print(len)", "BBBBBoBBBo" },
		{ "a.print", ".o....." },
		{ "# note", "######" },
		{ "x=1 # n", ".oN.###" },
		{ "'a' \"b\"", "SSS.SSS" },
		{ "rb'a\\'b'", "SSSSSSSS" },
		{ "x'a'", ".SSS" },
		{ "urx'a'", "...SSS" },
		{ "0x1F 1_0.5e-3j .5 1.", "NNNN.NNNNNNNNN.NN.NN" },
		{ "1if x", "NKK.." },
		{ "0xfor", "NNNKK" },
		{ "@a.b(c)", "@@@@o.o" },
		{ "a @ b", "..o.." },
		{ "def f(x):", "KKK.Do.oo" },
		{ "class A:", "KKKKK.Do" },
		{ "f'a{b}c'", "SSS{.{SS" },
		{ "f'{{a}}'", "SSSSSSSS" },
		{ "f'{a!r:>{w}}'", "SS{.{{{{{.{{S" },
		{ "f'{a[\"b\"]}'", "SS{.oSSSo{S" },
		{ "f'{a['b']}'", "SS{.oSSSo{S" },          /* 3.12 */
		{ "f'{f'{1}'}'", "SS{SS{N{S{S" },
		{ "f'{x != y}'", "SS{..oo..{S" },
		{ "f'{a:%H:%M}'", "SS{.{{{{{{{S" },
		{ "f'{(lambda x: 1)}'", "SS{oKKKKKK..o.No{S" },
		{ "f'\\N{DASH}{x}'", "SSSSSSSSSS{.{S" },
		{ "f'\\{x}'", "SSS{.{S" },
		{ "rf'\\{x}'", "SSSS{.{S" },
		{ "f'{x", "SS{." },
		{ "match x:", "KKKKK..o" },
		{ "match = 1", "......o.N" },
		{ "match(x)", ".....o.o" },
		{ "match(x):", "KKKKKo.oo" },
		{ "case [a, *_]:", "KKKK.o.o.o.oo" },
		{ "type X = int", "KKKK...o.BBB" },
		{ "type(x)", "BBBBo.o" },
		{ "'open", "SSSSS" },
		{ "\xc3\xa9 = 1", "...o.N" },
		{ "", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		char got[200];
		paint(table[i][0], strlen(table[i][0]), got);
		assert_string_equal(got, table[i][1]);
	}
}

static void lines_carry_over(void **state)
{
	(void)state;
	static const char *const table[][2] = {
		{ "'''a\nb'''\nc", "SSSSSSSSS.." },
		{ "'a\nif", "SS.KK" },
		{ "'a\\\nb'\nif", "SSSSSS.KK" },
		{ "'a\\\\\nif", "SSSS.KK" },
		{ "'a\\\r\nb'\r\nif", "SSSSSSS..KK" },
		{ "f'''{\nx\n}'''", "SSSS{...{SSS" },
		{ "f'''{x:\n{w}}'''", "SSSS{.{{{.{{SSS" },
		{ "f'{\nx}'", "SS{..{S" },
		{ "(\n@a)", "o.o.o" },
		{ "x = \\\n@a", "..o...o." },
		{ "def \\\nf", "KKK...D" },
		{ "f'''{x!r\n}'''", "SSSS{.{{.{SSS" },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		char got[200], expected[200];
		size_t n = strlen(table[i][0]);
		paint(table[i][0], n, got);
		snprintf(expected, sizeof(expected), "%s", table[i][1]);
		for (size_t k = 0; k < n; k++) /* the kind of a line end does not matter */
			if (table[i][0][k] == '\n' || table[i][0][k] == '\r')
				got[k] = expected[k] = ' ';
		assert_string_equal(got, expected);
	}
}

/* ---- any bytes, any bounds ------------------------------------------------------------------------------ */

static void few_spans_cover_all(void **state)
{
	(void)state;
	struct py_state st = { 0 }, blind = { 0 };
	struct py_span spans[3];
	static const char line[] = "a = '1' + b # c";

	assert_int_equal(pylex_line(&st, line, sizeof(line) - 1, spans, 3), 3);
	assert_int_equal(spans[2].start + spans[2].len, sizeof(line) - 1);
	assert_int_equal(pylex_line(&blind, "'''x", 4, NULL, 0), 0);
	pylex_line(&st, "'''x", 4, spans, 1);
	assert_memory_equal(&st, &blind, sizeof(st));
}

static void random_lines_are_bounded(void **state)
{
	(void)state;
	static const char *const bits[] = { "'", "\"", "'''", "\"\"\"", "f'", "rf\"", "f'''", "{", "}", "{{", ":", "!r", "\\", "\\N{", "#",
		                            "@", "def ", "if ", "x", "1", "\xff", "(", ")", "[", "]", "\r", "." };
	char line[400];
	struct py_span spans[400];
	struct py_state st = { 0 }, again;

	for (int round = 0; round < 100000; round++) {
		size_t n = 0, count, covered = 0;
		for (int k = (int)draw(30); k > 0 && n < 390; k--) {
			const char *bit = bits[draw(ARRAY_LEN(bits))];
			if (draw(20) == 0)
				line[n++] = (char)draw(256);
			else
				n += (size_t)sprintf(line + n, "%s", bit);
		}
		again = st;
		count = pylex_line(&st, line, n, spans, ARRAY_LEN(spans));
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(spans[i].start, covered);
			assert_true(spans[i].len > 0);
			covered += spans[i].len;
		}
		assert_int_equal(covered, n);
		assert_true(st.depth <= PY_DEPTH);
		pylex_line(&again, line, n, NULL, 0);
		assert_memory_equal(&st, &again, sizeof(st));
		if (draw(50) == 0)
			st = (struct py_state){ 0 };
	}
}

/* ---- against Python's own tokenize -------------------------------------------------------------------------- */

/* Prints "F path", then for each token "KIND line from to" in bytes; KIND S, F (an f-string), C, K, N. */
static const char script[] =
	"import sys,tokenize as t,keyword,io\n"
	"for path in sys.stdin.read().split('\\n')[:-1]:\n"
	"    data=open(path,'rb').read()\n"
	"    out=['F '+path]\n"
	"    try:\n"
	"        if t.detect_encoding(io.BytesIO(data).readline)[0] not in ('utf-8','utf-8-sig'): continue\n"
	"        def at(line,col): return col if line.isascii() else len(line[:col].encode())\n"
	"        lines=data.decode().splitlines(True) if b'\\f' not in data and b'\\r' not in data else None\n"
	"        if lines is None or '\\ufeff' in lines[0] or any(c in data.decode() for c in '\\x1c\\x1d\\x1e\\x85\\u2028\\u2029\\x0b'): continue\n"
	"        for k in t.tokenize(io.BytesIO(data).readline):\n"
	"            kind={t.STRING:'S',t.COMMENT:'C',t.NUMBER:'N'}.get(k.type)\n"
	"            if k.type==t.NAME and keyword.iskeyword(k.string): kind='K'\n"
	"            if not kind: continue\n"
	"            if kind=='S' and 'f' in k.string[:k.string.index(k.string[-1])].lower(): kind='F'\n"
	"            (a,b),(c,d)=k.start,k.end\n"
	"            out.append(f'{kind} {a} {at(lines[a-1],b)} {c} {at(lines[c-1],d)}')\n"
	"    except Exception as e: continue\n"
	"    print('\\n'.join(out))\n";

struct file {
	char path[5000];
	struct buf text;
	size_t *lines; /* where each begins */
	size_t lines_n, cap;
	char *got;     /* letters */
	char *known;   /* the same of tokenize; ' ' where it says nothing */
};

static void file_open(struct file *f, const char *path)
{
	struct err e = { 0 };

	snprintf(f->path, sizeof(f->path), "%s", path);
	assert_true(fs_read(-100, path, 1 << 24, &f->text, &e));
	f->lines_n = 0;
	for (size_t at = 0; at < f->text.len;) {
		const char *lf = memchr(f->text.data + at, '\n', f->text.len - at);
		f->lines = grow(f->lines, f->lines_n, &f->cap, sizeof(*f->lines));
		f->lines[f->lines_n++] = at;
		at = lf ? (size_t)(lf + 1 - f->text.data) : f->text.len;
	}
	f->got = xcalloc(f->text.len + 1, 1);
	f->known = xcalloc(f->text.len + 1, 1);
	memset(f->known, ' ', f->text.len);
	if (f->text.len)
		paint(f->text.data, f->text.len, f->got);
}

/* What we said of each byte must be what tokenize says; what it does not name is no string, comment, number. */
static void file_check(struct file *f)
{
	for (size_t i = 0; i < f->text.len; i++) {
		char got = f->got[i], known = f->known[i];
		bool right = known == ' '   ? !strchr("S{#N", got)
		             : known == 'K' ? got == 'K' || got == 'C'
		             : known == 'F' ? true
		                            : got == known;
		if (right)
			continue;
		size_t line = 0;
		while (line + 1 < f->lines_n && f->lines[line + 1] <= i)
			line++;
		fail_msg("%s:%zu: column %zu is '%c' here, '%c' in tokenize: %.*s", f->path, line + 1, i - f->lines[line], got, known,
		         (int)strcspn(f->text.data + f->lines[line], "\n"), f->text.data + f->lines[line]);
	}
	buf_free(&f->text);
	free(f->got);
	free(f->known);
}

static void note_token(struct file *f, char kind, size_t a, size_t b, size_t c, size_t d)
{
	size_t from, to;

	if (a > f->lines_n || c > f->lines_n || a < 1 || c < 1)
		return;
	from = f->lines[a - 1] + b;
	to = MIN(f->lines[c - 1] + d, f->text.len);
	memset(f->known + from, kind == 'C' ? '#' : kind, to - from);
	if (kind == 'F' && to > from) /* its ends are string, whatever is between */
		f->known[from] = f->known[to - 1] = 'S';
}

static void files_like_tokenize(void **state)
{
	(void)state;
	/* SOAK: every file of the library; else every tenth */
	const char *soak = getenv("SOAK");
	size_t every = soak && *soak ? 1 : 10, files = 0, tokens = 0;
	char script_path[] = "/tmp/pylexXXXXXX", list_path[] = "/tmp/pylexXXXXXX", command[200], line[5000];
	glob_t g = { 0 };
	FILE *in, *list;
	struct file f = { 0 };
	int fd;

	glob("/usr/lib/python3*/*.py", 0, NULL, &g);
	glob("/usr/lib/python3*/*/*.py", GLOB_APPEND, NULL, &g);
	glob("/usr/lib/python3*/*/*/*.py", GLOB_APPEND, NULL, &g);
	if (g.gl_pathc == 0)
		skip();
	fd = mkstemp(script_path);
	assert_true(write(fd, script, sizeof(script) - 1) == (ssize_t)sizeof(script) - 1);
	close(fd);
	list = fdopen(mkstemp(list_path), "w");
	for (size_t i = 0; i < g.gl_pathc; i++)
		if (i % every == 0 && !strstr(g.gl_pathv[i], "/dist-packages/"))
			fprintf(list, "%s\n", g.gl_pathv[i]);
	fclose(list);
	globfree(&g);
	snprintf(command, sizeof(command), "python3 %s < %s", script_path, list_path);
	in = popen(command, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		char kind;
		size_t a, b, c, d;
		if (line[0] == 'F' && line[2] == '/') {
			if (files++)
				file_check(&f);
			line[strcspn(line, "\n")] = '\0';
			file_open(&f, line + 2);
		} else if (sscanf(line, "%c %zu %zu %zu %zu", &kind, &a, &b, &c, &d) == 5) {
			note_token(&f, kind, a, b, c, d);
			tokens++;
		}
	}
	if (files)
		file_check(&f);
	free(f.lines);
	pclose(in);
	unlink(script_path);
	unlink(list_path);
	assert_true(files > 20 && tokens > 1000);
	print_message("# %zu files, %zu tokens\n", files, tokens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(lines_carry_over),
		cmocka_unit_test(few_spans_cover_all),
		cmocka_unit_test(random_lines_are_bounded),
		cmocka_unit_test(files_like_tokenize),
	};

	seed = 20261130;
	return cmocka_run_group_tests_name("text/pylex", tests, NULL, NULL);
}
