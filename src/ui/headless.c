/* Reads a key script, feeds it to the same dispatch as a terminal does, and dumps the canvas. */
#include "headless.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spawn.h"

#define SCRIPT_MAX ((size_t)16 << 20)
#define PATIENCE_US 60000000 /* of wait and wait-idle */
#define QUIET_MS 40          /* so long nothing may come before it counts as quiet, twice */

struct player {
	struct ui *ui;
	const char *name; /* of the script */
	int line;
	bool quit;
	bool dumped;      /* something was printed since the last input */
	int status;
	struct err *e;
};

static bool fail(struct player *p, const char *what, const char *text)
{
	if (p->status == 0)
		err_set(p->e, ERR_INPUT, "%s:%d: %s: %s", p->name, p->line, what, text);
	p->status = 1;
	return false;
}

/* ---- turns ------------------------------------------------------------------------------------------------- */

static void take_mask(struct player *p, unsigned mask)
{
	p->quit = p->quit || mask & TURN_QUIT;
	if (!p->quit)
		ui_draw(p->ui);
}

static void send(struct player *p, const struct event *ev)
{
	if (p->quit)
		return;
	p->dumped = false;
	take_mask(p, ui_event(p->ui, ev));
}

/* One turn of the loop; true when nothing happened and nothing is left to do. */
static bool turn(struct player *p, int timeout_ms)
{
	struct view *v = ui_top(p->ui);
	bool idle, more = false;
	unsigned mask = loop_turn(p->ui->loop, timeout_ms, &idle);

	mask |= ui_poll_record(p->ui) | ui_tick(p->ui);
	if (v == ui_top(p->ui))
		mask |= view_idle(v, &more);
	take_mask(p, mask);
	return idle && !more && mask == TURN_NOTHING && workers_busy(p->ui->workers) == 0 && spawn_count(p->ui) == 0 &&
	       p->ui->running == 0;
}

static bool wait_idle(struct player *p)
{
	int64_t until = clock_mono_us() + PATIENCE_US;
	int quiet = 0;

	while (quiet < 2 && !p->quit) {
		quiet = turn(p, quiet ? QUIET_MS : 5) ? quiet + 1 : 0;
		if (clock_mono_us() > until)
			return fail(p, "wait-idle", "it did not become idle in 60 s");
	}
	return true;
}

/* ---- what is on the screen ----------------------------------------------------------------------------------- */

static bool is_on_screen(struct player *p, const char *text)
{
	struct buf dump = { 0 };
	bool found;

	ui_draw(p->ui);
	canvas_dump_text(p->ui->canvas, &dump);
	found = strstr(dump.data, text) != NULL;
	buf_free(&dump);
	return found;
}

static bool wait_for_text(struct player *p, const char *text)
{
	int64_t until = clock_mono_us() + PATIENCE_US;

	while (!is_on_screen(p, text) && !p->quit) {
		turn(p, 20);
		if (clock_mono_us() > until)
			return fail(p, "wait", text);
	}
	return true;
}

static void dump(struct player *p, const char *what)
{
	struct buf out = { 0 };

	if (p->quit)
		return;
	ui_draw(p->ui);
	if (strcmp(what, "style") != 0)
		canvas_dump_text(p->ui->canvas, &out);
	if (strcmp(what, "text") != 0) {
		buf_adds(&out, "---- style\n");
		canvas_dump_style(p->ui->canvas, &out);
	}
	fwrite(out.data, 1, out.len, stdout);
	buf_free(&out);
	p->dumped = true;
}

/* ---- commands of the language ------------------------------------------------------------------------------------ */

static bool do_key(struct player *p, char *arg)
{
	char *save, *name;

	for (name = strtok_r(arg, " \t", &save); name; name = strtok_r(NULL, " \t", &save)) {
		struct event ev = { .kind = EVENT_KEY, .key = key_parse(name) };
		if (ev.key == K_NONE)
			return fail(p, "no such key", name);
		send(p, &ev);
	}
	return true;
}

static bool do_text(struct player *p, char *arg)
{
	struct keydec *dec = keydec_new(1);
	struct event ev;

	keydec_feed(dec, arg, strlen(arg), 0);
	while (keydec_next(dec, &ev, 0))
		send(p, &ev);
	keydec_free(dec);
	return true;
}

