/* The table of commands and keys, and the map from one to the other. */
#include "keys.h"

#include <stdlib.h>
#include <string.h>

/* One row per command; the keys of lists and views, of pager, table and dossier, and of the diff. */
#define EVERYWHERE(k) { k, k, k }
#define LISTS(k)      { [PLACE_LIST] = k }
#define PAGERS(k)     { [PLACE_PAGER] = k }
#define DIFFS(k)      { [PLACE_DIFF] = k }

const struct command_info command_table[] = {
	{ CMD_DOWN, "down", EVERYWHERE("j Down"), "one row down", 0 },
	{ CMD_UP, "up", EVERYWHERE("k Up"), "one row up", 0 },
	{ CMD_PAGE_DOWN, "page-down", EVERYWHERE("Space PgDn"), "one page down", 0 },
	{ CMD_PAGE_UP, "page-up", EVERYWHERE("b PgUp"), "one page up", 0 },
	{ CMD_HALF_DOWN, "half-down", EVERYWHERE("Ctrl-D"), "half a page down", 0 },
	{ CMD_HALF_UP, "half-up", EVERYWHERE("Ctrl-U"), "half a page up", 0 },
	{ CMD_FIRST, "first", EVERYWHERE("g Home"), "to the first row", 0 },
	{ CMD_LAST, "last", EVERYWHERE("G End"), "to the last row", 0 },
	{ CMD_OPEN, "open", LISTS("Enter"), "unfold or fold; a line: full screen", 0 },
	{ CMD_LINK, "link", PAGERS("Enter"), "open what a line names (traceback, filter); else earlier states", 0 },
	{ CMD_OPEN_PLACE, "open-place", DIFFS("Enter"), "open this place", 0 },
	{ CMD_UNFOLD, "unfold", LISTS("Right l"), "unfold", 0 },
	{ CMD_FOLD, "fold", LISTS("Left h"), "fold; then to the row above it", 0 },
	{ CMD_SIDE_RIGHT, "side-right", { NULL, "Right l", "Right l" }, "scroll to the right", 0 },
	{ CMD_SIDE_LEFT, "side-left", { NULL, "Left h", "Left h" }, "scroll to the left", 0 },
	{ CMD_UNFOLD_ALL, "unfold-all", LISTS("+"), "unfold everything below this row", 0 },
	{ CMD_FOLD_ALL, "fold-all", LISTS("-"), "fold everything", 0 },
	{ CMD_DOSSIER, "dossier", EVERYWHERE("p"), "dossier: everything about an attempt on one page", 0 },

	{ CMD_NEXT_PANE, "next-pane", LISTS("Tab"), "next pane", 0 },
	{ CMD_PREV_PANE, "prev-pane", LISTS("S-Tab"), "previous pane", 0 },
	{ CMD_NEXT_LOOK, "next-look", PAGERS("Tab"), "streams: both, out, err; files: values, formulas, table, text, JSON, picture, hex", 0 },
	{ CMD_PREV_LOOK, "prev-look", PAGERS("S-Tab"), "the way of looking before", 0 },
	{ CMD_NEXT_LAYOUT, "next-layout", DIFFS("Tab"), "unified or side by side", 0 },
	{ CMD_PREV_LAYOUT, "prev-layout", DIFFS("S-Tab"), "unified or side by side", 0 },
	{ CMD_WORKSPACE, "workspace", EVERYWHERE("1"), "pane Workspace: the attached files", 0 },
	{ CMD_EXECUTION, "execution", EVERYWHERE("2"), "pane Execution: steps and attempts", 0 },
	{ CMD_ARTIFACTS, "artifacts", EVERYWHERE("3"), "pane Artifacts: the files that attempts made", 0 },
	{ CMD_MESSAGES, "messages", EVERYWHERE("4"), "messages of people and assistants, and what they cite", 0 },
	{ CMD_QUEUE, "queue", EVERYWHERE("5"), "review queue, worst first (`:queue 25 7`: a sample, its seed)", COMMAND_ARG },
	{ CMD_SESSIONS, "sessions", EVERYWHERE("6"), "sessions", COMMAND_LATER },
	{ CMD_NOTICES, "notices", EVERYWHERE("7"), "notices: all that the last line said", 0 },
	{ CMD_MAXIMISE, "maximise", EVERYWHERE("z"), "this pane alone, or all three", 0 },

	{ CMD_REPEAT, "repeat", EVERYWHERE("r"), "repeat: same code, recorded inputs, as a check",
	  COMMAND_WRITES | COMMAND_ACTS | COMMAND_REVIEWS },
	{ CMD_RERUN, "rerun", { "R", "R", NULL }, "rerun: same code on the files of now, as a new attempt",
	  COMMAND_WRITES | COMMAND_ACTS },
	{ CMD_EDIT, "edit", EVERYWHERE("e"), "edit the code and run it as a new attempt", COMMAND_WRITES | COMMAND_ACTS },
	{ CMD_ADD, "add", EVERYWHERE("a"), "add a step: write code and run it", COMMAND_WRITES | COMMAND_ACTS },
	{ CMD_STOP, "stop", EVERYWHERE("x"), "stop what runs (Enter confirms; `:stop all`)",
	  COMMAND_ARG | COMMAND_ACTS },
	{ CMD_ASK, "ask", EVERYWHERE("A"), "ask the assistant for a draft", COMMAND_WRITES | COMMAND_ACTS },
	{ CMD_TELL, "tell", EVERYWHERE("L"), "let the assistant tell of this attempt, as a message that cites it", COMMAND_WRITES },
	{ CMD_PYTHON, "python", EVERYWHERE("i"), "a line of Python in the session", COMMAND_LATER },

	{ CMD_SEARCH, "search", EVERYWHERE("/"), "search here (a regular expression)", COMMAND_ARG },
	{ CMD_SEARCH_NEXT, "search-next", EVERYWHERE("n"), "next hit", 0 },
	{ CMD_SEARCH_PREV, "search-prev", EVERYWHERE("N"), "previous hit", 0 },
	{ CMD_SEARCH_RECORD, "search-record", EVERYWHERE("S"), "search the whole record: code, streams, files, notes …", COMMAND_ARG },
	{ CMD_FILTER, "filter", LISTS("f"), "only steps that fit: outcome:error mark:none asker: age: input: verdict: text; elsewhere rows that match", COMMAND_ARG },
	{ CMD_FILTER_LINES, "filter-lines", { NULL, "f", "f" }, "only lines (table rows) that match; Esc shows all", COMMAND_ARG },
	{ CMD_NEXT_STEP, "next-step", LISTS(". ]"), "next step", 0 },
	{ CMD_PREV_STEP, "prev-step", LISTS(", ["), "previous step", 0 },
	{ CMD_NEXT_SECTION, "next-section", PAGERS(". ]"), "next section of the attempt, or sheet, page, slide, filter line", 0 },
	{ CMD_PREV_SECTION, "prev-section", PAGERS(", ["), "the one before it", 0 },
	{ CMD_NEXT_HUNK, "next-hunk", DIFFS(". ]"), "next difference", 0 },
	{ CMD_PREV_HUNK, "prev-hunk", DIFFS(", ["), "previous difference", 0 },
	{ CMD_NEXT_FAILED, "next-failed", LISTS("> }"), "next step that is not ok", 0 },
	{ CMD_PREV_FAILED, "prev-failed", LISTS("< {"), "previous step that is not ok", 0 },
	{ CMD_NEXT_ATTEMPT, "next-attempt", PAGERS("> }"), "same section of the next attempt", 0 },
	{ CMD_PREV_ATTEMPT, "prev-attempt", PAGERS("< {"), "same section of the previous attempt", 0 },
	{ CMD_NEXT_FILE, "next-file", DIFFS("> }"), "next file", 0 },
	{ CMD_PREV_FILE, "prev-file", DIFFS("< {"), "previous file", 0 },
	{ CMD_NEXT_REVIEW, "next-review", EVERYWHERE("u"), "next to review", 0 },
	{ CMD_PREV_REVIEW, "prev-review", EVERYWHERE("U"), "previous to review", 0 },
	{ CMD_GOTO, "goto", { NULL }, "go to a reference, line or share: `:7.2`, `:120`, `:50%`", COMMAND_ARG },

	{ CMD_COPY, "copy", EVERYWHERE("y"), "copy the reference, the text full screen, or the selection", 0 },
	{ CMD_SELECT, "select", { NULL, "v", "v" }, "select lines, for copying", 0 },
	{ CMD_SAVE, "save", EVERYWHERE("s"), "save an artifact into the folder", COMMAND_ARG },
	{ CMD_OUTSIDE, "outside", EVERYWHERE("o"), "open a copy of an artifact outside (asks)", 0 },
	{ CMD_MARK, "mark", EVERYWHERE("t"), "mark: Tab chooses the judgement, a note, Enter files it (`:mark record`: all of it)",
	  COMMAND_ARG | COMMAND_WRITES | COMMAND_REVIEWS },
	{ CMD_NOTE, "note", EVERYWHERE("c"), "write a note on the attempt, the line or the file",
	  COMMAND_ARG | COMMAND_WRITES | COMMAND_REVIEWS },
	{ CMD_CITE, "cite", EVERYWHERE("m"), "write a message that cites this", COMMAND_WRITES | COMMAND_REVIEWS },
	{ CMD_TRACE, "trace", EVERYWHERE("T"), "trace where a file came from", COMMAND_LATER },
	{ CMD_DIFF, "diff", { "d", "d", NULL }, "difference to the previous attempt, or `:diff 7.1`", COMMAND_ARG },
	{ CMD_DIFF_PICK, "diff-pick", { "D", "D", NULL }, "pick this, then the other, for a difference", 0 },
	{ CMD_CORRECTIONS, "corrections", EVERYWHERE("C"), "corrections of this step: code and error, each against what it corrects", 0 },
	{ CMD_SWAP, "swap", DIFFS("D"), "swap the sides", 0 },
	{ CMD_REPORT, "report", { NULL }, "write what was reviewed: `:report review.html`, .md or .csv",
	  COMMAND_ARG | COMMAND_WRITES | COMMAND_REVIEWS },

	{ CMD_WRAP, "wrap", PAGERS("w"), "wrap long lines, or scroll them sideways", 0 },
	{ CMD_CONTEXT, "context", DIFFS("+"), "more lines around each difference", 0 },
	{ CMD_LESS_CONTEXT, "less-context", DIFFS("-"), "fewer lines around each difference", 0 },
	{ CMD_SPACE, "white-space", DIFFS("W"), "ignore white space; what it hides is counted", 0 },
	{ CMD_SORT, "sort", PAGERS("^"), "table: sort by this column; again: the other way; again: as in the file", 0 },
	{ CMD_STATISTICS, "statistics", PAGERS("="), "table: what this column holds", 0 },
	{ CMD_HEADER, "header", PAGERS("H"), "table: whether row 1 names the columns, or is data", 0 },
	{ CMD_ENCODING, "encoding", { NULL }, "read a file in another encoding: `:encoding latin1`", COMMAND_ARG },
	{ CMD_NUMBERS, "numbers", PAGERS("#"), "line numbers", 0 },
	{ CMD_TIMES, "times", PAGERS("@"), "when each line came", 0 },
	{ CMD_FOLLOW, "follow", EVERYWHERE("F"), "follow the newest attempt, or a stream's end", 0 },
	{ CMD_MOUSE, "mouse", EVERYWHERE("M"), "mouse on or off; off: select with the terminal", 0 },
	{ CMD_EXCLUDED, "excluded", LISTS("I"), "show the files that were left out, and why", 0 },
	{ CMD_BRANCH, "branch", LISTS("B"), "branch a session from here", COMMAND_LATER },
	{ CMD_REWIND, "rewind", LISTS("Z"), "back to the state before", COMMAND_LATER },
	{ CMD_THEME, "theme", { NULL }, "another theme: `:theme light`; `:theme` alone tries them on", COMMAND_ARG },
	{ CMD_SET, "set", { NULL }, "a setting: `:set timeout 30m`, `:set timeout?`, `:set theme light`", COMMAND_ARG },

	{ CMD_HELP, "help", EVERYWHERE("? F1"), "help for this place", 0 },
	{ CMD_COMMAND_LINE, "command-line", EVERYWHERE(":"), "commands by name", 0 },
	{ CMD_BACK, "back", EVERYWHERE("q"), "one level back; at the top: quit", 0 },
	{ CMD_ESCAPE, "escape", EVERYWHERE("Esc"), "clear selection and highlight, then one level back", 0 },
	{ CMD_QUIT, "quit", EVERYWHERE("Q"), "quit from anywhere; runs go on", 0 },
	{ CMD_CANCEL, "cancel", EVERYWHERE("Ctrl-C"), "cancel the screen's own work, never a run", 0 },
	{ CMD_REDRAW, "redraw", EVERYWHERE("Ctrl-L"), "draw everything again", 0 },
	{ CMD_SUSPEND, "suspend", EVERYWHERE("Ctrl-Z"), "suspend", 0 },
};

