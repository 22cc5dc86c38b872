/*
 * What the files of this layer share: the sandbox object, the plan of mounts, the messages between
 * the launcher and the two processes inside.
 *
 *   launcher   the caller's process: prepares, starts, captures, collects
 *   keeper     process 1 of the run: builds the world, then reaps and watches
 *   program    process 2: locks itself in (Landlock, filter) and becomes the interpreter
 */
#ifndef TICKMARK_SANDBOX_IMPL_H
#define TICKMARK_SANDBOX_IMPL_H

#include <stdatomic.h>
#include <sys/resource.h>

#include "sandbox.h"

#define RUN_ID 1000        /* uid and gid as the run sees itself */
#define RUN_USER "tick"
#define MAX_SOURCES 250    /* descriptors in one message (SCM_MAX_FD is 253) */

/* ---- the plan of mounts (plan.c makes it, mounts.c carries it out) ------------------------ */

enum mount_kind {
	MOUNT_DIR,     /* an empty folder in the synthetic root */
	MOUNT_FILE,    /* a file written by us */
	MOUNT_LINK,    /* a symlink to `source` */
	MOUNT_BIND,    /* `source` of the host, with what is mounted below it */
	MOUNT_SCRATCH, /* subfolder `source` of the scratch, writable */
	MOUNT_BOX,     /* the folder: overlay or copy */
	MOUNT_PROC,
};

/* What Landlock grants below a target. */
enum mount_access { ACCESS_NONE, ACCESS_READ, ACCESS_EXEC, ACCESS_DEVICE, ACCESS_WRITE };

struct mount_step {
	enum mount_kind kind;
	const char *target;       /* owned; relative to the new root: "usr", "home/u/ws" */
	const char *source;       /* owned; see kind; NULL */
	const void *bytes;        /* MOUNT_FILE; borrowed from the spec or static */
	size_t len;
	uint64_t attr;            /* MOUNT_ATTR_* beyond nosuid */
	enum mount_access access; /* rule of its own for Landlock; NONE: covered by one above */
	bool optional;            /* MOUNT_BIND: left out when the host has no such thing */
	bool is_file;             /* MOUNT_BIND: found out when opened */
	int fd;                   /* MOUNT_BIND: O_PATH in the child's mount namespace; -1 */
};

struct mount_plan {
	struct mount_step *steps;
	size_t n, cap;
	struct strv box_dirs;     /* folders that must exist in the box (mount points, cwd), relative */
	struct strv box_files;    /* the same for files */
	int64_t root_bytes;       /* for our own files in the synthetic root */
	int64_t root_files;
};

bool plan_make(struct mount_plan *plan, const struct sandbox_spec *spec, struct err *e);
void plan_free(struct mount_plan *plan);

/* ---- messages (parcel.c) ------------------------------------------------------------------------------- */

enum message_type {
	MSG_MAPPED = 1,  /* to the child: its ids are mapped */
	MSG_SOURCES,     /* to the child: the orders are written; descriptors of the sources */
	MSG_KILL,        /* to the keeper: end the run */
	MSG_FAILED,      /* from both: could not set up; code, text */
	MSG_READY,       /* from the program: descriptors of scratch, notifications, inotify (last, optional) */
	MSG_EXEC,        /* from the program: execve failed with `code` */
	MSG_LIMIT,       /* from the keeper: over the memory limit, it kills; value = bytes */
	MSG_END,         /* from the keeper: nothing of the run is left */
};

/* Where setting up failed: decides what the probe tries next, and which remedy is named. */
enum stage { STAGE_NONE, STAGE_NAMESPACES, STAGE_MOUNTS, STAGE_PROC, STAGE_OVERLAY, STAGE_LOCK };

struct message {
	uint32_t type;            /* enum message_type */
	uint32_t stage;           /* MSG_FAILED: enum stage */
	int32_t code;             /* errno, or 0 */
	int32_t status;           /* MSG_END: wait status of the program */
	int32_t asked;            /* MSG_END: the program was ended by MSG_KILL or the memory limit */
	int32_t alive;            /* MSG_END: there are processes that do not end */
	int64_t killed;           /* MSG_END: other processes that were still there */
	int64_t value;            /* MSG_LIMIT: bytes; MSG_END: processes and threads that there ever were, 0: not known */
	struct rusage usage;      /* MSG_END: of all that was reaped */
	uint32_t fds;             /* MSG_SOURCES: how many descriptors come along */
	uint8_t have[MAX_SOURCES];/* MSG_SOURCES: for each source in order, whether it is among them */
	char text[400];           /* MSG_FAILED: what was being done */
};

