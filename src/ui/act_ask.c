/*
 * A: a request in plain words goes to the user's assistant, the code comes back into the editor. The
 * assistant has the terminal meanwhile: it may be slow, say something, or be broken off by Ctrl-C.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawn.h"

#define DRAFT_MOST ((size_t)16 << 20)

/* The last line that it said. */
static bool why_not(const char *path, struct err *e)
{
	struct buf b = { 0 };
	const char *line = "";

	if (fs_read(AT_FDCWD, path, 1 << 20, &b, NULL) && b.len > 0) {
		while (b.len > 0 && b.data[b.len - 1] == '\n')
			b.data[--b.len] = '\0';
		const char *lf = strrchr(b.data, '\n');
		line = lf ? lf + 1 : b.data;
	}
	err_set(e, ERR_INPUT, "no draft: %s", *line ? line : "the assistant was broken off");
	buf_free(&b);
	return false;
}

/* By the program itself, as everything that the screen starts; its stdout into a file beside the record. */
static bool draft(struct ui *ui, const char *request, struct buf *code, struct err *e)
{
	static const char shell[] =
		"f() { umask 077; echo \"asking for: $2\" >&2; /proc/$PPID/exe -C \"$1\" draft -- \"$2\" >\"$3\" 2>\"$4\"; }; f";
	char *dir = path_dir(ui->record), *drafts = path_join(dir, "drafts"), *out = path_join(drafts, "answer"),
	     *said = path_join(drafts, "answer.err");
	const char *const args[] = { ui->root, request, out, said, NULL };
	bool ok = fs_mkdirs(AT_FDCWD, drafts, e);

	if (ok) {
		int status = spawn_foreground(ui, shell, args, e);
		ok = status >= 0 && ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || why_not(said, e)) &&
		     fs_read(AT_FDCWD, out, DRAFT_MOST, code, e);
		unlink(out);
		unlink(said);
	}
	free(said);
	free(out);
	free(drafts);
	free(dir);
	return ok;
}

static void ask_now(void *ctx, const char *text)
{
	struct ui *ui = ctx;
	struct buf code = { 0 };
	struct err e = { 0 };

	if (text[strspn(text, " ")] == '\0')
		return;
	char *assistant = setting_get(NULL, "assistant", NULL, &e);
	if (!assistant) {
		ui_error(ui, "%s", e.code != ERR_NONE ? e.msg : "there is no assistant: tickmark config --user assistant COMMAND sets it");
		return;
	}
	char *purpose = xasprintf("drafted by an assistant (%s) for: %s", assistant, text);
	if (draft(ui, text, &code, &e)) {
		ui->after_prompt |= act_drafted(ui, &code, purpose);
	} else {
		ui_error(ui, "%s", e.msg);
		ui->after_prompt |= TURN_CLEAR;
	}
	buf_free(&code);
	free(purpose);
	free(assistant);
}

static const struct prompt_ops question = { .label = "ask for: ", .kind = PROMPT_TEXT, .done = ask_now };

unsigned act_ask(struct view *v, const char *arg)
{
	(void)arg;
	if (!v->ui->record)
		ui_notice(v->ui, "there is no record here yet: Enter creates one");
	else
		ui_ask(v->ui, &question, v->ui, NULL, HISTORY_COUNT);
	return TURN_DRAW;
}
