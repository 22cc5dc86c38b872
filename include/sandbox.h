/*
 * sandbox: runs one program in isolation and returns one result.
 *
 * Theory. A run is a child in new user, mount, pid, net, ipc, uts and cgroup namespaces, with a
 * synthetic root, a seccomp filter (generated at build time from the table of syscalls), Landlock
 * and rlimits. Everything it can write is one size-limited tmpfs whose descriptor we hold; over the
 * folder's layers it lies as an overlay, so that what the run changed is exactly the upper layer.
 * (Tier B has none of the namespaces: a copy on disk, a stricter filter, Landlock; tier.c, bare.c.)
 * Process 1 of the run is a small init of ours (the keeper): it reaps, watches memory, and ends when
 * the program ends, upon which the kernel kills the rest. Nothing of a run outlives the caller.
 * Facts and sources: ../shared/sandbox.md in the builders' workplace; kernel documents named there.
 *
 * Order of calls: sandbox_begin (single-threaded: clones), sandbox_furnish, sandbox_start (lets it go),
 * sandbox_run (one thread, blocks to the end), sandbox_collect, sandbox_free. An error of a script
 * is in the result; `struct err` means that the sandbox could not do its work.
 */
#ifndef TICKMARK_SANDBOX_H
#define TICKMARK_SANDBOX_H

#include "record.h"

struct sandbox;

/* A file of ours that the run sees. */
struct sandbox_file {
	const char *path;  /* see each use */
	const void *bytes;
	size_t len;
};

struct sandbox_spec {
	const char *const *argv;       /* argv[0]: the program's path as the run sees it; NULL-terminated */
	const char *const *env;        /* NAME=VALUE added to the built environment; may replace; NULL-terminated */
	const char *box;               /* absolute path at which the folder appears; also reached as /mnt/data */
	const char *cwd;               /* relative to box; "." */
	const char *const *layers;     /* host folders laid over each other, topmost first */
	size_t layer_count;            /* may be 0: an empty folder */
	const struct sandbox_file *code; /* path relative to box: topmost layer of all, in memory */
	size_t code_count;
	const struct sandbox_file *support; /* read-only, path below SANDBOX_SUPPORT */
	size_t support_count;
	const struct sandbox_file *home;    /* put into HOME beforehand; unchanged ones are no artifacts */
	size_t home_count;
	const char *const *prefixes;   /* host folders visible read-only at their own path (interpreters) */
	size_t prefix_count;
	const char *const *watch;      /* folders of the layers, relative to box ("." included), to observe */
	size_t watch_count;
	struct policy policy;          /* tier and scratch as sandbox_probe found them, limits */
	int stop_fd;                   /* readable: end the run (outcome stopped); -1 */
	const char *disk_scratch;      /* host folder for SCRATCH_DISK and SCRATCH_COPY; else NULL */
};

#define SANDBOX_SUPPORT "/run/tickmark" /* where support files appear */
#define SANDBOX_HOME "/home/tick"       /* HOME of a run */

/* Clones the child, in which the kernel makes its namespaces while the caller finds out what shall run.
 * Must be called without other threads. */
struct sandbox *sandbox_begin(enum tier tier, struct err *e);
/* Tells it what: the child builds its world up to the moment before exec, where it waits. Once, and of
 * the same tier. Copies what it needs from spec. On false only sandbox_free is left. */
bool sandbox_furnish(struct sandbox *sb, const struct sandbox_spec *spec, struct err *e);
/* Both. */
struct sandbox *sandbox_prepare(const struct sandbox_spec *spec, struct err *e);
/* Lets the program start. */
bool sandbox_start(struct sandbox *sb, struct err *e);

/* What happens while it runs; called on sandbox_run's thread, must not block for long. */
struct sandbox_sink {
	/* n bytes arrived. `group` counts wakes of the reader. */
	void (*stream)(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n);
	void *ctx;
};

/* A file of the folder that was opened, by observation (inotify on the merged folder). */
struct sandbox_open {
	char *path;        /* relative to box */
	bool read;         /* opened and closed without writing, at least once */
	bool written;      /* opened for writing or changed */
	bool from_nothing; /* the first thing that happened to it was truncation, creation or replacement */
	bool deleted;      /* removed or renamed away */
};

enum sandbox_end { SANDBOX_EXIT, SANDBOX_LIMIT, SANDBOX_STOPPED, SANDBOX_FAULT };

struct sandbox_result {
	enum sandbox_end end;
	int64_t started_us;          /* UTC */
	int64_t wall_us;
	int exit_code;               /* -1: ended by a signal */
	int signal;
	bool signal_ours;
	const struct limit_info *limit; /* SANDBOX_LIMIT: which */
	int64_t limit_value;
	int64_t limit_reached;
	enum memory_by memory_by;    /* how peak_memory was measured */
	bool at_memory;              /* these counters stood at their maximum when it ended */
	bool at_scratch;
	bool at_files;
	bool at_processes;
	bool processes_shared;       /* with what else of the user came up while it ran: fewer were its own */
	bool files_were_many;        /* so many were made that they may have stood there, and are gone again */
	bool no_other_full;          /* nothing but the scratch can have been full */
	int64_t cpu_user_us;
	int64_t cpu_system_us;
	int64_t peak_memory;
	int64_t scratch_used;        /* bytes */
	int64_t tasks_made;          /* processes and threads that there ever were; 0: not known */
	int64_t killed;              /* processes left over when the program ended, and ended by us */
	int64_t out_bytes, err_bytes;
	struct sandbox_open *opens;  /* owned; sorted by path */
	size_t opens_n;
	bool opens_complete;
	struct refusal *refusals;    /* owned; strings are static or owned with it */
	size_t refusals_n;
	char fault[512];             /* SANDBOX_FAULT: what failed */
};

