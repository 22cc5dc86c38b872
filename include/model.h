/*
 * model: what the product does. The only layer that sees both the store and the sandbox; the
 * front ends (cli, ui, mcp) see this layer and no deeper. Runs are in model/run.h, reading the
 * record in model/query.h; here are the workspace, its attached files, settings and interpreters.
 */
#ifndef TICKMARK_MODEL_H
#define TICKMARK_MODEL_H

#include "record.h"

#define TICKMARK_VERSION "0.1.0"

/* ---- the workspace (workspace.c) --------------------------------------------------------- */

struct workspace;

/* Opens the workspace that holds `from` (a folder; upward as git does, stopping at file system
 * borders no more than git does). ERR_NOTFOUND "no record here or above; tickmark init makes one". */
struct workspace *workspace_open(const char *from, struct err *e);
void workspace_close(struct workspace *ws);
const char *workspace_root(const struct workspace *ws);   /* absolute, symlinks resolved */
/* Does another process hold the record, so that what is written now would have to wait? Does not wait itself. */
bool workspace_is_locked(struct workspace *ws);
const char *workspace_record(const struct workspace *ws); /* path of record.db */
/* Is it the review of a record from elsewhere? It has no files; marks, notes, messages and checks are all that is added. */
bool workspace_is_review(const struct workspace *ws);
/* Makes .tickmark in `dir` with the record, its own .gitignore and a CACHEDIR.TAG in its cache, all
 * 0700/0600. Refuses /, a home directory itself, /tmp itself, and a folder inside a .tickmark. */
bool workspace_create(const char *dir, struct err *e);
/* Whether workspace_create would refuse, without doing anything. */
bool workspace_may_create(const char *dir, struct err *e);
/* What to tell the user about the record's place ("network file system: no WAL …"), or NULL. */
const char *workspace_notice(const struct workspace *ws);
/* The isolation that runs get here, as it was found last in this boot; TIER_NONE while nobody looked. Looks at
 * nothing itself. */
enum tier workspace_tier(struct workspace *ws);
/* Brings the WAL into record.db when nobody else is busy; called at the end of a command. */
void workspace_settle(struct workspace *ws);

/* ---- attached files (attach.c, ignore.c) --------------------------------------------------- */

enum exclusion {
	EXCLUDE_NOT,       /* attached */
	EXCLUDE_HIDDEN,    /* name begins with a dot */
	EXCLUDE_GITIGNORE, /* a rule of a .gitignore, inside a git tree */
	EXCLUDE_IGNORE,    /* a rule of .tickmarkignore */
	EXCLUDE_VENV,      /* a virtual environment (pyvenv.cfg) */
	EXCLUDE_MODULES,   /* node_modules */
	EXCLUDE_PYCACHE,   /* __pycache__ */
	EXCLUDE_LOCK,      /* office lock file, ~$… */
	EXCLUDE_OUTSIDE,   /* symlink that leaves the workspace or dangles */
	EXCLUDE_SPECIAL,   /* FIFO, socket, device */
	EXCLUDE_UNREADABLE,
	EXCLUDE_TOO_LARGE, /* over the limit of a file */
	EXCLUDE_TOO_MANY,  /* over the limit of files */
	EXCLUDE_REMOVED,   /* taken out by `attach remove` */
	EXCLUDE_COUNT,
};
const char *exclusion_text(enum exclusion x); /* "hidden", "ignored by .gitignore" … */

struct attached {
	const char *path;        /* as attempts see it; a folder that is left out whole ends in "/" */
	const char *source;      /* where it is, when elsewhere; NULL */
	enum exclusion excluded;
	const char *detail;      /* the rule and where it stands: ".gitignore:3: *.log"; NULL */
	int64_t size;
	int64_t mtime_us;
	struct digest content;   /* of what the record alone has; zero: a file */
};
struct attach_totals {
	int64_t files, bytes;            /* attached */
	int64_t excluded[EXCLUDE_COUNT]; /* by reason; a folder left out whole counts once */
};
/* Everything under `dir` in order of path, attached and left out (what lies below a folder that is
 * left out whole is not visited). Works without a record (`ws` NULL) to show what init would take. */
bool attach_scan(struct workspace *ws, const char *dir, bool (*fn)(void *ctx, const struct attached *a),
                 void *ctx, struct attach_totals *totals, struct err *e);
/* Why one path is (not) attached. */
bool attach_why(struct workspace *ws, const char *path, enum exclusion *x, struct buf *detail, struct err *e);
/* The bytes of one attached file, as an attempt that starts now would see them, for reading; -1 on failure:
 * ERR_NOTFOUND, or ERR_INPUT with the reason for which it is left out. */
