/* The generated filters, run here by a small interpreter of classic BPF: every call number, both
 * foreign ABIs, and for every call of the table every value that decides, with its neighbours and with
 * high bits set. The answer expected is worked out from the table anew. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <seccomp.h>

#include <cmocka.h>

#include "../../src/sandbox/filter.h"
#include "../../src/sandbox/rules.h"

#define filter_calls its_calls /* the same tables are in the object under test */
#define filter_calls_n its_calls_n
#define filter_calls_open its_calls_open
#define filter_calls_open_n its_calls_open_n
#include <gen/filter.h>
#undef filter_calls
#undef filter_calls_n
#undef filter_calls_open
#undef filter_calls_open_n

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#define FOREIGN AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define FOREIGN AUDIT_ARCH_ARM
#endif

#define ERRNO(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))

#define LENGTH MAX(ARRAY_LEN(filter_code), ARRAY_LEN(filter_code_open))

static struct sock_filter code[LENGTH];
static size_t code_n;
static bool code_open; /* which of the two it is */

static void take_filter(bool open)
{
	code_open = open;
	code_n = open ? ARRAY_LEN(filter_code_open) : ARRAY_LEN(filter_code);
	memcpy(code, open ? filter_code_open : filter_code, code_n * sizeof code[0]);
}

static void take_longest(uint64_t longest)
{
	const unsigned short *hi = code_open ? filter_hi_open : filter_hi, *lo = code_open ? filter_lo_open : filter_lo;
	size_t hi_n = code_open ? ARRAY_LEN(filter_hi_open) : ARRAY_LEN(filter_hi);
	size_t lo_n = code_open ? ARRAY_LEN(filter_lo_open) : ARRAY_LEN(filter_lo);

	for (size_t k = 0; k < hi_n; k++)
		code[hi[k]].k = (uint32_t)(longest >> 32);
	for (size_t k = 0; k < lo_n; k++)
		code[lo[k]].k = (uint32_t)longest;
}

static int begin_with_the_first(void **state)
{
	(void)state;
	take_filter(false);
	return 0;
}

/* What the kernel would do; jumps must stay inside. */
static uint32_t verdict_of(const struct seccomp_data *d)
{
	uint32_t a = 0;
	unsigned steps = 0;

	for (size_t pc = 0; pc < code_n; pc++) {
		const struct sock_filter *f = &code[pc];
		assert_true(++steps <= code_n);
		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			assert_true(f->k + 4 <= sizeof *d);
			memcpy(&a, (const char *)d + f->k, 4);
			break;
		case BPF_ALU | BPF_AND | BPF_K: a &= f->k; break;
		case BPF_JMP | BPF_JA: pc += f->k; break;
		case BPF_JMP | BPF_JEQ | BPF_K: pc += a == f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JGT | BPF_K: pc += a > f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JGE | BPF_K: pc += a >= f->k ? f->jt : f->jf; break;
		case BPF_JMP | BPF_JSET | BPF_K: pc += (a & f->k) ? f->jt : f->jf; break;
		case BPF_RET | BPF_K: return f->k;
		default: fail_msg("instruction %#x", f->code);
		}
	}
	fail_msg("the filter has no end");
	return 0;
}

static uint32_t verdict(int nr, uint64_t a0, uint64_t a1, uint64_t a2)
{
	struct seccomp_data d = { .nr = nr, .arch = NATIVE, .args = { a0, a1, a2 } };

	return verdict_of(&d);
}

static const struct rule *rule_of(int nr)
{
	const struct filter_call *calls = code_open ? filter_calls_open : filter_calls;

	for (size_t i = 0; i < (code_open ? filter_calls_open_n : filter_calls_n); i++)
		if (calls[i].nr == nr)
			return &rules[calls[i].rule];
	return NULL;
}

static uint32_t answer(enum rule_act act, int err)
{
	return act == ACT_ALLOW ? SECCOMP_RET_ALLOW : act == ACT_ERRNO ? ERRNO(err) : SECCOMP_RET_USER_NOTIF;
}

static const struct rule_case *fitting(const struct rule_case *cases, size_t n, uint64_t arg, uint32_t mask)
{
	for (size_t i = 0; i < n; i++)
		if (((uint32_t)arg & (mask != 0 ? mask : 0xffffffffu)) == cases[i].value)
			return &cases[i];
	return NULL;
}

