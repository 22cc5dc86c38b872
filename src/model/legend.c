/* Abbreviations of notes, from the settings. */
#include "model/legend.h"

#include "settings.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "legend."
#define MEANING_MAX 100 /* bytes */

static const struct {
	const char *sign, *meaning;
} usual[] = { { "F", "footed" }, { "S", "agreed to source" }, { "R", "recomputed" } };

bool legend_is_setting(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0;
}

bool legend_check(const char *name, const char *meaning, struct err *e)
{
	size_t n = strlen(name + strlen(PREFIX));

	if (n == 0 || n >= LEGEND_SIGN)
		return err_set(e, ERR_INPUT, "expected an abbreviation of 1 to %d letters behind '" PREFIX "'", LEGEND_SIGN - 1);
	if (strlen(meaning) > MEANING_MAX)
		return err_set(e, ERR_INPUT, "expected at most %d bytes", MEANING_MAX);
	for (const char *p = meaning; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			return err_set(e, ERR_INPUT, "control characters cannot stand in it");
	return true;
}

static void put(struct legend *l, const char *sign, const char *meaning)
{
	size_t i = 0;

	while (i < l->n && strcmp(l->v[i].sign, sign) != 0)
		i++;
	if (i == LEGEND_MOST)
		return;
	if (i == l->n) {
		l->v[l->n++] = (struct legend_sign){ 0 };
		snprintf(l->v[i].sign, LEGEND_SIGN, "%s", sign);
	}
	free(l->v[i].meaning);
	l->v[i].meaning = xstrdup(meaning);
}

static bool take(void *ctx, const char *key, const char *value, struct err *e)
{
	if (!legend_is_setting(key))
		return true;
	if (!legend_check(key, value, e))
		return err_prefix(e, "setting %s", key);
	put(ctx, key + strlen(PREFIX), value);
	return true;
}

static bool read_file(struct legend *l, char *path, struct err *e)
{
	bool ok = !path || conf_read(path, take, l, e);

	free(path);
	return ok;
}

static void drop_empty(struct legend *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (*l->v[i].meaning)
			l->v[kept++] = l->v[i];
		else
			free(l->v[i].meaning);
	}
	l->n = kept;
}

bool legend_load(struct workspace *ws, struct legend *out, struct err *e)
{
	*out = (struct legend){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		put(out, usual[i].sign, usual[i].meaning);
	bool ok = read_file(out, settings_user_path(), e) &&
	          (!ws || read_file(out, path_join(workspace_root(ws), ".tickmark/config"), e));
	drop_empty(out);
	return ok;
}

void legend_free(struct legend *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].meaning);
	l->n = 0;
}

const struct legend_sign *legend_at_end(const struct legend *l, const char *text, size_t *at)
{
	const char *blank = strrchr(text, ' ');

	*at = blank ? (size_t)(blank + 1 - text) : 0;
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->v[i].sign, text + *at) == 0)
			return &l->v[i];
	return NULL;
}

void legend_text(const struct legend *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++)
		buf_addf(out, "%s%s %s", i ? " · " : "", l->v[i].sign, l->v[i].meaning);
}
