/* pyfilter.c: where code decides which data count; never in comments, in strings only SQL. */
#include "text/pyfilter.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "LINE:what LINE:what" */
static void find(const char *code, size_t n, struct buf *out)
{
	struct pyfilter_state st = { 0 };
	struct py_filter found[32];
	int line = 0;

	for (size_t at = 0; at < n;) {
		const char *lf = memchr(code + at, '\n', n - at);
		size_t len = lf ? (size_t)(lf + 1 - code) - at : n - at;
		size_t count = pyfilter_line(&st, code + at, len, found, ARRAY_LEN(found));

		line++;
		for (size_t i = 0; i < count; i++) {
			assert_true(found[i].start + found[i].len <= len);
			assert_true(i == 0 || found[i - 1].start <= found[i].start);
			buf_addf(out, "%s%d:%s", out->len ? " " : "", line, found[i].what);
		}
		at += len;
	}
}

static void kinds(void **state)
{
	static const char *const table[][2] = {
		{ "df = df[df.tiv > 10]\n", "1:boolean mask" },
		{ "df = df[(df.a > 1) & (df.b < 2)]\n", "1:boolean mask" },
		{ "df[~mask]\n", "1:boolean mask" },
		{ "x = [a, b > c]\n", "" },
		{ "f(a)[b != 1]\n", "1:boolean mask" },
		{ "def f(a) -> list[int]: pass\n", "" },
		{ "x[1 << 2]\n", "" },
		{ "x = df['a'][0]\n", "" },
		{ "df.query('a > 1')\n", "1:query" },
		{ "query('a')\n", "" },
		{ "df.loc[df.a == 1, 'b']\n", "1:loc" },
		{ "df.isin(xs).dropna()\n", "1:isin 1:dropna" },
		{ "df.drop_duplicates(\n", "1:drop_duplicates" },
		{ "a.merge(b, how='left', on='k')\n", "1:merge 1:how=" },
		{ "how = 3\n", "" },
		{ "f(how == 3)\n", "" },
		{ "pd.read_csv(p, nrows=10, skiprows = 2, usecols=['a'])\n", "1:nrows= 1:skiprows= 1:usecols=" },
		{ "pd.read_csv(\n    p,\n    nrows=10)\n", "3:nrows=" },
		{ "df.head().fillna(0).astype(int)\n", "1:head 1:fillna 1:astype" },
		{ "head = 3; df.head\n", "" },
		{ "# df.dropna()\n", "" },
		{ "s = 'df.dropna() where'\n", "" },
		{ "s = \"SELECT a FROM t WHERE b\"\n", "1:SQL WHERE" },
		{ "s = \"\"\"\nselect a\n from t\n where b\n limit 3\"\"\"\n", "4:SQL WHERE 5:SQL LIMIT" },
		{ "s = '''where'''\nt = 'where'\n", "" },
		{ "q = ('select a '\n     'where b')\n", "2:SQL WHERE" },
		{ "r = [x for x in xs if x > 1]\n", "1:comprehension if" },
		{ "r = [x if x else 0 for x in xs]\n", "" },
		{ "r = {k: v for k, v in d.items()\n     if v}\n", "2:comprehension if" },
		{ "f\"{df[df.a > 1]}\"\n", "1:boolean mask" },
		{ "df[df[\"a\"] >= 1]\r\n", "1:boolean mask" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct buf out = { 0 };

		find(table[i][0], strlen(table[i][0]), &out);
		if (strcmp(out.data ? out.data : "", table[i][1]) != 0)
			fail_msg("%s: got '%s', wanted '%s'", table[i][0], out.data ? out.data : "", table[i][1]);
		buf_free(&out);
	}
}

/* Every place is one that Python's lexer calls a name, an operator, or (SQL) a string: over whole files of its
 * library, and over any bytes without harm. */
static void the_library_holds_no_surprise(void **state)
{
	static const char *const trees[] = { "/usr/lib/python3*/*.py", "/usr/lib/python3*/*/*.py" };
	size_t files = 0;

	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(trees); t++) {
		glob_t g;

		if (glob(trees[t], 0, NULL, &g) != 0)
			continue;
		for (size_t i = 0; i < g.gl_pathc; i++, files++) {
			struct buf code = { 0 };
			struct pyfilter_state st = { 0 };
			struct py_state lexer = { 0 };

			if (!fs_read(-100, g.gl_pathv[i], 8 << 20, &code, NULL))
				continue;
			for (size_t at = 0; at < code.len;) {
				static struct py_span spans[4096];
				struct py_filter found[16];
				const char *lf = memchr(code.data + at, '\n', code.len - at);
				size_t len = lf ? (size_t)(lf + 1 - code.data) - at : code.len - at;
				size_t n = pyfilter_line(&st, code.data + at, len, found, ARRAY_LEN(found));
				size_t cut = pylex_line(&lexer, code.data + at, len, spans, ARRAY_LEN(spans)), k = 0;

				for (size_t f = 0; f < n; f++) {
					while (k + 1 < cut && spans[k].start + spans[k].len <= found[f].start)
						k++;
					bool sql = strncmp(found[f].what, "SQL", 3) == 0;
					if (cut > 1000 || spans[k].kind == PY_COMMENT || (spans[k].kind == PY_STRING) != sql)
						if (cut <= 1000)
							fail_msg("%s: '%s' in a %d", g.gl_pathv[i], found[f].what, spans[k].kind);
				}
				at += len;
			}
			assert_memory_equal(&lexer, &st.py, sizeof(lexer));
			buf_free(&code);
		}
		globfree(&g);
	}
	if (files == 0)
		skip();
}

static void any_bytes_do_no_harm(void **state)
{
	static const char letters[] = "abdf[](){}.,=<>!&|~'\"#\n\\ ifor:";
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct buf code = { 0 }, out = { 0 };

		for (int i = 0; i < 3000; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			buf_addc(&code, round % 4 ? letters[(seed >> 33) % (sizeof(letters) - 1)] : (char)(seed >> 40));
		}
		for (int i = 0; round == 0 && i < 70000; i++)
			buf_addc(&code, '[');
		find(code.data, code.len, &out);
		buf_free(&code);
		buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(the_library_holds_no_surprise),
		cmocka_unit_test(any_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
