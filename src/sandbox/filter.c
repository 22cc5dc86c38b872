/* Loads the filter that filtergen made at build time; libseccomp is not needed at run time. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "filter.h"
#include "sys.h"

#include <gen/filter.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

static const struct {
	const struct sock_filter *code;
	size_t n;
	const unsigned short *hi, *lo;
	size_t hi_n, lo_n;
} filters[] = {
	{ filter_code, ARRAY_LEN(filter_code), filter_hi, filter_lo, ARRAY_LEN(filter_hi), ARRAY_LEN(filter_lo) },
	{ filter_code_open, ARRAY_LEN(filter_code_open), filter_hi_open, filter_lo_open, ARRAY_LEN(filter_hi_open),
	  ARRAY_LEN(filter_lo_open) },
};

int filter_load(bool open, uint64_t longest_map)
{
	struct sock_filter code[MAX(ARRAY_LEN(filter_code), ARRAY_LEN(filter_code_open))];
	struct sock_fprog program = { .len = (unsigned short)filters[open].n, .filter = code };

	memcpy(code, filters[open].code, filters[open].n * sizeof code[0]);
	if (longest_map != 0) {
		for (size_t i = 0; i < filters[open].hi_n; i++)
			code[filters[open].hi[i]].k = (uint32_t)(longest_map >> 32);
		for (size_t i = 0; i < filters[open].lo_n; i++)
			code[filters[open].lo[i]].k = (uint32_t)longest_map;
	}
	/* WAIT_KILLABLE (5.19): a signal does not make a notified call begin again and count twice. */
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	return (int)fd;
}
