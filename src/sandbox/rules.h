/*
 * The table of system calls: what a run may do, what is refused and recorded, what does not exist.
 *
 * An allowlist: new system calls arrive with every kernel, and a list of the forbidden would admit
 * them silently. What no row names is answered ENOSYS, upon which C libraries fall back. Used twice:
 * filtergen.c makes the filter of it at build time, notify.c names refusals by it at run time.
 *
 * `err` is the errno of the answer; 0 in a refusing row means that the call reports success and
 * does nothing. A row with cases decides by the low 32 bits of one argument (under `mask`); those
 * bits are all that the kernel looks at for the arguments concerned (CVE-2019-10063 compared 64).
 *
 * There are two filters of it. Where a run has namespaces of its own (tiers A), names, processes and
 * sockets of the host cannot be reached. Where it has none (tier B), the machine around it is there:
 * rows for IN_OPEN take over what Landlock does not cover - modes, owners and times of files, path
 * sockets, limits and priorities of the user's other processes.
 */
#ifndef TICKMARK_SANDBOX_RULES_H
#define TICKMARK_SANDBOX_RULES_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rule_act {
	ACT_ALLOW,
	ACT_ERRNO,  /* answered by the filter itself, unseen */
	ACT_NOTIFY, /* answered by the launcher, which records it */
	ACT_LENGTH, /* allowed while the argument (64 bits) is at most the address-space limit, else notified */
	ACT_TELL,   /* allowed, once the launcher knows of it */
};

/* How the decisive argument is put into words. */
enum rule_naming {
	NAMING_NONE,
	NAMING_FAMILY,  /* socket address families */
	NAMING_CLONE,   /* namespace flags */
	NAMING_IOCTL,
	NAMING_PTRACE,
	NAMING_PROCESS,
	NAMING_SIZE,    /* bytes */
	NAMING_NUMBER,  /* hexadecimal */
};

/* Of which filter a row is. */
enum rule_where { IN_BOTH, IN_SPACES, IN_OPEN };

struct rule_case {
	uint32_t value;     /* of the argument, after the mask */
	enum rule_act act;  /* ALLOW, ERRNO, NOTIFY */
	int err;            /* for ERRNO */
};

struct rule {
	const char *calls;         /* names, one space between */
	const char *why;           /* the reason of the row */
	enum rule_act act;         /* of the call; with cases: where no case fits */
	int err;                   /* errno of the answer */
	const char *kind;          /* of the refusal */
	int arg;                   /* index of the decisive argument */
	uint32_t mask;             /* of its low half; 0: all bits */
	const struct rule_case *cases;
	size_t cases_n;
	enum rule_naming naming;   /* of that argument */
	bool harmless;             /* a probe that libraries make and shrug off */
	enum rule_where where;
	int veto_arg;              /* another argument, looked at first, under veto_mask (0: all bits) … */
	uint32_t veto_mask;
	const struct rule_case *vetoes; /* … where one of these fits, it decides */
	size_t vetoes_n;
};

/* Is the row in the filter of runs without namespaces (open), or of those with? */
static inline bool rule_applies(const struct rule *r, bool open)
{
	return r->where == IN_BOTH || r->where == (open ? IN_OPEN : IN_SPACES);
}

#define RULE_NAMESPACES 0x7e020000u /* CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET} */

static const struct rule_case rule_unix_only[] = {
	{ .value = 1, .act = ACT_ALLOW }, /* AF_UNIX */
};

static const struct rule_case rule_no_namespace[] = {
	{ .value = 0, .act = ACT_ALLOW },
};

static const struct rule_case rule_not_the_keeper[] = {
	{ .value = 1, .act = ACT_NOTIFY },
};

static const struct rule_case rule_itself[] = {
	{ .value = 0, .act = ACT_ALLOW },
};

/* PRIO_USER takes in everybody with the uid: the keeper, or without namespaces the user's desktop. */
static const struct rule_case rule_no_users[] = {
	{ .value = 2, .act = ACT_NOTIFY },
};

