/* Reading themes, and resolving a style by one. */
#include "theme.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gen/default_theme.h>

#define THEME_MAX ((size_t)64 << 10)

enum { FLAG_COUNT = 4 };
static const char *const flag_words[FLAG_COUNT] = { "selected", "hit", "current", "chosen" };

struct theme {
	struct look roles[ROLE_COUNT];
	struct look flags[FLAG_COUNT];
};

static const char *const colour_words[] = { "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white" };

static const struct {
	const char *word;
	enum style_attr attr;
} attr_words[] = {
	{ "bold", STYLE_BOLD }, { "dim", STYLE_DIM }, { "italic", STYLE_ITALIC },
	{ "underline", STYLE_UNDERLINE }, { "reverse", STYLE_REVERSE },
};

/* ---- parsing ---------------------------------------------------------------------------------------- */

static bool parse_colour(const char *word, struct colour *out)
{
	bool bright = strncmp(word, "bright-", 7) == 0;
	const char *name = bright ? word + 7 : word;
	char *end;
	unsigned long n;

	if (strcmp(word, "default") == 0) {
		*out = (struct colour){ 0 };
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(colour_words); i++) {
		if (strcmp(name, colour_words[i]) == 0) {
			*out = (struct colour){ COLOUR_INDEX, (uint8_t)(i + (bright ? 8 : 0)), 0, 0 };
			return true;
		}
	}
	if (word[0] == '#' && strlen(word) == 7 && strspn(word + 1, "0123456789abcdefABCDEF") == 6) {
		n = strtoul(word + 1, NULL, 16);
		*out = (struct colour){ COLOUR_RGB, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n };
		return true;
	}
	n = strtoul(word, &end, 10);
	if (word[0] < '0' || word[0] > '9' || *end || n > 255)
		return false;
	*out = (struct colour){ COLOUR_INDEX, (uint8_t)n, 0, 0 };
	return true;
}

static bool parse_word(const char *word, struct look *look, bool *background)
{
	struct colour colour;

	for (size_t i = 0; i < ARRAY_LEN(attr_words); i++) {
		if (strcmp(word, attr_words[i].word) == 0) {
			look->attrs |= attr_words[i].attr;
			return true;
		}
	}
	if (strcmp(word, "on") == 0) {
		*background = true;
		return true;
	}
	if (!parse_colour(word, &colour))
		return false;
	if (*background)
		look->bg = colour;
	else
		look->fg = colour;
	*background = false;
	return true;
}

static struct look *find_look(struct theme *t, const char *name)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		if (strcmp(name, role_word((enum role)i)) == 0)
			return &t->roles[i];
	for (int i = 0; i < FLAG_COUNT; i++)
		if (strcmp(name, flag_words[i]) == 0)
			return &t->flags[i];
	return NULL;
}

/* One line, which it takes apart. */
static bool parse_line(struct theme *t, char *line, const char *what, int number, struct err *e)
{
	char *save, *name, *word, *value = strchr(line, '=');
	struct look *look;
	bool background = false;

	name = strtok_r(line, " \t\r=", &save);
	if (!name || *name == '#')
		return true;
	if (!value)
		return err_set(e, ERR_INPUT, "%s:%d: expected 'role = look'", what, number);
	look = find_look(t, name);
	if (!look)
		return err_set(e, ERR_INPUT, "%s:%d: there is no role '%s'", what, number, name);
	*look = (struct look){ 0 };
	for (word = strtok_r(value + 1, " \t\r,", &save); word; word = strtok_r(NULL, " \t\r,", &save)) {
		if (word[0] == '#' && strlen(word) != 7)
			break; /* a comment */
		if (!parse_word(word, look, &background))
			return err_set(e, ERR_INPUT, "%s:%d: '%s' is no colour or attribute", what, number, word);
	}
	return true;
}

struct theme *theme_parse(const char *text, const char *what, struct err *e)
{
	struct theme *t = xcalloc(1, sizeof(*t));
	bool good = true;