/* What the table says of a call, by its words and not by the way the filter is built. */
static uint32_t expected(const struct rule *r, const struct seccomp_data *d, uint64_t longest)
{
	const struct rule_case *c = fitting(r->vetoes, r->vetoes_n, d->args[r->veto_arg], r->veto_mask);

	if (c == NULL)
		c = fitting(r->cases, r->cases_n, d->args[r->arg], r->mask);
	if (c != NULL)
		return answer(c->act, c->err);
	if (r->act == ACT_LENGTH)
		return d->args[r->arg] > longest ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
	return r->act == ACT_TELL ? SECCOMP_RET_USER_NOTIF : answer(r->act, r->err);
}

/* Calls fn(number, rule) for each call of the table that is in this filter and on this machine. */
static int each_listed(void (*fn)(int nr, const struct rule *r))
{
	int n = 0;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (!rule_applies(&rules[i], code_open))
			continue;
		char *copy = xstrdup(rules[i].calls), *save = NULL;
		for (char *name = strtok_r(copy, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save)) {
			int nr = seccomp_syscall_resolve_name(name);
			if (nr < 0)
				continue; /* of another architecture */
			fn(nr, &rules[i]);
			n++;
		}
		free(copy);
	}
	return n;
}

#define LONGEST ((UINT64_C(3) << 32) + 4096)

static void try_value(int nr, const struct rule *r, int arg, uint64_t value)
{
	static const uint64_t highs[] = { 0, 1, 0x80000000u, 0xffffffffu }, others[] = { 0, 1, 2, 17, UINT64_MAX };

	for (size_t h = 0; h < ARRAY_LEN(highs); h++) {
		for (size_t o = 0; o < ARRAY_LEN(others); o++) {
			struct seccomp_data d = { .nr = nr, .arch = NATIVE };
			for (int i = 0; i < 6; i++)
				d.args[i] = others[o];
			d.args[arg] = r->act == ACT_LENGTH ? value : (uint32_t)value | highs[h] << 32;
			uint32_t wanted = expected(r, &d, LONGEST), got = verdict_of(&d);
			if (got != wanted)
				fail_msg("call %d (%s) with %#llx: %#x, not %#x", nr, r->calls, (unsigned long long)d.args[arg], got, wanted);
		}
	}
}

static void try_around(int nr, const struct rule *r, int arg, uint32_t mask, const struct rule_case *cases, size_t n)
{
	for (int bit = 0; bit < 32; bit++)
		try_value(nr, r, arg, UINT64_C(1) << bit);
	for (uint64_t v = 0; v < 70; v++)
		try_value(nr, r, arg, v);
	for (size_t i = 0; i < n; i++)
		for (int64_t by = -1; by <= 1; by++) {
			try_value(nr, r, arg, cases[i].value + (uint64_t)by);
			try_value(nr, r, arg, (cases[i].value + (uint64_t)by) | (uint32_t)(mask != 0 ? ~mask : 0));
		}
}

static void try_call(int nr, const struct rule *r)
{
	try_around(nr, r, r->arg, r->mask, r->cases, r->cases_n);
	if (r->vetoes_n > 0)
		try_around(nr, r, r->veto_arg, r->veto_mask, r->vetoes, r->vetoes_n);
	for (int64_t by = -1; r->act == ACT_LENGTH && by <= 1; by++)
		for (uint64_t high = 0; high < 8; high++)
			try_value(nr, r, r->arg, (high << 32) + 4096 + (uint64_t)by);
}

static void test_every_listed_call(void **state)
{
	(void)state;
	for (int open = 0; open < 2; open++) {
		take_filter(open);
		take_longest(LONGEST);
		assert_in_range(each_listed(try_call), 280, 420);
	}
}

/* What no row names does not exist. */
static bool listed[4096];

static void mark_listed(int nr, const struct rule *r)
{
	(void)r;
	assert_true(nr < (int)ARRAY_LEN(listed) && !listed[nr]);
	listed[nr] = true;
}

static void test_all_else_is_absent(void **state)
{
	(void)state;
	for (int open = 0; open < 2; open++) {
		take_filter(open);
		memset(listed, 0, sizeof listed);
		each_listed(mark_listed);
		for (int nr = 0; nr < (int)ARRAY_LEN(listed); nr++)
			for (uint64_t a = 0; a < 3 && !listed[nr]; a++)
				assert_int_equal(verdict(nr, a, a, a), ERRNO(ENOSYS));
	}
}