const size_t command_table_len = ARRAY_LEN(command_table);

const struct command_info *command_info(enum command id)
{
	for (size_t i = 0; i < command_table_len; i++)
		if (command_table[i].id == id)
			return &command_table[i];
	return NULL;
}

/* Other names for the same, so that nobody is turned away for a word. */
static const struct {
	const char *name;
	enum command id;
} aliases[] = { { "refresh", CMD_RERUN }, { "q", CMD_BACK }, { "quit!", CMD_QUIT }, { "files", CMD_WORKSPACE } };

const struct command_info *command_find(const char *name, size_t len)
{
	for (size_t i = 0; i < command_table_len; i++)
		if (strlen(command_table[i].name) == len && memcmp(command_table[i].name, name, len) == 0)
			return &command_table[i];
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (strlen(aliases[i].name) == len && memcmp(aliases[i].name, name, len) == 0)
			return command_info(aliases[i].id);
	return NULL;
}

const char *place_word(enum place p)
{
	static const char *const words[] = { "lists and views", "pager", "diff" };

	return words[p];
}

/* ---- the map ------------------------------------------------------------------------------------- */

struct binding {
	uint32_t key;
	enum command id;
};

struct keymap {
	struct binding *bindings[PLACE_COUNT]; /* in order of the table, then of binding */
	size_t n[PLACE_COUNT], cap[PLACE_COUNT];
};