/* A pair of datagram sockets could be connected anew, to a path of the host. */
static const struct rule_case rule_no_datagrams[] = {
	{ .value = 2, .act = ACT_NOTIFY }, /* SOCK_DGRAM */
	{ .value = 3, .act = ACT_NOTIFY }, /* SOCK_RAW: a datagram socket too in AF_UNIX */
};

static const struct rule_case rule_ioctls[] = {
	{ .value = 0x5401, .act = ACT_ALLOW },                   /* TCGETS: isatty */
	{ .value = 0x5413, .act = ACT_ALLOW },                   /* TIOCGWINSZ */
	{ .value = 0x540f, .act = ACT_ALLOW },                   /* TIOCGPGRP */
	{ .value = 0x541b, .act = ACT_ALLOW },                   /* FIONREAD */
	{ .value = 0x5421, .act = ACT_ALLOW },                   /* FIONBIO */
	{ .value = 0x5450, .act = ACT_ALLOW },                   /* FIONCLEX */
	{ .value = 0x5451, .act = ACT_ALLOW },                   /* FIOCLEX */
	{ .value = 0x40049409, .act = ACT_ALLOW },               /* FICLONE: reflink copies */
	{ .value = 0x5412, .act = ACT_NOTIFY },                  /* TIOCSTI: types into a terminal */
	{ .value = 0x541c, .act = ACT_NOTIFY },                  /* TIOCLINUX: the console's paste buffer */
	{ .value = 0x540e, .act = ACT_NOTIFY },                  /* TIOCSCTTY: takes a terminal */
};

static const struct rule_case rule_prctls[] = {
	{ .value = 1, .act = ACT_ALLOW },          /* PR_SET_PDEATHSIG */
	{ .value = 2, .act = ACT_ALLOW },          /* PR_GET_PDEATHSIG */
	{ .value = 3, .act = ACT_ALLOW },          /* PR_GET_DUMPABLE */
	{ .value = 4, .act = ACT_ALLOW },          /* PR_SET_DUMPABLE */
	{ .value = 15, .act = ACT_ALLOW },         /* PR_SET_NAME */
	{ .value = 16, .act = ACT_ALLOW },         /* PR_GET_NAME */
	{ .value = 21, .act = ACT_ALLOW },         /* PR_GET_SECCOMP */
	{ .value = 23, .act = ACT_ALLOW },         /* PR_CAPBSET_READ */
	{ .value = 27, .act = ACT_ALLOW },         /* PR_GET_SECUREBITS */
	{ .value = 29, .act = ACT_ALLOW },         /* PR_SET_TIMERSLACK */
	{ .value = 30, .act = ACT_ALLOW },         /* PR_GET_TIMERSLACK */
	{ .value = 36, .act = ACT_ALLOW },         /* PR_SET_CHILD_SUBREAPER */
	{ .value = 37, .act = ACT_ALLOW },         /* PR_GET_CHILD_SUBREAPER */
	{ .value = 38, .act = ACT_ALLOW },         /* PR_SET_NO_NEW_PRIVS */
	{ .value = 39, .act = ACT_ALLOW },         /* PR_GET_NO_NEW_PRIVS */
	{ .value = 41, .act = ACT_ALLOW },         /* PR_SET_THP_DISABLE */
	{ .value = 42, .act = ACT_ALLOW },         /* PR_GET_THP_DISABLE */
	{ .value = 0x53564d41, .act = ACT_ALLOW }, /* PR_SET_VMA: names of mappings */
};

static const struct rule_case rule_personality[] = {
	{ .value = 0xffffffff, .act = ACT_ALLOW }, /* the query */
	{ .value = 0, .act = ACT_ALLOW },          /* PER_LINUX */
};

#define CASES(c) .cases = c, .cases_n = sizeof(c) / sizeof((c)[0])
#define VETOES(c) .vetoes = c, .vetoes_n = sizeof(c) / sizeof((c)[0])

