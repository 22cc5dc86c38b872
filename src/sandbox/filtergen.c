/*
 * Host tool: prints the system call filter as a C header, made from rules.h.
 *
 * libseccomp builds the dispatch over call numbers and the check of the ABI (a foreign one, int
 * 0x80 or x32, ends the process). What depends on an argument, or is notified, enters as TRACE with
 * a mark of our own; the return instruction that comes of it is then replaced by a jump to a block
 * appended here, because libseccomp can express neither "any other value" nor comparisons of the
 * low 32 bits only. Compiling at each start instead would cost 2 to 4 ms, more than all else.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules.h"

#define RULES (sizeof rules / sizeof rules[0])
#define MAX_CODE 4096
#define MARK 0x4d00u /* TRACE data of rule 0 */
#define UNLIMITED 0xffffffffu

/* What one filter is made of. */
struct program {
	bool open; /* of runs without namespaces */
	struct sock_filter code[MAX_CODE];
	unsigned n;
	unsigned hi[16], lo[8]; /* instructions that compare with the longest mapping */
	unsigned lengths;
};

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "filtergen: %s: %s\n", what, name);
	exit(1);
}

static void emit(struct program *p, uint16_t code, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (p->n == MAX_CODE)
		fail("filter is too long", "");
	p->code[p->n++] = (struct sock_filter){ code, jt, jf, k };
}

static uint32_t ret_of(enum rule_act act, int err)
{
	switch (act) {
	case ACT_ALLOW: return SECCOMP_RET_ALLOW;
	case ACT_ERRNO: return SECCOMP_RET_ERRNO | (uint32_t)err;
	case ACT_NOTIFY:
	case ACT_TELL:
	case ACT_LENGTH: return SECCOMP_RET_USER_NOTIF;
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static uint32_t half_of(int arg, bool high)
{
	bool second = high;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	second = !high;
#endif
	return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)arg + (second ? 4 : 0));
}

static void emit_list(struct program *p, int arg, uint32_t mask, const struct rule_case *cases, size_t n)
{
	emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, half_of(arg, false));
	if (mask != 0)
		emit(p, BPF_ALU | BPF_AND | BPF_K, 0, 0, mask);
	for (size_t i = 0; i < n; i++) {
		emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, cases[i].value);
		emit(p, BPF_RET | BPF_K, 0, 0, ret_of(cases[i].act, cases[i].err));
	}
}

static void emit_cases(struct program *p, const struct rule *r)
{
	if (r->vetoes_n > 0)
		emit_list(p, r->veto_arg, r->veto_mask, r->vetoes, r->vetoes_n);
	emit_list(p, r->arg, r->mask, r->cases, r->cases_n);
	emit(p, BPF_RET | BPF_K, 0, 0, ret_of(r->act, r->err));
}

/* high > H, or high == H and low > L: notify; else allow. */
static void emit_length(struct program *p, const struct rule *r)
{
	if (p->lengths == 8)
		fail("too many rules by length", r->calls);
	emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, half_of(r->arg, true));
	p->hi[2 * p->lengths] = p->n;
	emit(p, BPF_JMP | BPF_JGT | BPF_K, 4, 0, UNLIMITED);
	p->hi[2 * p->lengths + 1] = p->n;
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 2, UNLIMITED);
	emit(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, half_of(r->arg, false));
	p->lo[p->lengths] = p->n;
	emit(p, BPF_JMP | BPF_JGT | BPF_K, 1, 0, UNLIMITED);
	emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
	emit(p, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF);
	p->lengths++;
}

/* Whatever its arguments are? */
static bool always_asks(const struct rule *r)
{
	return r->cases_n == 0 && (r->act == ACT_NOTIFY || r->act == ACT_TELL);
}

static bool is_block(const struct rule *r)
{
	return r->cases_n > 0 || r->act == ACT_LENGTH || always_asks(r);
}

