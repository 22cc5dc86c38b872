/*
 * What the files of the command line share: the table of commands (cli.c), the parsed command line
 * (option.c), and what goes to stdout and stderr (console.c, columns.c, feed.c).
 *
 * A command is one row: its options, its help and its function. Nothing else knows it, so that help,
 * man page and completions cannot go stale.
 */
#ifndef TICKMARK_CLI_CMD_H
#define TICKMARK_CLI_CMD_H

#include "model.h"
#include "model/query.h"
#include "model/run.h"
#include "text.h"
#include "text/secret.h"

enum status {
	STATUS_DONE = 0,
	STATUS_NOT_GOOD = 1,  /* the thing examined is not good */
	STATUS_FAILED = 2,    /* tickmark could not */
	STATUS_USAGE = 3,
	STATUS_UNDECIDED = 4, /* cannot compare, still running */
};

/* ---- the table of commands --------------------------------------------------------------------- */

struct cmd_option {
	const char *name; /* long name without dashes */
	const char *arg;  /* what its value is called; NULL: a switch */
	const char *help; /* one line */
	char letter;      /* short name; 0: none */
	bool repeats;     /* may be given more than once */
};

/* One member of a --json document, as "files[].size", and what it holds. */
struct cmd_member {
	const char *name;
	const char *help;
};

enum cmd_flag {
	CMD_HIDDEN = 1, /* not in lists of commands */
	CMD_REST = 2,   /* options end at the first operand: the rest belongs to somebody else */
	CMD_LIMITS = 4, /* takes an option for every limit */
	CMD_REVIEWS = 8, /* has a meaning for a record from elsewhere, and in its review */
};

struct cmd;
struct cmd_entry {
	const char *name;
	const char *alias;                /* NULL */
	const char *args;                 /* synopsis behind the options */
	const char *brief;                /* one line, no full stop */
	const char *detail;               /* paragraphs, separated by empty lines */
	const char *statuses;             /* what the exit statuses mean here, one line */
	const char *examples;             /* lines "command # what it does" */
	const struct cmd_option *options; /* until name NULL */
	const struct cmd_member *members; /* of --json, until name NULL; NULL: no --json */
	unsigned flags;                   /* enum cmd_flag */
	size_t min_args, max_args;        /* operands; max 0: as min, SIZE_MAX: any number */
	int (*run)(struct cmd *c);        /* returns the exit status */
};

extern const struct cmd_entry *const cmd_table[]; /* in the order of help, until NULL */
const struct cmd_entry *cmd_find(const char *name);

extern const struct cmd_entry
	cmd_init_entry, cmd_attach_entry, cmd_run_entry, cmd_repeat_entry, cmd_rerun_entry, cmd_stop_entry,
	cmd_wait_entry, cmd_log_entry, cmd_show_entry, cmd_export_entry, cmd_verify_entry, cmd_size_entry,
	cmd_prune_entry, cmd_backup_entry, cmd_pack_entry, cmd_review_entry, cmd_merge_entry, cmd_config_entry,
	cmd_doctor_entry, cmd_demo_entry, help_entry, man_entry, completions_entry, cmd_diff_entry,
	cmd_say_entry, cmd_mcp_entry, cmd_mark_entry, cmd_note_entry, cmd_queue_entry, cmd_report_entry,
	cmd_search_entry, cmd_draft_entry, cmd_convert_entry;

/* ---- one command line (option.c, cli.c) ------------------------------------------------------- */

struct given {
	struct cmd_option option;
	const char *value; /* NULL for a switch; into argv */
};

struct cmd {
	const struct cmd_entry *entry;
	const struct cli_fronts *fronts; /* cli.h */
	struct given *given;  /* options in the order of the command line */
	size_t given_n;
	char **args;          /* operands, NULL-terminated; into argv */
	size_t args_n;
	bool json;            /* --json */
	bool help;            /* --help */
	const char *record;   /* file of -C FILE; NULL: the current folder's */
	struct workspace *ws; /* opened by cmd_folder or cmd_workspace; NULL with a query: evidence */
	struct query *query;  /* opened by cmd_query */
	struct run *run;      /* the last one that was watched; let go when all was said */
};

/* The i-th option of a command: its own, those of limits, then --json and --help. */
bool option_at(const struct cmd_entry *entry, size_t i, struct cmd_option *out);
/* Parses argv (what follows the command's name); false after saying what is wrong. */
bool option_parse(struct cmd *c, char **argv);
bool option_given(const struct cmd *c, const char *name);
const char *option_value(const struct cmd *c, const char *name); /* of the last one given; NULL */
/* The nearest of `n` words to what was typed, NULL when none is near. */
const char *option_nearest(const char *typed, const char *const *words, size_t n);

