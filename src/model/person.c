/*
 * The name of the person at the keyboard: the setting, else what git is told, else the login. Git's
 * files are read here and not asked for by running git, which would obey the folder's own
 * configuration.
 */
#include "settings.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define GIT_CONFIG_MAX ((size_t)1 << 20)

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* "[user]" alone: a subsection is another section. */
static bool is_user_section(const char *line)
{
	return strncasecmp(line, "[user]", 6) == 0;
}

/* git-config(1), values: quotes may stand anywhere, comments end them, blanks at the end go. */
static char *value_of(const char *p)
{
	struct buf b = { 0 };
	bool quoted = false;
	size_t kept = 0;

	for (p = skip_blanks(p); *p; p++) {
		if (!quoted && (*p == '#' || *p == ';'))
			break;
		if (*p == '"') {
			quoted = !quoted;
			kept = b.len;
			continue;
		}
		if (*p == '\\' && p[1]) {
			p++;
			buf_addc(&b, *p == 'n' ? '\n' : *p == 't' ? '\t' : *p);
			kept = b.len;
			continue;
		}
		buf_addc(&b, *p);
		if (quoted || !isspace((unsigned char)*p))
			kept = b.len;
	}
	char *value = xstrndup(b.data ? b.data : "", kept);
	buf_free(&b);
	return value;
}

/* What stands behind "name =", NULL when the line is another one. */
static const char *name_value(const char *line)
{
	if (strncasecmp(line, "name", 4) != 0)
		return NULL;
	line = skip_blanks(line + 4);
	return *line == '=' ? line + 1 : NULL;
}

static char *find_name(char *text)
{
	char *name = NULL, *rest = text;
	bool here = false;

	for (char *line; (line = strsep(&rest, "\n"));) {
		const char *p = skip_blanks(line);
		if (*p == '[') {
			here = is_user_section(p);
			const char *close = strchr(p, ']');
			p = here && close ? skip_blanks(close + 1) : "";
		}
		const char *value = here ? name_value(p) : NULL;
		if (!value)
			continue;
		free(name);
		name = value_of(value);
	}
	return name;
}

static bool is_usable(const char *name)
{
	if (!*name || strlen(name) > 200)
		return false;
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 127)
			return false;
	return true;
}

char *person_git_name(const char *path)
{
	struct buf b = { 0 };
	char *name = NULL;

	if (fs_read(AT_FDCWD, path, GIT_CONFIG_MAX, &b, NULL) && b.len > 0)
		name = find_name(b.data);
	buf_free(&b);
	if (name && !is_usable(name)) {
		free(name);
		name = NULL;
	}
	return name;
}

static char *git_name_below(const char *folder, const char *file)
{
	char *path = folder && folder[0] == '/' ? path_join(folder, file) : NULL;
	char *name = path ? person_git_name(path) : NULL;

	free(path);
	return name;
}

static char *login(void)
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *name = pw ? pw->pw_name : getenv("LOGNAME");

	if (name && is_usable(name))
		return xstrdup(name);
	return xasprintf("uid %u", (unsigned)geteuid());
}

char *settings_person(struct workspace *ws, struct err *e)
{
	const char *xdg = getenv("XDG_CONFIG_HOME");
	char *name = NULL;

	if (!setting_read(ws, "name", &name, e) && e)
		return NULL;
	if (!name && ws)
		name = git_name_below(ws->root, ".git/config");
	if (!name)
		name = git_name_below(getenv("HOME"), ".gitconfig");
	if (!name)
		name = xdg ? git_name_below(xdg, "git/config") : git_name_below(getenv("HOME"), ".config/git/config");
	return name ? name : login();
}