/* Without namespaces nothing of the machine around may be changed or reached by what Landlock leaves out. */
static void test_the_open_filter(void **state)
{
	static const int pretended[] = { SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_utimensat };

	(void)state;
	take_filter(true);
	for (size_t i = 0; i < ARRAY_LEN(pretended); i++) {
		assert_int_equal(verdict(pretended[i], 0, 0, 0), SECCOMP_RET_USER_NOTIF);
		assert_true(rule_of(pretended[i])->err == 0 && rule_of(pretended[i])->harmless);
	}
	for (uint64_t family = 0; family < 100; family++)
		assert_int_equal(verdict(SYS_socket, family, 1, 0), SECCOMP_RET_USER_NOTIF);
	for (uint64_t type = 0; type < 16; type++) {
		uint32_t wanted = type == 2 || type == 3 ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW;
		assert_int_equal(verdict(SYS_socketpair, 1, type, 0), wanted);
		assert_int_equal(verdict(SYS_socketpair, 1, type | 02004000, 0), wanted); /* close-on-exec, not blocking */
		assert_int_equal(verdict(SYS_socketpair, 2, type, 0), SECCOMP_RET_USER_NOTIF);
	}
	assert_int_equal(verdict(SYS_connect, 3, 0, 0), SECCOMP_RET_USER_NOTIF);
	assert_int_equal(verdict(SYS_prlimit64, 0, 0, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(verdict(SYS_prlimit64, 4711, 0, 0), SECCOMP_RET_USER_NOTIF);
	assert_int_equal(verdict(SYS_sched_setaffinity, 4711, 0, 0), SECCOMP_RET_USER_NOTIF);
}

static void test_every_number_has_a_known_answer(void **state)
{
	int allowed = 0, notified = 0;

	(void)state;
	for (int nr = 0; nr < 1024; nr++) {
		uint32_t v = verdict(nr, 0, 0, 0);
		bool known = v == SECCOMP_RET_ALLOW || v == SECCOMP_RET_USER_NOTIF || v == ERRNO(ENOSYS) || v == ERRNO(ENOTTY) ||
		             v == ERRNO(EINVAL) || v == ERRNO(EOPNOTSUPP) || v == ERRNO(0);
		if (!known)
			fail_msg("call %d: %#x", nr, v);
		allowed += v == SECCOMP_RET_ALLOW;
		notified += v == SECCOMP_RET_USER_NOTIF;
		/* What is notified must be in the table that names it, and nothing else may be notified. */
		if (v == SECCOMP_RET_USER_NOTIF && rule_of(nr) == NULL)
			fail_msg("call %d is notified without a name", nr);
	}
	assert_in_range(allowed, 180, 280);
	assert_in_range(notified, 60, 120);
}

static void test_plain_calls(void **state)
{
	static const int allow[] = { SYS_read, SYS_write, SYS_openat, SYS_execve, SYS_exit_group, SYS_futex, SYS_wait4, SYS_kill,
	                             SYS_connect, SYS_getdents64, SYS_prlimit64, SYS_sendmsg, SYS_mprotect };
	static const int notify[] = { SYS_mount, SYS_ptrace, SYS_bpf, SYS_setuid, SYS_keyctl, SYS_unshare, SYS_reboot, SYS_mbind };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(allow); i++)
		assert_int_equal(verdict(allow[i], 0, 0, 0), SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < ARRAY_LEN(notify); i++)
		assert_int_equal(verdict(notify[i], 0, 0, 0), SECCOMP_RET_USER_NOTIF);
	assert_int_equal(rule_of(SYS_linkat)->act, ACT_TELL);
	assert_int_equal(verdict(SYS_clone3, 0, 0, 0), ERRNO(ENOSYS));
	assert_int_equal(verdict(SYS_setxattr, 0, 0, 0), ERRNO(EOPNOTSUPP));
	assert_int_equal(verdict(SYS_sync, 0, 0, 0), ERRNO(0));
	assert_int_equal(verdict(1000, 0, 0, 0), ERRNO(ENOSYS));
	assert_int_equal(verdict(-1, 0, 0, 0), ERRNO(ENOSYS));
}

static void test_foreign_abi_kills(void **state)
{
	struct seccomp_data d = { .arch = FOREIGN };

	(void)state;
	for (d.nr = 0; d.nr < 512; d.nr++)
		assert_int_equal(verdict_of(&d), SECCOMP_RET_KILL_PROCESS);
#if defined(__x86_64__)
	for (int nr = 0; nr < 600; nr++)
		assert_int_equal(verdict(nr | 0x40000000, 0, 0, 0), SECCOMP_RET_KILL_PROCESS);
#endif
}

static void test_sockets(void **state)
{
	(void)state;
	for (uint64_t family = 0; family < 100; family++) {
		uint32_t wanted = family == 1 ? SECCOMP_RET_ALLOW : SECCOMP_RET_USER_NOTIF;
		assert_int_equal(verdict(SYS_socket, family, 1, 0), wanted);
		assert_int_equal(verdict(SYS_socketpair, family, 1, 0), wanted);
		/* The kernel looks at the low 32 bits only. */
		assert_int_equal(verdict(SYS_socket, family | UINT64_C(1) << 32, 1, 0), wanted);
		assert_int_equal(verdict(SYS_socket, family | UINT64_C(0xffffffff) << 32, 1, 0), wanted);
	}
}

static void test_ioctls(void **state)
{
	static const uint32_t allow[] = { 0x5401, 0x5413, 0x540f, 0x541b, 0x5421, 0x5450, 0x5451, 0x40049409 };
	static const uint32_t notify[] = { 0x5412, 0x541c, 0x540e };

	(void)state;
	for (uint64_t high = 0; high < 3; high++) {
		for (size_t i = 0; i < ARRAY_LEN(allow); i++)
			assert_int_equal(verdict(SYS_ioctl, 0, allow[i] | high << 32, 0), SECCOMP_RET_ALLOW);
		for (size_t i = 0; i < ARRAY_LEN(notify); i++)
			assert_int_equal(verdict(SYS_ioctl, 0, notify[i] | high << 32, 0), SECCOMP_RET_USER_NOTIF);
		assert_int_equal(verdict(SYS_ioctl, 0, 0x5402 | high << 32, 0), ERRNO(ENOTTY));
	}
}

static void test_clone_flags(void **state)
{
	(void)state;
	assert_int_equal(verdict(SYS_clone, 0x3d0f00, 0, 0), SECCOMP_RET_ALLOW);      /* a thread of glibc */
	assert_int_equal(verdict(SYS_clone, 0x01200011, 0, 0), SECCOMP_RET_ALLOW);    /* fork of glibc */
	for (int bit = 0; bit < 32; bit++) {
		uint32_t flag = 1u << bit;
		assert_int_equal(verdict(SYS_clone, flag | 17, 0, 0),
		                 (flag & RULE_NAMESPACES) ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW);
	}
	assert_int_equal(verdict(SYS_prctl, 22, 2, 0), ERRNO(EINVAL)); /* PR_SET_SECCOMP */
	assert_int_equal(verdict(SYS_prctl, 15, 0, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(verdict(SYS_personality, 0xffffffff, 0, 0), SECCOMP_RET_ALLOW);
	assert_int_equal(verdict(SYS_personality, 0x0040000, 0, 0), SECCOMP_RET_USER_NOTIF);
}

static void test_the_keeper_is_out_of_reach(void **state)
{
	static const int calls[] = { SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setattr };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		assert_int_equal(verdict(calls[i], 1, 0, 0), SECCOMP_RET_USER_NOTIF);
		assert_int_equal(verdict(calls[i], 1 | UINT64_C(7) << 32, 0, 0), SECCOMP_RET_USER_NOTIF);
		assert_int_equal(verdict(calls[i], 0, 0, 0), SECCOMP_RET_ALLOW);
		assert_int_equal(verdict(calls[i], 2, 0, 0), SECCOMP_RET_ALLOW);
	}
	/* PRIO_USER 0 is everybody with the uid. */
	for (uint64_t which = 0; which < 3; which++) {
		assert_int_equal(verdict(SYS_setpriority, which, 0, 19), which < 2 ? SECCOMP_RET_ALLOW : SECCOMP_RET_USER_NOTIF);
		assert_int_equal(verdict(SYS_setpriority, which, 1, 19), SECCOMP_RET_USER_NOTIF);
	}
	assert_int_equal(verdict(SYS_setpriority, 2 | UINT64_C(1) << 32, 0, 19), SECCOMP_RET_USER_NOTIF);
}

static void test_longest_mapping(void **state)
{
	static const uint64_t limits[] = { 1, 4096, UINT32_MAX, UINT64_C(1) << 32, (UINT64_C(5) << 32) + 7, UINT64_C(1) << 40 };

	(void)state;
	/* As delivered nothing is too long. */
	assert_int_equal(verdict(SYS_mmap, 0, UINT64_MAX, 0), SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
		take_longest(limits[i]);
		assert_int_equal(verdict(SYS_mmap, 0, limits[i], 0), SECCOMP_RET_ALLOW);
		assert_int_equal(verdict(SYS_mmap, 0, limits[i] - 1, 0), SECCOMP_RET_ALLOW);
		assert_int_equal(verdict(SYS_mmap, 0, limits[i] + 1, 0), SECCOMP_RET_USER_NOTIF);
		assert_int_equal(verdict(SYS_mmap, 0, UINT64_MAX, 0), SECCOMP_RET_USER_NOTIF);
		assert_int_equal(verdict(SYS_mremap, 0, UINT64_MAX, limits[i]), SECCOMP_RET_ALLOW);
		assert_int_equal(verdict(SYS_mremap, 0, 0, limits[i] + 1), SECCOMP_RET_USER_NOTIF);
	}
}

/* Every row says why, refusing rows say of which kind, and no call stands in two rows of a filter. */
static void rules_are_sound(bool open)
{
	struct strv names = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct rule *r = &rules[i];
		if (!rule_applies(r, open))
			continue;
		assert_true(r->why != NULL && r->why[0] != '\0');
		bool notifies = r->act == ACT_NOTIFY || r->act == ACT_LENGTH;
		for (size_t k = 0; k < r->cases_n; k++)
			notifies |= r->cases[k].act == ACT_NOTIFY;
		assert_true(!notifies || r->kind != NULL);
		assert_in_range(r->arg, 0, 5);
		char *copy = xstrdup(r->calls), *save = NULL;
		for (char *name = strtok_r(copy, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save)) {
			if (strv_has(&names, name))
				fail_msg("%s stands twice", name);
			strv_add(&names, name);
		}
		free(copy);
	}
	strv_free(&names);
}

static void test_rules_are_sound(void **state)
{
	(void)state;
	rules_are_sound(false);
	rules_are_sound(true);
}

static void compare_code(const char *p, const struct sock_filter *mine, size_t n)
{
	assert_non_null(p);
	p = strchr(p, '\n') + 1;
	for (size_t i = 0; i < n; i++, p = strchr(p, '\n') + 1) {
		unsigned op, jt, jf, k;
		assert_int_equal(sscanf(p, " { %x, %u, %u, %x },", &op, &jt, &jf, &k), 4);
		assert_true(op == mine[i].code && jt == mine[i].jt && jf == mine[i].jf && k == mine[i].k);
	}
	assert_true(strncmp(p, "};", 2) == 0);
}

/* The header that was compiled in is what filtergen makes of the table now. */
static void test_regeneration_is_identical(void **state)
{
	char tool[4096];
	ssize_t n = readlink("/proc/self/exe", tool, sizeof tool - 64);
	struct buf text = { 0 };

	(void)state;
	assert_true(n > 0);
	tool[n] = '\0';
	for (int up = 0; up < 3 && strrchr(tool, '/') != NULL; up++)
		*strrchr(tool, '/') = '\0';
	strcat(tool, "/filtergen");
	if (access(tool, X_OK) != 0)
		skip();
	FILE *f = popen(tool, "r");
	assert_non_null(f);
	for (int c; (c = fgetc(f)) != EOF;)
		buf_addc(&text, (char)c);
	assert_int_equal(pclose(f), 0);
	compare_code(strstr(text.data, "filter_code[] = {\n"), filter_code, ARRAY_LEN(filter_code));
	compare_code(strstr(text.data, "filter_code_open[] = {\n"), filter_code_open, ARRAY_LEN(filter_code_open));
	assert_int_equal(its_calls_n, filter_calls_n);
	assert_int_equal(its_calls[0].nr, filter_calls[0].nr);
	assert_int_equal(its_calls_open_n, filter_calls_open_n);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_every_number_has_a_known_answer, begin_with_the_first),
		cmocka_unit_test_setup(test_every_listed_call, begin_with_the_first),
		cmocka_unit_test_setup(test_all_else_is_absent, begin_with_the_first),
		cmocka_unit_test_setup(test_the_open_filter, begin_with_the_first),
		cmocka_unit_test_setup(test_plain_calls, begin_with_the_first),
		cmocka_unit_test_setup(test_foreign_abi_kills, begin_with_the_first),
		cmocka_unit_test_setup(test_sockets, begin_with_the_first),
		cmocka_unit_test_setup(test_ioctls, begin_with_the_first),
		cmocka_unit_test_setup(test_clone_flags, begin_with_the_first),
		cmocka_unit_test_setup(test_the_keeper_is_out_of_reach, begin_with_the_first),
		cmocka_unit_test_setup(test_longest_mapping, begin_with_the_first),
		cmocka_unit_test_setup(test_rules_are_sound, begin_with_the_first),
		cmocka_unit_test_setup(test_regeneration_is_identical, begin_with_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