static void unbind_key(struct keymap *m, enum place p, uint32_t key)
{
	for (size_t i = 0; i < m->n[p]; i++) {
		if (m->bindings[p][i].key == key) {
			m->n[p]--;
			memmove(&m->bindings[p][i], &m->bindings[p][i + 1], (m->n[p] - i) * sizeof(struct binding));
			return;
		}
	}
}

static void unbind_command(struct keymap *m, enum place p, enum command id)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n[p]; i++)
		if (m->bindings[p][i].id != id)
			m->bindings[p][kept++] = m->bindings[p][i];
	m->n[p] = kept;
}

static void bind_key(struct keymap *m, enum place p, uint32_t key, enum command id)
{
	unbind_key(m, p, key);
	m->bindings[p] = grow(m->bindings[p], m->n[p], &m->cap[p], sizeof(struct binding));
	m->bindings[p][m->n[p]++] = (struct binding){ key, id };
}

/* The next blank-separated word of *at into word; false at the end. */
static bool next_key(const char **at, char word[KEY_TEXT])
{
	size_t n;

	*at += strspn(*at, " \t");
	n = strcspn(*at, " \t");
	if (n == 0)
		return false;
	snprintf(word, KEY_TEXT, "%.*s", (int)MIN(n, (size_t)KEY_TEXT - 1), *at);
	*at += n;
	return true;
}