int attach_open(struct workspace *ws, const char *name, struct err *e);
/* Attaches a file from elsewhere under `name` (NULL: its base name; a path below the workspace that
 * was left out by a rule may be attached too), bytes from a descriptor, or takes a name out. */
bool attach_add(struct workspace *ws, const char *path, const char *name, struct err *e);
bool attach_add_fd(struct workspace *ws, int fd, const char *name, const char *origin, struct err *e);
bool attach_remove(struct workspace *ws, const char *name, struct err *e);

/* ---- settings (settings.c): .tickmark/config of the workspace, ~/.config/tickmark/config ------ */

struct setting_info {
	const char *name;      /* "python", "timeout", "memory" … : every limit and what else there is */
	const char *help;
	const char *example;
};
extern const struct setting_info setting_table[];
extern const size_t setting_table_len;
/* Those, abbreviations of notes (legend.X) and what is the screen's own (theme, mouse, key.NAME). */
bool setting_is_known(const char *name);
/* Path of the user's own settings; owned, NULL where there is no home. */
char *settings_user_path(void);
/* The value in force and where it comes from ("default", "user", "workspace"); owned; NULL: none. */
char *setting_get(struct workspace *ws, const char *name, const char **from, struct err *e);
/* The same, for whom no value is as good as one: false only where the settings cannot be read. */
bool setting_read(struct workspace *ws, const char *name, char **value, struct err *e);
bool setting_set(struct workspace *ws, const char *name, const char *value, struct err *e); /* NULL unsets */
/* Adds the names that are set and stand in no table: theme, mouse, key.NAME, legend.X. */
bool settings_others(struct workspace *ws, struct strv *names, struct err *e);
/* Limits in force for this asker: defaults, then user's, then workspace's settings. */
bool settings_policy(struct workspace *ws, enum asker_kind asker, struct policy *out, struct err *e);
/* How many runs of one assistant's program go on at once: setting `assistant-runs`. */
#define ASSISTANT_RUNS_MOST 32
bool settings_assistant_runs(struct workspace *ws, int64_t *n, struct err *e);
/* Name of the person: setting `name`, else git's user.name, else the login; owned. NULL where the settings cannot
 * be read; with `e` NULL that does not count (what stops a run must always work). */
char *settings_person(struct workspace *ws, struct err *e);

/* ---- interpreters (interpreter.c) ---------------------------------------------------------- */

struct interpreter {
	char *path;            /* shims resolved */
	char *origin;          /* why it was chosen or found: "--python", "workspace setting", "PATH" … */
	struct environment env;
	char *problem;         /* why it cannot be used; NULL */
	struct strv prefixes;  /* folders the run must see, besides /usr */
	char *user_base;       /* below which the user's own packages lie that a run sees (setting user-site); NULL */
	struct strv sites;     /* folders it imports from, as it said */
	void *arena;           /* private */
};
/* By rule: `wanted` (path, or a name looked up in PATH), else the workspace's setting, else an active
 * virtual environment, else python3 of PATH. Probed inside the sandbox, the answer cached by stat of
 * the binary and its site folders. */
bool interpreter_choose(struct workspace *ws, const char *wanted, struct interpreter *out, struct err *e);
/* Whether the setting `python` could be `wanted` now: of the workspace's, or with NULL of the user's. Nothing is run. */
bool interpreter_is_there(struct workspace *ws, const char *wanted, struct err *e);
/* All that are found on this machine (PATH, /usr/bin, pyenv, conda, virtual environments in the
 * workspace): with `problem` set where they cannot be used. */
bool interpreter_each(struct workspace *ws, bool (*fn)(void *ctx, const struct interpreter *i), void *ctx,
                      struct err *e);
bool interpreter_has(const struct interpreter *i, const char *package, char version[32]);
void interpreter_free(struct interpreter *i);

/* ---- what this machine can do (doctor.c) ------------------------------------------------------ */

/* One finding: what, how it is, and what to do about it ("" when nothing). */
struct finding { const char *what; const char *state; const char *remedy; bool good; };
bool doctor_each(struct workspace *ws, void (*fn)(void *ctx, const struct finding *f), void *ctx, struct err *e);

/* One attack of the self-test, and what the sandbox did (doctor_test.c). */
struct trial { const char *area; const char *tried; const char *answer; bool held; };
/* Makes the attacks in the sandbox of this machine, of tier *tier; *held: none got through. False when
 * they could not be made. */
bool doctor_self_test(struct workspace *ws, void (*fn)(void *ctx, const struct trial *t), void *ctx, const char **tier,
                      bool *held, struct err *e);

#endif