/* Every "return TRACE|mark of rule i" becomes a jump to the block of rule i. */
static void append_blocks(struct program *p)
{
	unsigned body = p->n;

	for (size_t i = 0; i < RULES; i++) {
		if (!is_block(&rules[i]))
			continue;
		unsigned block = p->n;
		bool used = false;
		for (unsigned at = 0; at < body; at++) {
			struct sock_filter *f = &p->code[at];
			if (f->code != (BPF_RET | BPF_K) || f->k != (SECCOMP_RET_TRACE | (MARK + (uint32_t)i)))
				continue;
			used = true;
			if (always_asks(&rules[i]))
				f->k = SECCOMP_RET_USER_NOTIF;
			else
				*f = (struct sock_filter){ BPF_JMP | BPF_JA, 0, 0, block - at - 1 };
		}
		if (!used || always_asks(&rules[i]))
			continue;
		if (rules[i].act == ACT_LENGTH)
			emit_length(p, &rules[i]);
		else
			emit_cases(p, &rules[i]);
	}
	for (unsigned at = 0; at < p->n; at++)
		if (p->code[at].code == (BPF_RET | BPF_K) && (p->code[at].k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_TRACE)
			fail("a mark was left", "");
}

static uint32_t action_of(size_t i)
{
	if (is_block(&rules[i]))
		return SCMP_ACT_TRACE(MARK + (uint16_t)i);
	return rules[i].act == ACT_ALLOW ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO((uint32_t)rules[i].err);
}

/* Calls fn(number, rule, name) for each call of the filter that this architecture has. */
static void each_call(bool open, void (*fn)(void *ctx, int nr, size_t rule, const char *name), void *ctx)
{
	for (size_t i = 0; i < RULES; i++) {
		if (!rule_applies(&rules[i], open))
			continue;
		char *names = strdup(rules[i].calls);
		char *save = NULL;
		for (char *name = strtok_r(names, " ", &save); name != NULL; name = strtok_r(NULL, " ", &save)) {
			int nr = seccomp_syscall_resolve_name(name);
			if (nr == __NR_SCMP_ERROR)
				fail("unknown system call", name);
			if (nr >= 0) /* negative: of other architectures */
				fn(ctx, nr, i, name);
		}
		free(names);
	}
}

static void add_call(void *ctx, int nr, size_t rule, const char *name)
{
	/* The same answer as the default's: libseccomp refuses such a rule as pointless. */
	if (rules[rule].act == ACT_ERRNO && rules[rule].err == ENOSYS && rules[rule].cases_n == 0)
		return;
	if (seccomp_rule_add(ctx, action_of(rule), nr, 0) != 0)
		fail("libseccomp does not take", name);
}

static void print_call(void *ctx, int nr, size_t rule, const char *name)
{
	(void)ctx;
	bool notified = rules[rule].act == ACT_NOTIFY || rules[rule].act == ACT_LENGTH || rules[rule].act == ACT_TELL;
	for (size_t i = 0; i < rules[rule].cases_n; i++)
		notified |= rules[rule].cases[i].act == ACT_NOTIFY;
	for (size_t i = 0; i < rules[rule].vetoes_n; i++)
		notified |= rules[rule].vetoes[i].act == ACT_NOTIFY;
	if (notified)
		printf("\t{ %d, %zu, \"%s\" },\n", nr, rule, name);
}

static void build(struct program *p)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	if (ctx == NULL || seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) != 0 ||
	    seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2) != 0)
		fail("libseccomp", "cannot begin");
	each_call(p->open, add_call, ctx);

	char name[] = "/tmp/filtergen-XXXXXX";
	int fd = mkstemp(name);
	if (fd < 0 || seccomp_export_bpf(ctx, fd) != 0)
		fail("libseccomp", "cannot export");
	unlink(name);
	ssize_t n = pread(fd, p->code, sizeof p->code, 0);
	if (n <= 0 || (size_t)n % sizeof p->code[0] != 0)
		fail("libseccomp", "odd export");
	p->n = (unsigned)((size_t)n / sizeof p->code[0]);
	close(fd);
	seccomp_release(ctx);
	append_blocks(p);
}

static void print_indexes(const char *name, const char *suffix, const unsigned *v, unsigned n)
{
	printf("static const unsigned short %s%s[] = {", name, suffix);
	for (unsigned i = 0; i < n; i++)
		printf("%s%u", i == 0 ? " " : ", ", v[i]);
	printf(" };\n");
}

/* The names end in `suffix`: there are two filters. */
static void print_filter(bool open, const char *suffix)
{
	static struct program p;

	p = (struct program){ .open = open };
	build(&p);
	printf("static const struct sock_filter filter_code%s[] = {\n", suffix);
	for (unsigned i = 0; i < p.n; i++)
		printf("\t{ 0x%02x, %u, %u, 0x%08x },\n", p.code[i].code, p.code[i].jt, p.code[i].jf, p.code[i].k);
	printf("};\n\n/* Instructions whose constant is the high and low half of the longest mapping. */\n");
	print_indexes("filter_hi", suffix, p.hi, 2 * p.lengths);
	print_indexes("filter_lo", suffix, p.lo, p.lengths);
	printf("\nconst struct filter_call filter_calls%s[] = {\n", suffix);
	each_call(open, print_call, NULL);
	printf("};\nconst size_t filter_calls%s_n = sizeof filter_calls%s / sizeof filter_calls%s[0];\n\n", suffix, suffix, suffix);
}

int main(void)
{
	printf("/* Made by filtergen from rules.h: do not edit. */\n");
	print_filter(false, "");
	print_filter(true, "_open");
	return ferror(stdout) || fflush(stdout) != 0;
}