/* Captures until nothing of the run is left. False only when capturing itself failed; the run is
 * dead then too and `out` holds what is known. */
bool sandbox_run(struct sandbox *sb, const struct sandbox_sink *sink, struct sandbox_result *out, struct err *e);
void sandbox_result_free(struct sandbox_result *r);

/* One thing that the run left behind, after its end. */
struct sandbox_left {
	const char *path;     /* "x/y.csv" in the folder, "~/x" in HOME, "/tmp/x"; bytes, no NUL */
	enum { LEFT_FILE, LEFT_DELETED, LEFT_OTHER } kind;
	int fd;               /* LEFT_FILE: open for reading at offset 0, closed by the collector; else -1 */
	int64_t size;
	int64_t blocks_bytes; /* really allocated (sparse files) */
	uint16_t mode;        /* 0644 or 0755 */
	int64_t mtime_us;
	const char *note;     /* LEFT_OTHER: "symlink to …", "fifo", "socket", "device"; LEFT_FILE: "hard link to …" or NULL */
	size_t several;       /* LEFT_FILE with several names: 1, 2 …, the same number for each of them; 0: it has one */
};
struct sandbox_collected {
	int64_t files;
	int64_t bytes;
	int64_t noted;         /* LEFT_OTHER */
	int64_t left_out;      /* files not given */
	char first_left_out[256];
	const struct limit_info *limit; /* for which the first was not; NULL: it could not be read */
	int64_t limit_reached;
};
/* Walks the upper layer, HOME and tmp, in order of path within each: files new or written to,
 * deleted files (also those below a removed folder are one LEFT_DELETED of the folder, path with a
 * final slash). Caches (~/.cache, MPLCONFIGDIR, __pycache__) and folders without files are left out.
 * fn returns false to stop with the error it set. */
typedef bool (*sandbox_left_fn)(void *ctx, const struct sandbox_left *left, struct err *e);
bool sandbox_collect(struct sandbox *sb, sandbox_left_fn fn, void *ctx, struct sandbox_collected *out,
                     struct err *e);
/* Kills what may still live and waits for its end; nothing runs afterwards. */
void sandbox_end(struct sandbox *sb);
/* Kills what may still live, waits for it, releases everything. NULL is fine. */
void sandbox_free(struct sandbox *sb);

/* ---- what a run uses right now (load.c) ---------------------------------------------------- */

struct sandbox_load {
	int64_t cpu_us;    /* processor time so far, user and system, of ended processes too */
	int64_t memory;    /* bytes now, without those of files */
	int64_t threads;   /* of all its processes, now */
};
/* Of the runs that this process launched, ours or another's: by what /proc tells. False: there is none. */
bool sandbox_load(pid_t launcher, struct sandbox_load *out);

/* ---- what this machine can do (probe.c) --------------------------------------------------- */

struct sandbox_caps {
	enum tier tier;        /* best that works; TIER_NONE: refuse to run */
	enum scratch scratch;
	int landlock_abi;      /* 0: none */
	char why[512];         /* why not better, and what to do about it; "" when nothing is missing */
};
/* Finds out by doing it in throw-away children; some tens of milliseconds. `disk` is a folder of ours
 * for the disk kinds. For tests only, these variables of the caller's environment name the one tier or
 * kind of scratch that is tried ("A-root", "B"; "disk"); `why` then says so. */
#define SANDBOX_TEST_TIER "TICKMARK_TEST_TIER"
#define SANDBOX_TEST_SCRATCH "TICKMARK_TEST_SCRATCH"
bool sandbox_probe(const char *disk, struct sandbox_caps *out, struct err *e);
/* Is the memory of a run counted by the kernel here (a control group that we may make)? */
bool sandbox_counts_memory(void);

/* One attack of the self-test: what was tried, and what the sandbox did. */
struct sandbox_tried {
	const char *area;   /* "network", "files" … */
	const char *tried;  /* "opens an internet connection (IPv4)" */
	const char *answer; /* "Permission denied; on the record: network, socket AF_INET" */
	bool held;          /* false: it got through, or could not be tried */
};
typedef void (*sandbox_tried_fn)(void *ctx, const struct sandbox_tried *t);
/* Runs the built-in attacks, one run each, in the sandbox that caps names; `disk`: a folder of ours.
 * False with an error where one got through. Seconds. */
bool sandbox_self_test(const struct sandbox_caps *caps, const char *disk, sandbox_tried_fn fn, void *ctx, struct err *e);
/* Host ids that a run's files must have: layers must be owned by them, 0600/0700. */
void sandbox_owner(uid_t *uid, gid_t *gid);

/* ---- policy (policy.c) --------------------------------------------------------------------- */

/* Defaults for this machine (its memory and cores): those of a person or of an assistant. */
void policy_defaults(enum asker_kind asker, struct policy *out);
/* The built environment of a run, "NAME=VALUE", NULL-terminated, for people: owned. */
char **policy_environment(const struct policy *p);

#endif