bool parcel_send(int fd, const struct message *m, const int *fds, size_t n);
/* Receives one message and up to max descriptors (close-on-exec); false: hang-up or garbage, with
 * errno (0 for a hang-up). */
bool parcel_receive(int fd, struct message *m, int *fds, size_t max, size_t *n);

/* ---- ways of isolation ---------------------------------------------------------------------- */

struct tier_info {
	enum tier tier;
	bool user_ns;    /* ids are mapped in a user namespace of its own */
	bool spaces;     /* mount, pid, network, ipc, uts and cgroup namespaces; false: none at all */
	bool proc;       /* a new proc is mounted */
};
const struct tier_info *tier_find(enum tier t); /* NULL: this version cannot do it */

/* Who a run is. */
struct identity {
	uid_t uid;       /* on the host */
	gid_t gid;
	uid_t inner_uid; /* as the run sees itself */
	gid_t inner_gid;
};
void tier_identity(const struct tier_info *tier, struct identity *out);
int64_t tier_tasks_of(uid_t uid); /* processes and threads of that user on the host, now */

/* cgroup.c: a control group with the memory controller, where one can be had; dir -1: none. */
struct cgroup {
	int dir;
	int parent;
	char name[64];
};
void cgroup_make(struct cgroup *g);
void cgroup_limit(struct cgroup *g, const struct policy *p); /* before anything of the run is in it */
int64_t cgroup_memory(const struct cgroup *g); /* bytes, with those of files in memory; -1: not known */
bool cgroup_ran_out(const struct cgroup *g);   /* the kernel has ended it for memory */
bool cgroup_kill(const struct cgroup *g);
void cgroup_free(struct cgroup *g);

/* ---- the object ------------------------------------------------------------------------------ */

struct capture; /* capture.c */

/* Run as the program; its exit status is what it returns. */
typedef int (*sandbox_inside_fn)(const struct sandbox *sb, const void *arg);

struct sandbox {
	struct policy policy;
	const struct tier_info *tier;
	struct identity id;
	int64_t other_tasks;         /* of the same user and counted by the kernel along with the run's */
	struct mount_plan plan;
	char *box;                   /* owned; absolute, clean */
	char *cwd;                   /* owned; relative to it */
	struct strv layers;          /* host paths, topmost first */
	struct strv argv, env;       /* copies: the keeper wipes the caller's own */
	struct strv watch;           /* folders observed */
	struct sandbox_file *home;   /* owned copies */
	size_t home_count;
	struct shared *shared;       /* mmap'ed */
	uint64_t address_space;      /* RLIMIT_AS */

	pid_t pid;                   /* the keeper, in our namespace; 0 once reaped */
	int pidfd;
	int control;                 /* messages to and from the keeper */
	int root;                    /* of the child's mount namespace, from which sources are opened; -1 */
	int go;                      /* one byte lets the program start */
	int out, err;                /* read ends */
	int scratch;                 /* root of the scratch tmpfs */
	int upper;                   /* what the run changed in the box: overlay upper or the copy itself */
	int notify;                  /* refused system calls */
	int inotify;
	int stop_fd;                 /* the caller's; -1 */
	struct cgroup group;         /* its control group */
	char *disk;                  /* owned; folder made below disk_scratch, removed at the end; NULL */
	int disk_lock;               /* held on that folder while it is in use; -1 */
	struct copied *copied;       /* SCRATCH_COPY: what was put there */
	int64_t scratch_base;        /* bytes in use before the start */
	int64_t files_base;          /* the same of entries */
	int64_t started_us;          /* UTC */
	int64_t started_mono_us;
	bool started;
	bool stuck;                  /* processes of the run could not be ended: its files may still change */
	enum stage failed;           /* where the child failed to set up */
	sandbox_inside_fn inside;    /* the program is this function of ours instead of argv; NULL */
	const void *inside_arg;
};