	for (int number = 1; good && *text; number++) {
		size_t n = strcspn(text, "\n");
		char *line = xstrndup(text, n);
		good = parse_line(t, line, what, number, e);
		free(line);
		text += n + (text[n] == '\n');
	}
	if (good)
		return t;
	free(t);
	return NULL;
}

struct theme *theme_default(void)
{
	return theme_parse(default_theme, "default.theme", NULL);
}

void theme_free(struct theme *t)
{
	free(t);
}

/* ---- where themes lie ----------------------------------------------------------------------------------- */

/* The user's folder, then what was installed with the program, then the source tree it was built in. */
static void theme_dirs(struct strv *out)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (config && *config == '/')
		strv_addf(out, "%s/tickmark/themes", config);
	else if (home && *home)
		strv_addf(out, "%s/.config/tickmark/themes", home);
	if (n <= 0)
		return;
	self[n] = '\0';
	char *bin = path_dir(self);
	strv_addf(out, "%s/../share/tickmark/themes", bin);
	strv_addf(out, "%s/../../themes", bin);
	free(bin);
}

static struct theme *load_path(const char *path, struct err *e)
{
	struct buf text = { 0 };
	struct theme *t = NULL;

	if (fs_read(AT_FDCWD, path, THEME_MAX, &text, e))
		t = theme_parse(text.data ? text.data : "", path_base(path), e);
	buf_free(&text);
	return t;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void theme_list(struct strv *out)
{
	struct strv dirs = { 0 };

	theme_dirs(&dirs);
	for (size_t i = 0; i < dirs.n; i++) {
		DIR *d = opendir(dirs.v[i]);
		struct dirent *entry;
		while (d && (entry = readdir(d))) {
			char *dot = strrchr(entry->d_name, '.');
			if (!dot || strcmp(dot, ".theme") != 0)
				continue;
			*dot = '\0';
			if (!strv_has(out, entry->d_name))
				strv_add(out, entry->d_name);
		}
		if (d)
			closedir(d);
	}
	strv_free(&dirs);
	if (out->n)
		qsort(out->v, out->n, sizeof(out->v[0]), compare_names);
}

static struct theme *no_theme(const char *name, struct err *e)
{
	struct strv names = { 0 };
	struct buf all = { 0 };

	theme_list(&names);
	for (size_t i = 0; i < names.n; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", names.v[i]);
	err_set(e, ERR_INPUT, "there is no theme '%.60s'; there are %s", name, all.len ? all.data : "none but default");
	strv_free(&names);
	buf_free(&all);
	return NULL;
}

struct theme *theme_load(const char *name, struct err *e)
{
	struct strv dirs = { 0 };
	struct theme *t = NULL;
	bool found = false;

	if (strchr(name, '/'))
		return load_path(name, e);
	theme_dirs(&dirs);
	for (size_t i = 0; i < dirs.n && !found; i++) {
		char *path = xasprintf("%s/%s.theme", dirs.v[i], name);
		found = fs_exists(AT_FDCWD, path);
		if (found)
			t = load_path(path, e);
		free(path);
	}
	strv_free(&dirs);
	if (found)
		return t;
	if (strcmp(name, "default") == 0)
		return theme_default();
	return no_theme(name, e);
}

/* ---- resolving ------------------------------------------------------------------------------------------- */

static void lay_over(struct look *look, const struct look *top)
{
	if (top->fg.kind)
		look->fg = top->fg;
	if (top->bg.kind)
		look->bg = top->bg;
	look->attrs |= top->attrs;
}

struct look theme_look(const struct theme *t, struct pen pen, bool colour)
{
	struct look look = t->roles[pen.role < ROLE_COUNT ? pen.role : ROLE_NORMAL];

	lay_over(&look, &(struct look){ pen.fg, pen.bg, pen.attrs });
	for (int i = 0; i < FLAG_COUNT; i++)
		if (pen.flags & 1 << i)
			lay_over(&look, &t->flags[i]);
	if (!colour)
		look.fg = look.bg = (struct colour){ 0 };
	return look;
}
