/*
 * Refused system calls: answers each with its errno and counts it by kind, call and argument.
 * None is let through from here (SECCOMP_USER_NOTIF_FLAG_CONTINUE) for what it asks for: what its
 * pointers show may change between a look at them and the kernel's own. Those of ACT_TELL are allowed
 * whatever they ask for, and only wait until it is known that they come. seccomp_unotify(2).
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "filter.h"
#include "impl.h"
#include "rules.h"
#include "sys.h"

#define MOST_KINDS 64     /* different arguments of one call; the rest is "other" */
#define ONE_TURN 32       /* answers before the streams get their turn */

struct notify {
	int fd;
	bool open;        /* which filter is asking */
	struct observer *watch;
	struct seccomp_notif *request;
	struct seccomp_notif_resp *response;
	size_t request_size, response_size;
	struct refusal *refusals;
	size_t n, cap;
};

struct word { uint64_t value; const char *text; bool harmless; };

static const struct word families[] = {
	{ 0, "AF_UNSPEC", false }, { 1, "AF_UNIX", false }, { 2, "AF_INET", false }, { 3, "AF_AX25", false }, { 4, "AF_IPX", false },
	{ 5, "AF_APPLETALK", false }, { 9, "AF_X25", false }, { 10, "AF_INET6", false }, { 15, "AF_KEY", false },
	/* getaddrinfo and if_nameindex ask the kernel for addresses, and go on without */
	{ 16, "AF_NETLINK", true }, { 17, "AF_PACKET", false }, { 21, "AF_RDS", false }, { 29, "AF_CAN", false },
	{ 30, "AF_TIPC", false }, { 31, "AF_BLUETOOTH", false }, { 38, "AF_ALG", false }, { 40, "AF_VSOCK", false },
	{ 41, "AF_KCM", false }, { 42, "AF_QIPCRTR", false }, { 43, "AF_SMC", false }, { 44, "AF_XDP", false },
	{ 45, "AF_MCTP", false },
};

static const struct word namespaces[] = {
	{ 0x00020000, "CLONE_NEWNS", false }, { 0x02000000, "CLONE_NEWCGROUP", false }, { 0x04000000, "CLONE_NEWUTS", false },
	{ 0x08000000, "CLONE_NEWIPC", false }, { 0x10000000, "CLONE_NEWUSER", false }, { 0x20000000, "CLONE_NEWPID", false },
	{ 0x40000000, "CLONE_NEWNET", false }, { 0x00000080, "CLONE_NEWTIME", false },
};

static const struct word ioctls[] = {
	{ 0x5412, "TIOCSTI", false }, { 0x541c, "TIOCLINUX", false }, { 0x540e, "TIOCSCTTY", false },
};

static const struct word ptraces[] = {
	{ 0, "PTRACE_TRACEME", false }, { 4, "PTRACE_POKETEXT", false }, { 5, "PTRACE_POKEDATA", false },
	{ 16, "PTRACE_ATTACH", false }, { 0x4206, "PTRACE_SEIZE", false },
};

static const struct { const struct word *words; size_t n; bool bits; const char *otherwise; } namings[] = {
	[NAMING_FAMILY] = { families, ARRAY_LEN(families), false, "family %llu" },
	[NAMING_CLONE] = { namespaces, ARRAY_LEN(namespaces), true, "0x%llx" },
	[NAMING_IOCTL] = { ioctls, ARRAY_LEN(ioctls), false, "0x%llx" },
	[NAMING_PTRACE] = { ptraces, ARRAY_LEN(ptraces), false, "request %llu" },
	[NAMING_PROCESS] = { NULL, 0, false, "process %llu" },
	[NAMING_SIZE] = { NULL, 0, false, "%llu bytes" },
	[NAMING_NUMBER] = { NULL, 0, false, "0x%llx" },
};

struct notify *notify_new(int fd, bool open, struct observer *watch)
{
	struct notify *n = xcalloc(1, sizeof *n);
	struct seccomp_notif_sizes sizes = { .seccomp_notif = sizeof *n->request, .seccomp_notif_resp = sizeof *n->response };

	/* A newer kernel writes more than our header knows of. */
	syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes);
	n->fd = fd;
	n->open = open;
	n->watch = watch;
	n->request_size = MAX(sizes.seccomp_notif, sizeof *n->request);
	n->response_size = MAX(sizes.seccomp_notif_resp, sizeof *n->response);
	n->request = xcalloc(1, n->request_size);
	n->response = xcalloc(1, n->response_size);
	return n;
}