/* Memory that launcher and child share (orders.c); the program's copy goes with execve. */
struct shared {
	/* from the keeper */
	_Atomic int64_t peak_memory;    /* bytes */
	_Atomic int64_t peak_mapped;    /* largest address space seen, bytes */
	_Atomic int64_t peak_processes; /* with threads, without the keeper */
	_Atomic int64_t peak_scratch;   /* bytes in use in the scratch in memory, with what was there before */
	_Atomic int64_t peak_files;     /* the same of entries */
	_Atomic int64_t files_made;     /* entries that it ever had; 0: not counted */
	_Atomic int64_t unlinked;       /* bytes on disk of files without a name that the run holds open */
	_Atomic int32_t watched;        /* entries of wd that count */
	_Atomic int32_t watch_failed;   /* errno of the watch that could not be had */
	int32_t *wd;                    /* watch descriptor of watch[i]; -1: no such folder */
	/* to the child: good from MSG_SOURCES on */
	struct sandbox orders;          /* as the launcher's, its pointers into this memory */
	struct sandbox_file *code;
	size_t code_count;
	size_t next;                    /* free from here, as an offset; SIZE_MAX: it was too small */
};
bool shared_make(struct sandbox *sb, struct err *e);
bool orders_write(struct sandbox *sb, const struct sandbox_spec *spec, struct err *e);
void shared_free(struct sandbox *sb);

/* disk.c: the folder of a run whose scratch is on disk, with all that it begins with */
bool disk_make(struct sandbox *sb, const struct sandbox_spec *spec, struct err *e);
/* sources.c: opens what the plan and the layers name and gives it to the child, once its orders are written */
bool sources_send(struct sandbox *sb, struct err *e);
/* launch.c: as sandbox_prepare, with a function of ours as the program */
struct sandbox *sandbox_prepare_inside(const struct sandbox_spec *spec, sandbox_inside_fn inside, const void *arg, struct err *e);
void sandbox_kill(struct sandbox *sb); /* the keeper, and with it the run */
#define GONE_MS 60000 /* after SIGKILL: a process stuck in the kernel */
/* remedy.c: one sentence on what the user can do where this stage failed; "" when nothing is known. */
const char *remedy_find(enum stage stage);
/* policy.c */
struct strv environment_build(const struct policy *p, const char *const *added);
uint64_t policy_address_space(const struct limits *l, bool watched);
const struct limit_info *policy_limit_at(size_t offset);
#define LIMIT_OF(member) policy_limit_at(offsetof(struct limits, member))
/* child.c: everything in the new process up to execve or the keeper's loop. */
struct child_fds { int out, err, control, go; };
_Noreturn void child_main(struct sandbox *sb, struct child_fds fds);
/* Tells the launcher and ends the process. */
_Noreturn void child_fail(int control, enum stage stage, int err, const char *fmt, ...) PRINTF(4, 5);
/* mounts.c: builds the world below the current mount namespace and pivots into it; returns the
 * scratch's descriptor. Ends the process (child_fail) where something is missing. */
struct sources { int layers[MAX_SOURCES]; size_t layers_n; int upper; };
int mounts_build(struct sandbox *sb, const struct sources *src, int control);
/* landlock.c: restricts this process to what the plan grants; -1 with errno. 0 where the kernel has none. */
int landlock_restrict(const struct mount_plan *plan);
int landlock_abi(void);
/* A rule set by hand: new, a rule for what lies below a path (0, also where there is no such path; -1
 * with errno), then this process enters it (only if complete) and it is closed. */
int landlock_new(void);
int landlock_grant(int ruleset, const char *path, enum mount_access access, bool is_file);
int landlock_enter(int ruleset, bool complete);
/* bare.c: runs without namespaces */
const char *bare_disk(const struct sandbox_spec *spec); /* folder below which theirs is made; NULL: none */
bool bare_plan(struct mount_plan *plan, const char *box, const char *cwd, struct err *e);
bool bare_build(struct sandbox *sb, const struct sandbox_spec *spec, struct err *e);
int bare_restrict(const struct sandbox *sb);
/* family.c: processes of a run without a pid namespace; `proc` is a descriptor of /proc */
struct member { pid_t pid, parent; };
struct family { struct member members[4096]; size_t n; };
void family_list(int proc, pid_t keeper, struct family *out);
size_t family_kill(int proc, pid_t keeper); /* how many were told to end */
/* keeper.c */
_Noreturn void keeper_run(const struct sandbox *sb, pid_t program, int control);
/* observe.c */
int observe_begin(struct sandbox *sb);  /* in the child: inotify descriptor or -1 */
struct observer;
struct observer *observe_new(struct sandbox *sb);
void observe_read(struct observer *w);     /* takes what has come; never blocks */
void observe_link(struct observer *w);     /* a file of the run is about to get another name */
void observe_finish(struct observer *w, struct sandbox_result *out); /* frees w */
/* kept.c: a file that was written and of which nothing was read first: is none of its earlier bytes left? */
bool kept_nothing(const struct sandbox *sb, const char *path);
/* Opens the topmost layer's file at the path; -1 where there is none. */
int layer_open(const struct sandbox *sb, const char *path);
/* A regular file of the upper layer for reading, -1: none. The run chose what lies there: no link on
 * the way is followed, and nothing is opened before it is known to be a file. */
