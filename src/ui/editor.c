/* Which editor, and what became of the draft. A draft is never removed here. */
#include "editor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"

#define DRAFT_MAX ((size_t)64 << 20)
#define AT_ONCE_US 2000000 /* an editor that is back sooner without a change has probably handed over */

static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	struct buf try = { 0 };
	bool found = false;

	while (path && *path && !found) {
		size_t n = strcspn(path, ":");
		buf_clear(&try);
		buf_addf(&try, "%.*s/%s", (int)n, path, name);
		found = access(try.data, X_OK) == 0;
		path += n + (path[n] == ':');
	}
	buf_free(&try);
	return found;
}

/* EDITOR may hold arguments and quotes, so sh takes it apart, as for git; blanks alone are no editor. */
char *editor_choose(void)
{
	static const char *const variables[] = { "VISUAL", "EDITOR" };
	static const char *const programs[] = { "sensible-editor", "editor", "nano", "vi" };

	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		const char *value = getenv(variables[i]);
		if (value && value[strspn(value, " \t")])
			return xstrdup(value);
	}
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (is_in_path(programs[i]))
			return xstrdup(programs[i]);
	return NULL;
}

static bool is_blank(const struct buf *text)
{
	for (size_t i = 0; i < text->len; i++)
		if (!strchr(" \t\r\n\f", text->data[i]) || !text->data[i])
			return false;
	return true;
}

bool editor_has_draft(const char *path)
{
	struct buf text = { 0 };
	bool there = fs_exists(AT_FDCWD, path) && !(fs_read(AT_FDCWD, path, DRAFT_MAX, &text, NULL) && is_blank(&text));

	buf_free(&text);
	return there;
}

static enum edit_result judge(struct ui *ui, const char *path, const struct buf *began, int64_t took_us)
{
	struct buf now = { 0 };
	struct err e = { 0 };
	bool same;

	if (!fs_read(AT_FDCWD, path, DRAFT_MAX, &now, &e)) {
		ui_error(ui, "the draft cannot be read, nothing was run: %s", e.msg);
		buf_free(&now);
		return EDIT_FAILED;
	}
	if (is_blank(&now)) {
		ui_notice(ui, "the text is empty: nothing was run");
		buf_free(&now);
		return EDIT_UNCHANGED;
	}
	same = now.len == began->len && (now.len == 0 || memcmp(now.data, began->data, now.len) == 0);
	buf_free(&now);
	if (!same)
		return EDIT_CHANGED;
	if (took_us < AT_ONCE_US)
		ui_notice(ui, "the editor came back at once and the text is unchanged: nothing was run. If it opened a window, "
		          "save there and press the key again; the draft is %s", path);
	else
		ui_notice(ui, "the text is unchanged: nothing was run");
	return EDIT_UNCHANGED;
}

enum edit_result editor_run(struct ui *ui, const char *path, const struct buf *began)
{
	char *editor = editor_choose();
	const char *const args[] = { path, NULL };
	struct err e = { 0 };
	int64_t start = clock_mono_us();
	enum edit_result result = EDIT_FAILED;
	int status;

	if (!editor) {
		ui_error(ui, "no editor was found: set EDITOR; the draft is %s", path);
		return EDIT_FAILED;
	}
	status = spawn_foreground(ui, editor, args, &e);
	if (status == -1)
		ui_error(ui, "%s; the draft is %s", e.msg, path);
	else if (WIFSIGNALED(status) || WEXITSTATUS(status) > 128) /* sh tells so of what it started */
		ui_error(ui, "the editor (%s) was ended by signal %d: nothing was run; the draft is %s", editor,
		         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128, path);
	else if (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126)
		ui_error(ui, "the editor (%s) could not be started: set EDITOR; nothing was run; the draft is %s", editor, path);
	else if (WEXITSTATUS(status) != 0)
		ui_error(ui, "the editor (%s) ended with status %d: nothing was run; the draft is %s", editor,
		         WEXITSTATUS(status), path);
	else
		result = judge(ui, path, began, clock_mono_us() - start);
	free(editor);
	return result;
}
