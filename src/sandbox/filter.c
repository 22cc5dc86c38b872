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

int filter_load(uint64_t longest_map)
{
	struct sock_filter code[ARRAY_LEN(filter_code)];
	struct sock_fprog program = { .len = ARRAY_LEN(code), .filter = code };

	memcpy(code, filter_code, sizeof code);
	if (longest_map != 0) {
		for (size_t i = 0; i < ARRAY_LEN(filter_hi); i++)
			code[filter_hi[i]].k = (uint32_t)(longest_map >> 32);
		for (size_t i = 0; i < ARRAY_LEN(filter_lo); i++)
			code[filter_lo[i]].k = (uint32_t)longest_map;
	}
	/* WAIT_KILLABLE (5.19): a signal does not make a notified call begin again and count twice. */
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
	if (fd < 0 && errno == EINVAL)
		fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	return (int)fd;
}