/* Opens the workspace of the current folder, without a look into its record. */
bool cmd_folder(struct cmd *c, struct err *e);
/* The same, and marks attempts whose runner vanished. */
bool cmd_workspace(struct cmd *c, struct err *e);
/* The folder or, of -C FILE, its review; there without one, no workspace: c->record is what to read. */
bool cmd_place(struct cmd *c, struct err *e);
/* All that, and its record for reading; of -C FILE without a review the file itself, and no workspace. */
bool cmd_query(struct cmd *c, struct err *e);
/* Path of this program; owned. */
char *cmd_own_path(struct err *e);
/* Says so when a file that was just written lies where runs will find it. */
void cmd_say_inside(struct cmd *c, const char *path);
/* Says the error and returns the exit status that goes with it. */
int cmd_fail(const struct cmd *c, const struct err *e);
/* Says what is wrong with the command line and how to get help; returns STATUS_USAGE. */
int cmd_usage(const struct cmd *c, const char *fmt, ...) PRINTF(2, 3);
/* Prints a finished --json document; the status, or STATUS_FAILED when it could not be written. */
int cmd_print_json(const struct cmd *c, struct json_writer *w, int status);
void cmd_drop_json(struct json_writer *w); /* one that is not to be printed after all */

/* ---- help, man page, completions (help.c, man.c, completions.c) --------------------------------- */

void help_command(FILE *f, const struct cmd_entry *entry);
void help_all(FILE *f);
/* Whether its --json document is that of show, and explained there. */
bool help_shares_members(const struct cmd_entry *entry);
/* Text that is no command's own: what references are, exit statuses, environment, files. */
struct help_topic {
	const char *title; /* "REFERENCES" */
	const char *text;  /* paragraphs */
};
extern const struct help_topic help_topics[]; /* until title NULL */

/* ---- stdout and stderr (console.c) ---------------------------------------------------------------- */

/* One line to stderr, "tickmark CMD: …"; whatever it holds is escaped. c may be NULL. */
void console_say(const struct cmd *c, const char *fmt, ...) PRINTF(2, 3);
/* The same without the name in front. */
void console_note(const char *fmt, ...) PRINTF(1, 2);
bool console_is_tty(FILE *f);
/* From now on stdout and stderr go to a terminal, by way of a pipe. */
void console_is_paged(void);
/* Cells of a line where f is a terminal, else 0: never cut what is piped. */
size_t console_width(FILE *f);
/* Bytes of the record as text for f: one line, nothing that acts on a terminal. Owned. */
char *console_text(FILE *f, const void *p, size_t n);
char *console_str(FILE *f, const char *s);
/* A file name as one word that stands for no other name (escape_name). Owned. */
char *console_name(FILE *f, const char *name);
/* What a run wrote: line ends and tabs stay, colours go, the rest that is no text becomes visible. */
void console_output(FILE *f, struct buf *out, const void *p, size_t n);
/* Text of several lines with `indent` in front of each; a last line end is added. */
void console_lines(FILE *f, const void *p, size_t n, const char *indent);
/* An outcome, verdict or the like in its colour where f takes colours. Owned. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_BUSY, TONE_DIM, TONE_BOLD };
char *console_tinted(FILE *f, enum tone tone, const char *text);
/* Asks a yes-or-no question on the terminal; `otherwise` for an empty answer. */
bool console_ask(const char *question, bool otherwise);
/* Flushes stdout; false (having said so) when something could not be written there. */
bool console_finish(const struct cmd *c);

/* ---- how far it is (progress.c) ---- */

/* A line of stderr, where that is a terminal, for work that takes more than a moment. */
struct progress {
	const char *what; /* "verifying" */
	bool on;
	int64_t from_us;
	int64_t shown;    /* percent; -1: nothing was */
};
struct progress progress_begin(const char *what);
void progress_show(struct progress *p, int64_t done, int64_t total);
void progress_end(struct progress *p);

/* ---- columns (columns.c) ---------------------------------------------------------------------------- */

/* Rows of cells, aligned by their width in terminal cells. On a terminal rows are cut where the
 * line ends, elsewhere nothing is. */
struct columns;
struct columns *columns_new(const char *titles); /* "ref\toutcome\t>size": '>' aligns right; NULL: no head */
void columns_cell(struct columns *c, const char *fmt, ...) PRINTF(2, 3); /* of the current row */
void columns_cell_take(struct columns *c, char *text, enum tone tone);
void columns_row(struct columns *c); /* ends the row */
void columns_shed(struct columns *c, FILE *f, const char *indent); /* prints the rows so far; later ones get the same widths */
void columns_print(struct columns *c, FILE *f, const char *indent); /* frees it */
void columns_print_whole(struct columns *c, FILE *f, const char *indent); /* never cut; frees it */
void columns_free(struct columns *c);

