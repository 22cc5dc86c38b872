/*
 * record: the nouns that every layer shares. Open values, to be copied; words are those of the
 * design (step, attempt, check, input, artifact, outcome, refusal, environment, policy).
 *
 * Times are microseconds: `_us` alone is UTC since 1970, `offset_us` counts from the start of
 * the attempt's process on the monotonic clock. Sizes are bytes. A hash is SHA-256; a zero
 * digest means "none". Strings inside a struct that came from a reader (`*_get`, `*_each`) are
 * owned by it and released by its `_free`, or live as long as the callback.
 */
#ifndef TICKMARK_RECORD_H
#define TICKMARK_RECORD_H

#include "base.h"

/* How an attempt ended, or how far it is. Stored as the lower-case word (outcome_word). */
enum outcome {
	OUTCOME_QUEUED,      /* in the record, process not started */
	OUTCOME_RUNNING,     /* process started, no end recorded */
	OUTCOME_OK,          /* exit status 0 */
	OUTCOME_ERROR,       /* the script failed: exit code or signal of its own */
	OUTCOME_LIMIT,       /* ended by a limit, or failed because of one */
	OUTCOME_REFUSED,     /* failed, and its last error fits a recorded refusal */
	OUTCOME_STOPPED,     /* ended by a person, client or tool */
	OUTCOME_FAULT,       /* the machine or tickmark failed */
	OUTCOME_INTERRUPTED, /* the runner vanished */
	OUTCOME_COUNT,
};

enum stream_id { STREAM_OUT = 1, STREAM_ERR = 2 };

/* Who asked for a step or attempt. */
enum asker_kind { ASKER_PERSON = 1, ASKER_ASSISTANT = 2 };

struct asker {
	enum asker_kind kind;
	const char *name;    /* login or configured name; client name of an assistant */
	const char *version; /* client version of an assistant; NULL for persons */
};

/* What an attempt may use. 0 in a limit means "not limited". */
struct limits {
	int64_t wall_ms;        /* wall clock */
	int64_t cpu_ms;         /* processor time of one process */
	int64_t memory_bytes;   /* of all processes of the run together */
	int64_t scratch_bytes;  /* written files: workspace, HOME and tmp together */
	int64_t scratch_files;  /* entries in the scratch */
	int64_t file_bytes;     /* one written file */
	int64_t open_files;     /* descriptors of one process */
	int64_t processes;      /* processes and threads of the run */
	int64_t stream_head;    /* bytes kept of a stream's beginning */
	int64_t stream_tail;    /* bytes kept of its end, once the head is full */
	int64_t stream_total;   /* bytes a stream may produce before the run is ended */
	int64_t artifact_files; /* files kept */
	int64_t artifact_depth; /* folder depth collected */
	int64_t blas_threads;   /* OPENBLAS_NUM_THREADS and the like */
};

/* One limit as data: what `doctor --limits`, flags, settings and outcome lines are made of. */
enum limit_unit { UNIT_COUNT, UNIT_BYTES, UNIT_MS };
struct limit_info {
	const char *name;     /* "memory"; as the record, settings, outcome lines and the option of `run` name it */
	size_t offset;        /* of the int64_t in struct limits */
	enum limit_unit unit;
	int64_t most;         /* greatest value that can be set */
	const char *help;     /* "memory of all processes of a run" */
};
extern const struct limit_info limit_table[];
extern const size_t limit_table_len;
const struct limit_info *limit_find(const char *name);
/* A value as people write it; ERR_INPUT says what is wrong, or what the greatest is. */
bool limit_parse(const struct limit_info *info, const char *text, int64_t *out, struct err *e);
int64_t limit_get(const struct limits *l, const struct limit_info *info);
void limit_put(struct limits *l, const struct limit_info *info, int64_t value);

/* Ways of isolation, best first; words in the record: "A", "A-noproc", "A-root", "B". */
enum tier { TIER_NONE, TIER_A, TIER_A_NOPROC, TIER_A_ROOT, TIER_B };
/* Kinds of scratch; words: "tmpfs-xattr", "tmpfs", "disk", "copy". */
enum scratch { SCRATCH_NONE, SCRATCH_TMPFS_XATTR, SCRATCH_TMPFS, SCRATCH_DISK, SCRATCH_COPY };

struct policy {
	enum tier tier;
	enum scratch scratch;
	bool network;         /* always false so far */
	struct limits limits;
};

/* How an attempt treated a file that was offered to it. */
enum input_class {
	INPUT_READ = 1,        /* opened and closed without writing */
	INPUT_UPDATED = 2,     /* written, and its earlier bytes were read or kept */
	INPUT_OVERWRITTEN = 3, /* written only, from nothing: no input */
	INPUT_MISSING = 4,     /* tried and not found */
	INPUT_DELETED = 5,     /* removed or renamed away */
};