static bool do_paste(struct player *p, char *arg)
{
	static const char from[] = "nrte\\", to[] = "\n\r\t\x1b\\";
	struct buf text = { 0 };

	for (; *arg; arg++) {
		const char *found = *arg == '\\' && arg[1] ? strchr(from, arg[1]) : NULL;
		buf_addc(&text, found ? to[found - from] : *arg);
		arg += found != NULL;
	}
	struct event ev = { .kind = EVENT_PASTE, .text = text.data ? text.data : "", .len = text.len };
	send(p, &ev);
	buf_free(&text);
	return true;
}

static bool do_mouse(struct player *p, char *arg)
{
	static const struct {
		const char *word;
		enum mouse_action action;
	} words[] = { { "press", MOUSE_PRESS }, { "release", MOUSE_RELEASE }, { "wheel-up", MOUSE_WHEEL_UP },
		      { "wheel-down", MOUSE_WHEEL_DOWN } };
	char word[16];
	struct event ev = { .kind = EVENT_MOUSE, .button = 1 };

	if (sscanf(arg, "%15s %d %d", word, &ev.x, &ev.y) != 3)
		return fail(p, "expected mouse WHAT X Y", arg);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (strcmp(word, words[i].word) == 0) {
			ev.action = words[i].action;
			send(p, &ev);
			return true;
		}
	}
	return fail(p, "no such mouse action", word);
}

static bool do_wait_idle(struct player *p, char *arg)
{
	(void)arg;
	return wait_idle(p);
}

static bool do_wait(struct player *p, char *arg)
{
	return wait_for_text(p, arg);
}

static bool do_see(struct player *p, char *arg)
{
	return is_on_screen(p, arg) || fail(p, "is not on the screen", arg);
}

static bool do_unsee(struct player *p, char *arg)
{
	return !is_on_screen(p, arg) || fail(p, "is on the screen", arg);
}

static bool do_resize(struct player *p, char *arg)
{
	int w, h;

	if (sscanf(arg, "%dx%d", &w, &h) != 2 || w < 1 || h < 1 || w > 2000 || h > 2000)
		return fail(p, "expected resize COLSxROWS", arg);
	p->dumped = false;
	take_mask(p, ui_resize(p->ui, w, h));
	return true;
}

static bool do_dump(struct player *p, char *arg)
{
	dump(p, *arg ? arg : "text");
	return true;
}

static const struct {
	const char *name;
	bool (*run)(struct player *p, char *arg);
} commands[] = {
	{ "key", do_key }, { "text", do_text }, { "paste", do_paste }, { "mouse", do_mouse }, { "wait-idle", do_wait_idle },
	{ "wait", do_wait }, { "see", do_see }, { "unsee", do_unsee }, { "resize", do_resize }, { "dump", do_dump },
};

static bool play_line(struct player *p, char *line)
{
	size_t n = strcspn(line, " ");
	char *arg = line + n + (line[n] == ' ');

	if (line[0] == '\0' || line[0] == '#')
		return true;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strlen(commands[i].name) == n && strncmp(commands[i].name, line, n) == 0)
			return commands[i].run(p, arg);
	return fail(p, "no such command of a key script", line);
}

static void play(struct player *p, char *script)
{
	char *next;

	ui_draw(p->ui);
	for (char *line = script; line && p->status == 0 && !p->quit; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		p->line++;
		play_line(p, line);
	}
}

int headless_run(struct ui *ui, const struct ui_options *options, struct err *e)
{
	struct player p = { .ui = ui, .name = path_base(options->script), .e = e };
	const char *what = options->dump ? options->dump : "text";
	struct buf script = { 0 };
	bool ok;

	if (strcmp(options->script, "-") == 0)
		ok = fs_read_fd(STDIN_FILENO, "key script", SCRIPT_MAX, &script, e);
	else
		ok = fs_read(AT_FDCWD, options->script, SCRIPT_MAX, &script, e);
	if (!ok) {
		buf_free(&script);
		return 2;
	}
	play(&p, script.data ? script.data : (char[]){ "" });
	/* a failure shows what was there instead */
	if ((!p.dumped || p.status) && strcmp(what, "none") != 0)
		dump(&p, what);
	fflush(stdout);
	buf_free(&script);
	return p.status;
}