/* ---- bytes of a run as they come (feed.c) -------------------------------------------------------------- */

/* To a descriptor: as they are into a file or pipe, escaped onto a terminal. */
struct feed {
	int fd;
	bool tty;
	bool quiet_error; /* the one who read is gone: nothing to complain about */
	bool open_line;   /* what was written last was no line end */
	int error;        /* errno of the write that failed, 0; nothing is written after it */
	int64_t written;  /* bytes of the run that were taken */
	struct buf carry; /* begin of a character whose end has not come */
	/* Writes in place of write(2), as much of it as it likes; ECANCELED: nobody waits for the reader any more. NULL. */
	ssize_t (*write)(void *ctx, int fd, const void *p, size_t n);
	void *ctx;
};
void feed_init(struct feed *f, int fd);
void feed_bytes(struct feed *f, const void *p, size_t n);
/* What is carried, and on a terminal a line end where one is missing. */
void feed_end(struct feed *f);

/* ---- attempts in words and in JSON (summary.c, detail_*.c) -------------------------------------------- */

enum tone summary_tone(enum outcome o);
enum tone summary_verdict_tone(enum verdict v);
char *summary_signal(int sig); /* "SIGKILL"; owned */
/* "exit 3", "SIGKILL", "memory 2.0G": what goes with the word. Owned. */
char *summary_reason(const struct detail *d);
/* The line below it: what happened, and what can be done about it; "" when all was said. Owned. */
char *summary_detail(const struct detail *d);
/* The command that raises the limit that ended it; owned, NULL: none did. */
char *summary_remedy(const struct detail *d);
/* A value of a limit in its unit: "2.0G", "10m 00s"; info NULL: a plain number. Owned. */
char *summary_limit(const struct limit_info *info, int64_t value);
/* Lines of each stream of an ended attempt, -1 where the record has a gap. */
struct stream_sum {
	int64_t bytes, kept, lines;
	struct secret_scan secret;
	bool gap;
};
bool summary_streams(struct query *q, int64_t attempt, struct stream_sum sum[3], struct err *e);
/* The line of outcome, and what is to be said about it: detail, limit, refusals, files. */
bool summary_print(FILE *f, struct query *q, const struct detail *d, struct err *e);

extern const struct cmd_member detail_members[];
#define DETAIL_BUDGET ((int64_t)1 << 20) /* bytes of code and of each stream in a document */
bool detail_json(struct json_writer *w, struct query *q, struct workspace *ws, const struct detail *d,
                 int64_t budget, struct err *e);

/* Bytes of code or of one stream to f as text, every line with `indent` in front. On a terminal of a
 * long one only the beginning and the end, and how to see the whole; never cut where it is piped. */
enum excerpt_how {
	EXCERPT_NUMBERS = 1, /* of the lines in front of them, from 1 */
	EXCERPT_WHOLE = 2,   /* nothing is left out, on a terminal either */
};
bool excerpt_code(FILE *f, struct query *q, int64_t attempt, const char *ref, unsigned how, struct err *e);
bool excerpt_stream(FILE *f, struct query *q, int64_t attempt, enum stream_id stream, const char *ref, unsigned how, struct err *e);

/* ---- running in the foreground (foreground.c) ------------------------------------------------------------ */

struct foreground {
	bool quiet;          /* streams are not shown */
	bool last;           /* no other run follows in this process */
	bool to_stderr;      /* stdout of the run goes there too: ours carries something else */
	/* results */
	int64_t attempt;     /* 0: it never got into the record */
	bool left;           /* a second Ctrl-C: still going on */
	int error;           /* errno of what could not be written to stdout, EPIPE apart */
};
/* Starts, shows what comes, waits for the end; Ctrl-C stops the attempt. Remarks go to `remarks`. */
bool foreground_run(struct cmd *c, const struct run_request *req, struct foreground *fg, struct strv *remarks,
                    struct err *e);

/* What is to be said of it then; the exit status. */
int cmd_run_report(struct cmd *c, const struct foreground *fg, const struct strv *remarks, struct err *e);
/* As cmd_run_watched; what fails is corrected by the user's fixer (fixing.c). */
int cmd_run_fixed(struct cmd *c, const struct run_request *req);

/* Runs, and says on stderr (with --json: on stdout) what came of it; the exit status. */
enum watch_how {
	WATCH_QUIET = 1, /* without its streams */
	WATCH_LAST = 2,  /* no other run follows in this process */
};
int cmd_run_watched(struct cmd *c, const struct run_request *req, unsigned how);

#endif