int upper_open(const struct sandbox *sb, const char *path);
/* The same for a folder. */
int upper_open_folder(const struct sandbox *sb, const char *path);
/* measure.c: what lies below a folder: allocated bytes, and the longest file. Looks at most at so many entries. */
struct measured { int64_t bytes; int64_t longest; int64_t entries; };
struct measured measure_folder(int dirfd);
/* The same of what the run has written to disk; only of a scratch on disk. */
struct measured measure_disk(const struct sandbox *sb);
/* links.c: files with several names; begin with zeros */
struct stat;
struct inode {
	dev_t dev;
	ino_t ino;
	char *path;    /* owned; where it was first met; NULL: a free slot */
	size_t number; /* 1, 2 … as they were met */
	bool given;    /* free for the caller; false at first */
};
struct links { struct inode *inodes; size_t n, slots; };
/* The file; if it is met for the first time, here: prefix and path. Good until the next call. */
struct inode *links_meet(struct links *l, const struct stat *st, const char *prefix, const char *path);
void links_free(struct links *l);
/* unlinked.c: bytes of files without a name that processes hold open; begin with bytes = n = 0 */
struct unlinked {
	int64_t bytes;
	dev_t memory; /* the scratch in memory, which does not count */
	size_t n;
	struct { dev_t dev; ino_t ino; } seen[4096]; /* many descriptors may lead to one file */
};
void unlinked_add(struct unlinked *u, int proc, const char *pid);
/* sockets.c: memory of the kernel's in the sockets of this process's network namespace */
struct sockets {
	int fd;       /* asks the kernel; -1 */
	int64_t most; /* what one socket can have sent, bytes */
};
void sockets_open(struct sockets *s);
int64_t sockets_bytes(const struct sockets *s); /* 0 where the kernel does not tell */
/* judge.c: what the loop knows at the end of a run, and what that means. */
struct ending {
	bool ending;          /* the run was ended from outside */
	enum sandbox_end why; /* then: why; FAULT also when it could not be started */
	bool ended;           /* the keeper's last message came */
	struct message end;
	bool long_mapping;    /* a mapping beyond the address space was tried */
	int64_t group_peak;   /* most memory seen in the control group */
	struct measured disk; /* a scratch on disk as it was before the start */
};
/* Bytes of a scratch in memory, which has a limit of its own. */
int64_t scratch_in_memory(const struct sandbox *sb);
void judge_run(const struct sandbox *sb, const struct ending *e, struct sandbox_result *out);
void result_set_limit(const struct sandbox *sb, struct sandbox_result *out, const struct limit_info *limit, int64_t reached);
/* notify.c */
struct notify;
/* open: of a run without namespaces; the watch learns of calls that it cannot see. */
struct notify *notify_new(int fd, bool open, struct observer *watch);
bool notify_answer(struct notify *n, int64_t offset_us); /* false: the descriptor is of no more use */
bool notify_saw_memory(const struct notify *n); /* a mapping beyond the address-space limit was tried */
void notify_finish(struct notify *n, struct sandbox_result *out); /* frees n */
/* copytree.c: SCRATCH_COPY */
struct copied;
struct copied *copied_make(const struct sandbox_spec *spec, int dirfd, const struct mount_plan *plan,
                           const struct identity *id, struct err *e);
void copied_free(struct copied *c);
/* Is the file (or folder) at `path` as we put it there? */
bool copied_is_same(const struct copied *c, const char *path, const struct stat *st);
/* Calls fn for each file that we put there, in order of path. */
bool copied_each(const struct copied *c, bool (*fn)(void *ctx, const char *path), void *ctx);

#endif
