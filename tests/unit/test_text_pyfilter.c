/* pyfilter.c: where code decides which data count; never in comments, in strings only SQL. */
#include "text/pyfilter.h"
#include "text/pylex.h"

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
	struct py_filters found = { 0 };

	pyfilter_find(code, n, &found);
	for (size_t i = 0; i < found.n; i++) {
		assert_true(found.at[i].start + found.at[i].len <= n);
		assert_true(i == 0 || found.at[i - 1].start <= found.at[i].start);
		buf_addf(out, "%s%u:%s", out->len ? " " : "", found.at[i].line, found.at[i].what);
	}
	pyfilter_free(&found);
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
		/* broken over lines, with comments and blanks between */
		{ "df = (df\n    # why\n    .dropna(\n        how='any')\n    .drop_duplicates\n    ()\n    .loc\n    [:]\n    .head(\n        5))\n",
		  "3:dropna 4:how= 5:drop_duplicates 7:loc 9:head" },
		{ "df = df.\\\n    fillna \\\n    (0)\n", "2:fillna" },
		{ "p.read_csv(f, usecols\n    = [0], nrows # few\n    =10)\n", "1:usecols= 2:nrows=" },
		{ "df[\n    (df.a > 1) # big\n    & (df.b < 2)\n]\n", "2:boolean mask" },
		{ "df [ df . a > 1 ] . query ( 'b' )\n", "1:boolean mask 1:query" },
		/* under other names */
		{ "from pandas import merge as mg, read_csv\nx = mg(a, b, how='left')\n", "2:merge 2:how=" },
		{ "from pandas import (\n    merge,\n)\nmerge(a, b)\n", "4:merge" },
		{ "def merge(a): pass\nmerge(1)\n", "" },
		{ "f = df.head\nf()\n", "2:head" },
		{ "ix = df.loc\nix[a]\n", "1:loc 2:loc" },
		{ "df.pipe(pd.DataFrame.dropna)\n", "1:dropna" },
		{ "list(filter(lambda r: r, xs))\n", "1:filter" },
		{ "import itertools as it\nit.islice(xs, 3)\n", "2:islice" },
		{ "urlparse(u).query\nx.query = 3\nq = u.query + 'a'\n", "" },
		/* masks that are kept, made by methods, or columns of the table itself */
		{ "big = df.a > 1\nx = df[big]\n", "2:boolean mask" },
		{ "big: Series = (df.a\n    .gt(1))\nbig &= df.b < 1\nx[big].y\n", "4:boolean mask" },
		{ "n = a == b\nx = y[m]\nz = n\n", "" },
		{ "x = df[df.a > 1]\ny = z[x]\n", "1:boolean mask" },
		{ "df[df.flag]\ndf[df['flag'] | df['b']]\nself.df[self.df.flag]\n", "1:boolean mask 2:boolean mask 3:boolean mask" },
		{ "df[df.columns[1:]]\nself.items[self.index]\nx[y.z]\n", "" },
		{ "df[df.a.ne(1)]\ndf[df.a.str.contains('x')]\ndf[s.duplicated()]\nd[s.startswith('a')]\n",
		  "1:boolean mask 2:boolean mask 3:boolean mask" },
		{ "def f(a: list[int | None], b: dict[str, int | None]): pass\n", "" },
		{ "df[(a) | (b)]\n", "1:boolean mask" },
		{ "big = a.x > 1\nboth = big & a.z.isna()\nall = both & big\ndf[all]\ndf[i:all]\n", "2:isna 4:boolean mask" },
		{ "k = i + 1 if i < 3 else 0\nx = a[k]\ny = a[c & 0xff]\nz = a[a.find(b)]\nw = a[a[k]]\n", "" },
		{ "', '.join(xs)\nos.path.join(a, b)\na.join(b)\n", "3:join" },
		/* in f-strings */
		{ "f\"{df.dropna():>10} {df.head(2)!r} {nrows=}\"\n", "1:dropna 1:head" },
		{ "print(f'{how=}', f'{a>b}')\n", "" },
		{ "f'''\n{df[df.a\n > 1]} dropna()'''\n", "3:boolean mask" },
		/* SQL: lower case, added later, behind comments of its own; prose and what documents is none */
		{ "q = '''\n    select distinct a\n    from t join u\n    where b = 1\n'''\n", "2:SQL DISTINCT 3:SQL JOIN 4:SQL WHERE" },
		{ "q = 'SELECT * FROM t'\nq += ' WHERE a > 1'\nr = q + ' where b = 2'\n", "2:SQL WHERE 3:SQL WHERE" },
		{ "q = '''\n-- select from where\nWITH x AS (\nSELECT 1 FROM t -- WHERE\n) UPDATE t SET a = 1 WHERE b'''\n", "5:SQL WHERE" },
		{ "f'select a from {t} where {cond} limit {n}'\n", "" },
		{ "q = f'select a from {t} where {cond} limit {n}'\n", "1:SQL WHERE 1:SQL LIMIT" },
		{ "x = f('''delete from t\n    where\n    a is null''')\n", "2:SQL WHERE" },
		{ "q = b'select a from t\\n where b = 1'\n", "1:SQL WHERE" },
		{ "def f():\n    '''Select rows from t.\n\n    where a > 1: WHERE\n    '''\n", "" },
		{ "print('Please select a file from here where you like', 'Select one from those where it fits')\n", "" },
		{ "print('select a file from the list where you like')\nx = 'update the table where needed'\n", "" },
		{ "x = {'a': 'A list.\\n' 'Select from where\\n'\n 'with it where\\n', 'b': 'where\\n', 'c': 'update', 'd': 'where\\n'}\n", "" },
		{ "x = 'where is it', 'the where_clause from', '# where'\ny = 'where'\n", "" },
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
static void check_places(const char *name, const struct buf *code, const struct py_filters *found)
{
	static struct py_span spans[65536];
	struct py_state lexer = { 0 };
	size_t f = 0;
	uint32_t line = 0;

	for (size_t at = 0; at < code->len && f < found->n;) {
		const char *lf = memchr(code->data + at, '\n', code->len - at);
		size_t len = lf ? (size_t)(lf + 1 - code->data) - at : code->len - at;
		size_t cut = pylex_line(&lexer, code->data + at, len, spans, ARRAY_LEN(spans)), k = 0;

		line++;
		for (; f < found->n && found->at[f].start < at + len; f++) {
			bool sql = strncmp(found->at[f].what, "SQL", 3) == 0;

			assert_int_equal(found->at[f].line, line);
			while (k + 1 < cut && at + spans[k].start + spans[k].len <= found->at[f].start)
				k++;
			if (spans[k].kind == PY_COMMENT || (spans[k].kind == PY_STRING) != sql)
				fail_msg("%s:%u: '%s' in a %d", name, line, found->at[f].what, spans[k].kind);
		}
		at += len;
	}
	assert_int_equal(f, found->n);
}

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
			struct py_filters found = { 0 };

			if (!fs_read(-100, g.gl_pathv[i], 8 << 20, &code, NULL))
				continue;
			pyfilter_find(code.data ? code.data : "", code.len, &found);
			check_places(g.gl_pathv[i], &code, &found);
			pyfilter_free(&found);
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