static void bind_keys(struct keymap *m, enum place p, const char *keys, enum command id)
{
	char word[KEY_TEXT];

	while (next_key(&keys, word))
		bind_key(m, p, key_parse(word), id);
}

struct keymap *keymap_new(void)
{
	struct keymap *m = xcalloc(1, sizeof(*m));

	for (size_t i = 0; i < command_table_len; i++)
		for (int p = 0; p < PLACE_COUNT; p++)
			if (command_table[i].keys[p])
				bind_keys(m, p, command_table[i].keys[p], command_table[i].id);
	return m;
}

void keymap_free(struct keymap *m)
{
	if (!m)
		return;
	for (int p = 0; p < PLACE_COUNT; p++)
		free(m->bindings[p]);
	free(m);
}

bool keymap_bind(struct keymap *m, const char *command, const char *keys, struct err *e)
{
	const struct command_info *info = command_find(command, strlen(command));
	const char *at = keys;
	char word[KEY_TEXT];
	bool anywhere = false;

	if (!info)
		return err_set(e, ERR_INPUT, "key.%s: there is no command of that name", command);
	while (next_key(&at, word))
		if (key_parse(word) == K_NONE)
			return err_set(e, ERR_INPUT, "key.%s: '%s' is no key (examples: x, Ctrl-L, F5, PgDn, Space)",
			               command, word);
	for (int p = 0; p < PLACE_COUNT; p++)
		anywhere = anywhere || info->keys[p];
	for (int p = 0; p < PLACE_COUNT; p++) {
		if (anywhere && !info->keys[p])
			continue;
		unbind_command(m, p, info->id);
		bind_keys(m, p, keys, info->id);
	}
	return true;
}

enum command keymap_find(const struct keymap *m, enum place p, uint32_t key)
{
	for (size_t i = 0; i < m->n[p]; i++)
		if (m->bindings[p][i].key == key)
			return m->bindings[p][i].id;
	return CMD_NONE;
}

void keymap_key(const struct keymap *m, enum place p, enum command id, char out[KEY_TEXT])
{
	out[0] = '\0';
	for (size_t i = 0; i < m->n[p]; i++) {
		if (m->bindings[p][i].id == id) {
			key_label(m->bindings[p][i].key, out);
			return;
		}
	}
}

void keymap_keys(const struct keymap *m, enum place p, enum command id, struct buf *out)
{
	char name[KEY_TEXT];

	for (size_t i = 0; i < m->n[p]; i++) {
		if (m->bindings[p][i].id != id)
			continue;
		key_label(m->bindings[p][i].key, name);
		if (out->len)
			buf_addc(out, ' ');
		buf_adds(out, name);
	}
}