static const struct rule rules[] = {
	/* allowed */
	{ .calls = "read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek close close_range "
	           "dup dup2 dup3 fcntl fcntl64 flock pipe pipe2 fadvise64 readahead sendfile sendfile64 copy_file_range",
	  .why = "descriptors that the run holds" },
	{ .calls = "open openat openat2 creat stat fstat lstat newfstatat fstatat64 stat64 lstat64 fstat64 statx access faccessat "
	           "faccessat2 readlink readlinkat getdents getdents64 statfs fstatfs statfs64 fstatfs64 getcwd chdir fchdir umask",
	  .why = "names: the mounts and Landlock decide which" },
	{ .calls = "mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 symlink symlinkat mknod mknodat "
	           "truncate ftruncate truncate64 ftruncate64 fallocate fsync fdatasync sync_file_range syncfs",
	  .why = "changes in the scratch; device nodes need a capability and Landlock's leave" },
	{ .calls = "link linkat", .why = "as above; no watch tells of which file one is another name", .act = ACT_TELL },
	{ .calls = "chmod fchmod fchmodat chown fchown lchown fchownat utime utimes utimensat futimesat",
	  .why = "as above, where no other file can be named", .where = IN_SPACES },
	{ .calls = "chmod fchmod fchmodat chown fchown lchown fchownat utime utimes utimensat futimesat",
	  .why = "Landlock does not cover them, and the user's own files can be named: they report success and do nothing, "
	         "for shutil.copy and archives fail of any errno",
	  .act = ACT_NOTIFY, .err = 0, .kind = "file", .harmless = true, .where = IN_OPEN },
	{ .calls = "getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr", .why = "reading attributes (shutil.copy2)" },
	{ .calls = "munmap mprotect madvise brk msync mincore mlock mlock2 munlock munlockall pkey_alloc pkey_free pkey_mprotect "
	           "membarrier get_mempolicy",
	  .why = "its own memory, bounded by rlimits and the keeper" },
	{ .calls = "exit exit_group fork vfork execve wait4 waitid kill tkill tgkill pidfd_open pidfd_send_signal set_tid_address "
	           "set_robust_list get_robust_list rseq futex futex_waitv arch_prctl restart_syscall",
	  .why = "processes inside the pid namespace" },
	{ .calls = "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_tgsigqueueinfo "
	           "rt_sigsuspend sigaltstack pause signalfd signalfd4",
	  .why = "signals" },
	{ .calls = "alarm getitimer setitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete "
	           "timerfd_create timerfd_settime timerfd_gettime nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday "
	           "time times",
	  .why = "reading and waiting for clocks" },
	{ .calls = "getpid getppid gettid getpgid getpgrp getsid setsid setpgid getuid geteuid getgid getegid getresuid getresgid "
	           "getgroups capget getrlimit ugetrlimit setrlimit getrusage sysinfo uname getrandom getcpu getpriority ioprio_get",
	  .why = "what it is and what it has; raising needs rights it has not" },
	{ .calls = "sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_getattr sched_get_priority_max "
	           "sched_get_priority_min sched_rr_get_interval",
	  .why = "reading what threads have" },
	{ .calls = "select _newselect pselect6 poll ppoll epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 "
	           "eventfd eventfd2",
	  .why = "waiting (asyncio, selectors)" },
	{ .calls = "getsockname getpeername getsockopt setsockopt sendto recvfrom sendmsg recvmsg sendmmsg recvmmsg shutdown",
	  .why = "sockets that could be made, so AF_UNIX; one rule at socket() refuses cleanly" },
	{ .calls = "connect bind listen accept accept4", .why = "as above", .where = IN_SPACES },
	{ .calls = "connect bind listen accept accept4", .why = "only pairs can be made, which need none of these",
	  .act = ACT_NOTIFY, .err = EACCES, .kind = "network", .where = IN_OPEN },

	/* decided by an argument */
	{ .calls = "socket", .why = "no network: only sockets inside the machine can be made", .act = ACT_NOTIFY, .err = EACCES,
	  .kind = "network", .arg = 0, CASES(rule_unix_only), .naming = NAMING_FAMILY, .where = IN_SPACES },
	{ .calls = "socket", .why = "path sockets of the host can be reached (D-Bus starts programs): none at all",
	  .act = ACT_NOTIFY, .err = EACCES, .kind = "network", .arg = 0, .naming = NAMING_FAMILY, .where = IN_OPEN },
	{ .calls = "socketpair", .why = "as socket", .act = ACT_NOTIFY, .err = EACCES,
	  .kind = "network", .arg = 0, CASES(rule_unix_only), .naming = NAMING_FAMILY, .where = IN_SPACES },
	{ .calls = "socketpair", .why = "streams between the run's own processes", .act = ACT_NOTIFY, .err = EACCES,
	  .kind = "network", .arg = 0, CASES(rule_unix_only), .naming = NAMING_FAMILY, .where = IN_OPEN,
	  .veto_arg = 1, .veto_mask = 0xf, VETOES(rule_no_datagrams) },
	{ .calls = "clone", .why = "threads and processes, but no namespaces", .act = ACT_NOTIFY, .err = EPERM,
	  .kind = "namespace", .arg = 0, .mask = RULE_NAMESPACES, CASES(rule_no_namespace), .naming = NAMING_CLONE },
	{ .calls = "prlimit64 sched_setaffinity sched_setparam sched_setscheduler sched_setattr",
	  .why = "its own limits and threads; not the keeper's (1), which has its uid and watches its memory", .act = ACT_ALLOW,
	  .err = EPERM, .kind = "process", .arg = 0, CASES(rule_not_the_keeper), .naming = NAMING_PROCESS, .where = IN_SPACES },
	{ .calls = "prlimit64 sched_setaffinity sched_setparam sched_setscheduler sched_setattr",
	  .why = "its own limits and threads; any other process may be one of the user's", .act = ACT_NOTIFY,
	  .err = EPERM, .kind = "process", .arg = 0, CASES(rule_itself), .naming = NAMING_PROCESS, .where = IN_OPEN },
	{ .calls = "setpriority", .why = "nicer, for itself and its group; a group or a user may hold the keeper", .act = ACT_NOTIFY,
	  .err = EPERM, .kind = "process", .arg = 1, CASES(rule_itself), .naming = NAMING_PROCESS,
	  .veto_arg = 0, VETOES(rule_no_users) },
	{ .calls = "ioctl", .why = "few are needed; what else exists belongs to devices", .act = ACT_ERRNO, .err = ENOTTY,
	  .kind = "terminal", .arg = 1, CASES(rule_ioctls), .naming = NAMING_IOCTL },
	{ .calls = "prctl", .why = "names, THP, parent-death signal; not seccomp, capabilities or memory maps", .act = ACT_ERRNO,
	  .err = EINVAL, .arg = 0, CASES(rule_prctls) },
	{ .calls = "personality", .why = "turns off address randomisation and the like", .act = ACT_NOTIFY, .err = EPERM,
	  .kind = "kernel", .arg = 0, CASES(rule_personality), .naming = NAMING_NUMBER, .harmless = true },
	{ .calls = "mmap", .why = "one mapping beyond the address-space limit: recorded, as RLIMIT_AS tells nobody",
	  .act = ACT_LENGTH, .err = ENOMEM, .kind = "memory", .arg = 1, .naming = NAMING_SIZE, .harmless = true },
	{ .calls = "mremap", .why = "as mmap", .act = ACT_LENGTH, .err = ENOMEM, .kind = "memory", .arg = 2,
	  .naming = NAMING_SIZE, .harmless = true },

	/* refused and recorded */
	{ .calls = "mount umount umount2 pivot_root chroot fsopen fsconfig fsmount fspick open_tree move_mount mount_setattr swapon "
	           "swapoff quotactl quotactl_fd",
	  .why = "the shape of the file tree", .act = ACT_NOTIFY, .err = EPERM, .kind = "mount" },
	{ .calls = "unshare", .why = "new namespaces bring new capabilities", .act = ACT_NOTIFY, .err = EPERM,
	  .kind = "namespace", .arg = 0, .naming = NAMING_CLONE },
	{ .calls = "setns", .why = "other namespaces", .act = ACT_NOTIFY, .err = EPERM, .kind = "namespace",
	  .arg = 1, .naming = NAMING_CLONE },
	{ .calls = "ptrace", .why = "other processes' memory and system calls", .act = ACT_NOTIFY, .err = EPERM,
	  .kind = "process", .arg = 0, .naming = NAMING_PTRACE },
	{ .calls = "process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp",
	  .why = "other processes' memory and descriptors", .act = ACT_NOTIFY, .err = EPERM, .kind = "process" },
	{ .calls = "init_module finit_module delete_module kexec_load kexec_file_load reboot acct settimeofday clock_settime "
	           "clock_adjtime adjtimex sethostname setdomainname iopl ioperm modify_ldt syslog bpf perf_event_open lookup_dcookie "
	           "nfsservctl vhangup",
	  .why = "the machine itself", .act = ACT_NOTIFY, .err = EPERM, .kind = "kernel" },
	{ .calls = "add_key request_key keyctl", .why = "key rings are shared with the user's session", .act = ACT_NOTIFY,
	  .err = EPERM, .kind = "keyring" },
	{ .calls = "name_to_handle_at open_by_handle_at fanotify_init fanotify_mark", .why = "files past their mounts",
	  .act = ACT_NOTIFY, .err = EPERM, .kind = "file" },
	{ .calls = "shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink "
	           "mq_timedsend mq_timedreceive mq_notify mq_getsetattr",
	  .why = "System V and POSIX message memory, which no limit sees", .act = ACT_NOTIFY, .err = EPERM, .kind = "ipc" },
	{ .calls = "setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid capset",
	  .why = "there is one user inside", .act = ACT_NOTIFY, .err = EPERM, .kind = "identity" },
	{ .calls = "vmsplice", .why = "pages given away and changed later (Dirty Pipe's kin)", .act = ACT_NOTIFY, .err = EPERM,
	  .kind = "kernel" },
	{ .calls = "mlockall", .why = "pins all memory", .act = ACT_NOTIFY, .err = EPERM, .kind = "memory", .harmless = true },
	{ .calls = "mbind set_mempolicy set_mempolicy_home_node migrate_pages move_pages",
	  .why = "NUMA placement; OpenBLAS tries mbind and goes on", .act = ACT_NOTIFY, .err = EPERM, .kind = "memory",
	  .harmless = true },

	/* not there, seen: libraries probe these and fall back */
	{ .calls = "io_uring_setup", .why = "a second way around this filter", .act = ACT_NOTIFY, .err = ENOSYS, .kind = "kernel",
	  .harmless = true },
	{ .calls = "memfd_create memfd_secret", .why = "memory that no limit sees", .act = ACT_NOTIFY, .err = ENOSYS,
	  .kind = "memory", .harmless = true },
	{ .calls = "inotify_init inotify_init1", .why = "few per user, shared with the desktop", .act = ACT_NOTIFY, .err = ENOSYS,
	  .kind = "file", .harmless = true },
	{ .calls = "userfaultfd", .why = "stops the kernel at a chosen place", .act = ACT_NOTIFY, .err = ENOSYS, .kind = "kernel",
	  .harmless = true },
	{ .calls = "splice tee", .why = "page cache of files (Copy Fail, Dirty Pipe)", .act = ACT_NOTIFY, .err = ENOSYS,
	  .kind = "kernel", .harmless = true },
	{ .calls = "seccomp landlock_create_ruleset", .why = "a program's own sandbox inside ours", .act = ACT_NOTIFY,
	  .err = ENOSYS, .kind = "kernel", .harmless = true },

	/* answered by the filter, unseen */
	{ .calls = "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr",
	  .why = "would reach the overlay's marks; shutil.copy2 ignores exactly this errno", .act = ACT_ERRNO, .err = EOPNOTSUPP },
	{ .calls = "sync", .why = "would flush the whole machine; the scratch is memory", .act = ACT_ERRNO, .err = 0 },
	{ .calls = "clone3", .why = "flags behind a pointer; glibc falls back to clone on this errno only", .act = ACT_ERRNO,
	  .err = ENOSYS },
};

#undef CASES
#undef VETOES

#endif