enum artifact_kind {
	ARTIFACT_CREATED = 1, /* no file was offered at its path, or an earlier attempt's was made again,
	                         byte for byte */
	ARTIFACT_CHANGED = 2, /* differs from the file offered there */
	ARTIFACT_DELETED = 3, /* a file offered there was removed; no bytes */
	ARTIFACT_NOTED = 4,   /* link, FIFO, socket, device: named, never opened or followed */
};

/* One file in a set (manifest). Which members count depends on the set:
 * offered: hash, size, mode, mtime, from; inputs: class, hash, size; artifacts: kind, hash, size, mode. */
struct entry {
	const char *path;      /* bytes without NUL; relative to the workspace, or "~/…", "/tmp/…" */
	uint8_t what;          /* enum input_class or artifact_kind; 0 in offered sets */
	uint16_t mode;         /* permission bits: 0644 or 0755 */
	int64_t size;          /* bytes; -1 where there is none */
	int64_t mtime_us;      /* offered sets: the file's own; else 0 */
	struct digest sha256;  /* content; zero where there is none */
	int64_t from_attempt;  /* offered: attempt whose artifact this is; 0: the attached file itself */
	const char *note;      /* "symlink to …", "fifo"; NULL */
};

struct step {
	int64_t number;        /* also its id: 1, 2, 3 … */
	const char *title;     /* "" when none is known */
	const char *purpose;   /* NULL when none was given */
	const char *script;    /* path relative to the workspace; NULL: code from a pipe */
	struct asker asker;
	int64_t created_us;
};

/* The identity of an interpreter and what it can import. */
struct environment {
	int64_t id;
	const char *python;         /* path as given to the kernel */
	const char *version;        /* "3.11.2" */
	const char *implementation; /* "CPython" */
	const char *prefix;         /* sys.prefix */
	const char *base_prefix;    /* sys.base_prefix */
	const char *platform;       /* platform.platform() */
	const char *locale;         /* "C.UTF-8" */
	const char *zone;           /* IANA name */
	const char *packages;       /* lines "name version", sorted; "" when it has none */
	struct digest fingerprint;  /* of all of the above */
};

struct refusal {
	const char *kind;     /* "network", "mount", "process", "kernel" … */
	const char *call;     /* "socket" */
	const char *argument; /* the decisive one, "AF_INET"; "" where none is */
	int64_t count;
	int64_t first_us;     /* offset from the start */
	int64_t last_us;
	bool harmless;        /* a probe that libraries make and shrug off: counted apart */
};

/* A piece of a stream in arrival order. */
struct chunk {
	enum stream_id stream;
	int64_t group;        /* wake of the reader; order of the two streams inside one is unknown */
	int64_t offset_us;    /* since the start */
	int64_t position;     /* of the first byte in its stream, counting dropped ones */
	int64_t gap;          /* bytes left out here; then bytes is empty */
	const void *bytes;
	size_t len;
};

/* The fact that begins an attempt. In checks, check_of and check are set. */
struct attempt {
	int64_t id;           /* in this record */
	struct uuid uuid;
	int64_t step;
	int64_t number;       /* within the step: 7.NUMBER */
	int64_t check_of;     /* attempt id that this repeats; 0: an attempt */
	int64_t check;        /* number of the check: 7.2rCHECK; 0 */
	struct asker asker;
	int64_t queued_us;
	struct digest code;   /* blob: the bytes the interpreter gets */
	const char *script;   /* path of the script in the folder of the run */
	const char *origin;   /* where the code was taken from, when elsewhere; "-" a pipe; NULL same */
	const char *box;      /* absolute path of the workspace as the run sees it */
	const char *cwd;      /* relative to box; "." for itself */
	const char *title;    /* when it differs from the step's; NULL */
	const char *purpose;
	char **args;          /* NULL-terminated */
	char **env_names;     /* variables added by name; NULL-terminated */
	char **env_values;    /* same order; NULL entry: secret, not recorded */
	int64_t environment;  /* ids */
	int64_t policy;
	int64_t offered;      /* manifest */
	int64_t retry_of;     /* attempt id that this corrects; 0 */
	const char *vary;     /* what a check varies ("hashseed=123"); NULL */
	const char *host;
	const char *boot_id;
	char **calls;         /* identifiers that the client gave with its call, "name=value"; NULL-terminated, or NULL */
};

/* How the memory of a run was measured. Words: "cgroup", "proc", "none". */
enum memory_by {
	MEMORY_BY_UNKNOWN,    /* nobody was there at its end */
	MEMORY_BY_GROUP,      /* by the kernel in a control group: all of it */
	MEMORY_BY_PROC,       /* summed over the processes as /proc shows them, from time to time */
	MEMORY_BY_NONE,       /* the sum was not looked at: what is known is of the largest process */
};

