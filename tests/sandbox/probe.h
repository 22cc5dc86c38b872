/* One probe: a program, how it is run, what must come of it. What is not given must not happen. */
#ifndef PROBE_H
#define PROBE_H

#include "sandbox.h"

#define KIB (INT64_C(1) << 10)
#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

struct probe {
	const char *name;
	const char *source;         /* main.py, in memory */
	const char *args[8];
	const char *box, *cwd;      /* NULL: an ordinary one */
	struct limits limits;       /* 0: as by default */
	enum scratch scratch;       /* NONE: as the machine offers */
	bool everywhere;            /* run in every tier and kind of scratch, with the same to come of it */

	enum sandbox_end end;       /* EXIT by default */
	int exit;
	int signal;
	const char *limit;          /* end LIMIT: its name */
	const char *at;             /* counter that stood at its maximum */
	int64_t killed;             /* at least so many processes were left */
	const char *out, *err;      /* must be in it */
	int64_t least_out;          /* bytes */
	const char *refused[16];    /* "network socket AF_INET": recorded */
	bool any_refusal;           /* others may be */
	const char *left[24];       /* in order; see take_left */
	bool any_left;              /* and more */
	bool left_out;              /* something was left out */
	const char *opens[12];      /* "data.csv: read" */
};

/* Helpers of the attacks: a system call by number, that must fail with an errno. */
#define PY_SYSCALL \
	"import ctypes, errno, os, platform, sys\n" \
	"if platform.machine() != 'x86_64': print('SKIP numbers of x86-64'); sys.exit(0)\n" \
	"libc = ctypes.CDLL(None, use_errno=True)\n" \
	"def call(nr, *args):\n" \
	"    ctypes.set_errno(0)\n" \
	"    r = libc.syscall(ctypes.c_long(nr), *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])\n" \
	"    return errno.errorcode.get(ctypes.get_errno(), '0') if r == -1 else 'done'\n" \
	"def must(what, got, *wanted):\n" \
	"    if got not in wanted: print('FAIL', what, got); sys.exit(1)\n" \
	"def denied(what, fn, *wanted):\n" \
	"    try: fn()\n" \
	"    except OSError as e: must(what, errno.errorcode.get(e.errno), *wanted)\n" \
	"    else: print('FAIL', what, 'worked'); sys.exit(1)\n"

#define PASS "print('PASS')\n"

#endif