/* Owned words for the decisive argument; true in *harmless where the word says so. */
static char *argument_text(const struct rule *r, uint64_t value, bool *harmless)
{
	struct buf b = { 0 };

	if (r->naming == NAMING_NONE)
		return xstrdup("");
	if (r->naming != NAMING_SIZE)
		value &= r->mask != 0 ? r->mask : 0xffffffffu;
	for (size_t i = 0; i < namings[r->naming].n; i++) {
		const struct word *w = &namings[r->naming].words[i];
		if (namings[r->naming].bits ? (value & w->value) == 0 : value != w->value)
			continue;
		buf_addf(&b, "%s%s", b.len > 0 ? "|" : "", w->text);
		*harmless |= w->harmless;
	}
	if (b.len == 0) {
		char text[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* all formats stand in the table above */
		snprintf(text, sizeof text, namings[r->naming].otherwise, (unsigned long long)value);
#pragma GCC diagnostic pop
		buf_adds(&b, text);
	}
	return buf_take(&b);
}

static struct refusal *find_refusal(struct notify *n, const struct rule *r, const char *call, char *argument, bool harmless)
{
	size_t same_call = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n->n; i++) {
			if (strcmp(n->refusals[i].call, call) != 0)
				continue;
			same_call++;
			if (strcmp(n->refusals[i].argument, argument) == 0) {
				free(argument);
				return &n->refusals[i];
			}
		}
		if (same_call < MOST_KINDS)
			break;
		free(argument);
		argument = xstrdup("other");
		same_call = 0;
		if (pass == 1)
			break;
	}
	n->refusals = grow(n->refusals, n->n, &n->cap, sizeof *n->refusals);
	n->refusals[n->n] = (struct refusal){ .kind = r->kind, .call = call, .argument = argument, .harmless = harmless };
	return &n->refusals[n->n++];
}

static void record(struct notify *n, const struct rule *r, const struct filter_call *call, int64_t offset_us)
{
	bool harmless = r->harmless;
	char *argument = argument_text(r, n->request->data.args[r->arg], &harmless);
	struct refusal *f = find_refusal(n, r, call->name, argument, harmless);

	if (f->count++ == 0)
		f->first_us = offset_us;
	f->last_us = offset_us;
}

static const struct filter_call *find_call(const struct notify *n, int nr)
{
	const struct filter_call *calls = n->open ? filter_calls_open : filter_calls;
	size_t count = n->open ? filter_calls_open_n : filter_calls_n;

	for (size_t i = 0; i < count; i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

static void choose_answer(struct notify *n, const struct rule *r)
{
	memset(n->response, 0, n->response_size);
	n->response->id = n->request->id;
	if (r != NULL && r->act == ACT_TELL) {
		n->response->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		observe_link(n->watch);
		return;
	}
	n->response->error = r != NULL ? -r->err : -ENOSYS;
	if (r != NULL && r->act == ACT_ERRNO)
		n->response->error = -EPERM; /* one of its cases is notified */
}

bool notify_answer(struct notify *n, int64_t offset_us)
{
	struct pollfd p = { .fd = n->fd, .events = POLLIN };

	for (int turn = 0; turn < ONE_TURN; turn++) {
		if (poll(&p, 1, 0) <= 0)
			return true;
		if (!(p.revents & POLLIN))
			return false; /* POLLHUP: no process is under the filter any more */
		memset(n->request, 0, n->request_size);
		if (ioctl(n->fd, SECCOMP_IOCTL_NOTIF_RECV, n->request) != 0) {
			if (errno == ENOENT || errno == EINTR)
				continue; /* who asked was killed meanwhile */
			return false;
		}
		const struct filter_call *call = find_call(n, n->request->data.nr);
		const struct rule *r = call != NULL ? &rules[call->rule] : NULL;
		choose_answer(n, r);
		if (ioctl(n->fd, SECCOMP_IOCTL_NOTIF_SEND, n->response) != 0 && errno != ENOENT && errno != EINTR)
			return false;
		if (r != NULL && r->act != ACT_TELL)
			record(n, r, call, offset_us);
	}
	return true;
}

bool notify_saw_memory(const struct notify *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (strcmp(n->refusals[i].call, "mmap") == 0 || strcmp(n->refusals[i].call, "mremap") == 0)
			return true;
	return false;
}

void notify_finish(struct notify *n, struct sandbox_result *out)
{
	out->refusals = n->refusals;
	out->refusals_n = n->n;
	free(n->request);
	free(n->response);
	free(n);
}