/* The fact that ends it. */
struct attempt_end {
	int64_t attempt;
	int64_t started_us;      /* UTC; 0: its process never started; of one that was interrupted: not known */
	int64_t ended_us;
	int64_t wall_us;         /* monotonic */
	enum outcome outcome;
	int exit_code;           /* -1 when it did not exit by itself */
	int signal;              /* that ended it, 0 when none */
	bool signal_ours;        /* sent by tickmark */
	const char *limit;       /* name of the limit; NULL */
	int64_t limit_value;
	int64_t limit_reached;
	const char *stopped_by;  /* "person jm (Ctrl-C)", "tickmark stop by jm", "client codex"; NULL */
	const char *detail;      /* one line for people; "" when outcome and code say all */
	int64_t cpu_user_us;
	int64_t cpu_system_us;
	int64_t peak_memory;     /* bytes, of the whole run as far as it was seen */
	enum memory_by memory_by; /* who saw it */
	int64_t killed;          /* processes that had to be ended after the script */
	int64_t out_bytes;       /* produced, kept or not */
	int64_t err_bytes;
	struct digest out_sha256;    /* of everything produced */
	struct digest err_sha256;
	struct digest chunks_sha256; /* of the rows of stream_chunk, in order (store_chunks_hash_end) */
	int64_t inputs;          /* manifest */
	bool inputs_complete;    /* false: all offered files count */
	int64_t artifacts;       /* manifest */
	const char *backend;     /* matplotlib backend when figures were seen; NULL */
	int64_t figures_lost;    /* figures that could not be saved */
	int64_t answer;          /* 0 delivered, 1 nobody was there to get it */
};

/* ---- keeping a record ------------------------------------------------------------------------- */

/* What takes its space. */
struct record_sizes {
	int64_t file, wal;         /* bytes on disk */
	int64_t unused;            /* of file: pages that hold nothing */
	int64_t code, inputs, artifacts, attached, streams; /* bytes kept; a content counts under the first that has it */
	int64_t code_n, inputs_n, artifacts_n, attached_n, streams_n; /* contents; pieces of streams */
	int64_t pruned;            /* bytes that tombstones stand for */
};
/* A content, and one attempt that has it. */
struct large_content {
	int64_t bytes;
	int64_t attempt;
	const char *path;
	bool input;
};

/* What `prune` takes away. */
enum prune_part {
	PRUNE_STREAMS = 1,         /* bytes of stdout and stderr */
	PRUNE_FILES = 2,           /* bytes of artifacts and inputs that nothing else keeps */
	PRUNE_ATTEMPTS = 4,        /* all of it: rows, code, streams, files */
};
struct prune_rule {
	unsigned parts;
	int64_t before_us;         /* only what ended before; 0: any time */
	int64_t keep_last;         /* the last n attempts of each step stay */
	int64_t larger;            /* files of at least so many bytes */
	bool marked;               /* attempts with a mark, too */
	bool others;               /* `attempts` are those that stay */
	const int64_t *attempts;   /* only these; NULL: all */
	size_t attempts_n;
	const char *text;          /* the rule in words, kept in the record */
	const char *by;
};
struct tombstone {
	const char *what;          /* "attempt", "check", "streams", "content" */
	const char *ref;           /* "7.2"; of a content one attempt that had it */
	const char *path;          /* of a content; NULL */
	int64_t bytes;
};
struct prune_result {
	int64_t attempts, checks, streams, contents, bytes;
	int64_t kept_marked, kept_cited, kept_corrected, kept_newest, kept_running; /* that the rule would have taken */
};

/* What came home from a copy that was reviewed. */
struct merge_result {
	int64_t marks, notes, messages, checks;
	int64_t already;           /* that were here */
	int64_t unknown;           /* about attempts that are not here */
};

/* What a check found. Words: "same", "same but for noise", "differs", "cannot compare". */
enum verdict { VERDICT_NONE, VERDICT_SAME, VERDICT_NOISE, VERDICT_DIFFERS, VERDICT_CANNOT };

/* What a reviewer thinks of an attempt. Words: "accepted", "questioned", "rejected", "withdrawn". */
enum judgement { JUDGED_NONE, JUDGED_ACCEPTED, JUDGED_QUESTIONED, JUDGED_REJECTED, JUDGED_WITHDRAWN };

const char *judgement_word(enum judgement j);
enum judgement judgement_parse(const char *word); /* JUDGED_NONE for NULL and unknown words */
const char *outcome_word(enum outcome o);
bool outcome_parse(const char *word, enum outcome *o);
bool outcome_is_end(enum outcome o);
const char *tier_word(enum tier t);
enum tier tier_parse(const char *word);
const char *scratch_word(enum scratch s);
enum scratch scratch_parse(const char *word);
const char *input_word(enum input_class c);
bool input_was_read(const struct entry *input); /* of a set of inputs: INPUT_READ or INPUT_UPDATED */
const char *artifact_word(enum artifact_kind k);
const char *memory_by_word(enum memory_by m);
enum memory_by memory_by_parse(const char *word); /* MEMORY_BY_UNKNOWN for NULL and unknown words */
const char *verdict_word(enum verdict v);
enum verdict verdict_parse(const char *word);

#endif
