/* From a row of the Execution pane to what it stands for: a place in a pager, what commands act on. */
#include <stdlib.h>
#include <string.h>

#include "exec_pane.h"
#include "traceback.h"

/* A row of a traceback or of the filters stands for the line of code that it names. */
static void names_line(struct exec_pane *p, struct exec_attempt *a, struct excerpt *x, enum section_kind k, int64_t i,
                       struct pager_spec *spec)
{
	int64_t line = 0;
	size_t n;

	if (k != SECTION_FILTERS && !section_is_stream(k))
		return;
	const char *bytes = excerpt_bytes(x, i, 4096, &n);
	if (bytes)
		line = k == SECTION_FILTERS ? section_filter_line(bytes, n) : traceback_line(&a->detail, bytes, n);
	if (line == 0)
		return;
	*spec = (struct pager_spec){ .attempt = a->id, .section = SECTION_CODE, .line = line, .filters = k == SECTION_FILTERS };
	ui_notice(p->view.ui, "line %lld of the code", (long long)line);
}

/* A file or an input that a row names, if its bytes are kept. */
static const struct entry *file_of_row(const struct exec_attempt *a, enum section_kind k, int64_t i)
{
	const struct entry *list = k == SECTION_FILES ? a->detail.artifacts : k == SECTION_INPUTS ? a->detail.inputs : NULL;
	size_t n = k == SECTION_FILES ? a->detail.artifacts_n : a->detail.inputs_n;

	if (!list || i < 0 || (size_t)i >= n || list[i].size < 0)
		return NULL;
	return k == SECTION_FILES && list[i].what == ARTIFACT_DELETED ? NULL : &list[i];
}

static void at_line(struct exec_pane *p, struct exec_attempt *a, const struct list_key *key, struct pager_spec *spec)
{
	struct excerpt *x = exec_tree_excerpt(p->tree, key);
	enum section_kind k = (enum section_kind)key->v[2];
	int64_t i = excerpt_index(x, key->v[3]);
	const struct entry *file = file_of_row(a, k, i);

	if (file) {
		*spec = (struct pager_spec){ .attempt = a->id, .sha256 = file->sha256, .path = file->path };
		return;
	}
	if (i >= 0 && i < (int64_t)x->n)
		spec->pos = x->rows[i].start;
	else if (i >= (int64_t)x->n && x->n > 0)
		spec->pos = x->rows[x->n - 1].start;
	names_line(p, a, x, k, i, spec);
	exec_found_beyond(p, key, spec);
}

unsigned exec_open_pager(struct exec_pane *p)
{
	const struct list_key *key = &p->list.box.cursor;
	struct exec_attempt *a = exec_tree_attempt(p->tree, exec_tree_attempt_id(p->tree, key));
	enum section_kind k = key->v[2] ? (enum section_kind)key->v[2] : SECTION_OUTPUT;
	struct pager_spec spec = { .section = k };
	struct err e = { 0 };
	struct view *pager;

	if (!a)
		return TURN_NOTHING;
	spec.attempt = a->id;
	if (key->v[3] > 0)
		at_line(p, a, key, &spec);
	pager = view_pager_new(p->view.ui, &spec, &e);
	if (pager)
		ui_push(p->view.ui, pager);
	else
		ui_error(p->view.ui, "%s", e.msg);
	return TURN_DRAW;
}

/* The line of code or of a stream that the cursor is on. */
static void place_subject(struct exec_pane *p, struct subject *out)
{
	const struct list_key *key = &p->list.box.cursor;
	enum section_kind k = (enum section_kind)key->v[2];
	struct excerpt *x;
	int64_t i;

	if (!section_is_code(k) && !section_is_stream(k))
		return;
	out->section = section_word(k);
	x = key->v[3] ? exec_tree_excerpt(p->tree, key) : NULL;
	i = x ? excerpt_index(x, key->v[3]) : -1;
	if (i >= 0 && i < (int64_t)x->n && x->rows[i].line >= 0)
		out->line = lines_number(x->text.lines, x->text.window, x->rows[i].line) + 1;
}

bool exec_subject(struct view *v, struct subject *out)
{
	struct exec_pane *p = exec_pane_of(v);
	const struct list_key *key = &p->list.box.cursor;
	struct exec_attempt *a;

	if (!p->list.box.placed)
		return false;
	a = exec_tree_attempt(p->tree, exec_tree_attempt_id(p->tree, key));
	if (!a)
		return false;
	out->attempt = a->id;
	out->step = a->detail.step.number;
	memcpy(out->ref, a->detail.ref, sizeof(out->ref));
	out->check = a->detail.attempt.check != 0;
	if (exec_level(key) == LEVEL_MESSAGE)
		return true;
	place_subject(p, out);
	if (key->v[2] == SECTION_FILES && key->v[3] > 0 && (size_t)key->v[3] <= a->detail.artifacts_n) {
		out->path = xstrdup(a->detail.artifacts[key->v[3] - 1].path);
		out->artifact = true;
	} else if (key->v[2] == SECTION_FILES && a->detail.artifacts_n == 1) {
		out->path = xstrdup(a->detail.artifacts[0].path);
		out->artifact = true;
	}
	return true;
}
