/*
 * Bytes that wait in the sockets of a run: memory of the kernel's, in nobody's resident size. Two sockets
 * of a pair hold what their send buffers allow, and a run may have as many as it has descriptors: one
 * process was seen to hold 1.7 GB under a limit of 128 MiB. The network namespace is the run's own, so
 * what the kernel lists there is all of it and nothing else.
 *
 * A sender is charged for what it sent until that is read (SK_MEMINFO_WMEM_ALLOC). One that was closed
 * meanwhile is listed no more; what it left is seen only as a queue without a peer, and counts as full.
 * sock_diag(7); struct unix_diag_req in linux/unix_diag.h.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "impl.h"

#define ANSWER_BYTES (32 << 10)
#define DATAGRAMS 11       /* in one queue: net.unix.max_dgram_qlen and one more */
#define LISTENING 10       /* TCP_LISTEN: its queue holds connections, which are listed themselves */

void sockets_open(struct sockets *s)
{
	int most = INT32_MAX / 2, pair[2];
	socklen_t n = sizeof most;

	s->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	s->most = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	/* As large as the run can make one: the kernel cuts it to the machine's maximum. */
	if (setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &most, sizeof most) == 0 &&
	    getsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &most, &n) == 0)
		s->most = most;
	close(pair[0]);
	close(pair[1]);
}

static bool ask(int fd)
{
	const struct {
		struct nlmsghdr head;
		struct unix_diag_req req;
	} m = {
		.head = { .nlmsg_len = sizeof m, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.req = { .sdiag_family = AF_UNIX, .udiag_states = ~0U,
		         .udiag_show = UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN | UDIAG_SHOW_MEMINFO },
	};

	return send(fd, &m, sizeof m, 0) == (ssize_t)sizeof m;
}

static int64_t bytes_of(const struct sockets *s, const struct nlmsghdr *h)
{
	const struct unix_diag_msg *m = NLMSG_DATA(h);
	const struct rtattr *a = (const void *)(m + 1);
	int left = (int)(h->nlmsg_len - NLMSG_LENGTH(sizeof *m));
	uint32_t sent = 0, peer = 0, waiting = 0;

	for (; RTA_OK(a, left); a = RTA_NEXT(a, left)) {
		const char *value = RTA_DATA(a);
		if (a->rta_type == UNIX_DIAG_PEER && RTA_PAYLOAD(a) >= sizeof peer)
			memcpy(&peer, value, sizeof peer); /* 0: closed */
		else if (a->rta_type == UNIX_DIAG_RQLEN && RTA_PAYLOAD(a) >= sizeof waiting)
			memcpy(&waiting, value, sizeof waiting);
		else if (a->rta_type == UNIX_DIAG_MEMINFO && RTA_PAYLOAD(a) >= (SK_MEMINFO_WMEM_ALLOC + 1) * sizeof sent)
			memcpy(&sent, value + SK_MEMINFO_WMEM_ALLOC * sizeof sent, sizeof sent);
	}
	int64_t left_behind = 0;
	if (waiting > 0 && peer == 0 && m->udiag_state != LISTENING)
		left_behind = s->most * (m->udiag_type == SOCK_DGRAM ? DATAGRAMS : 1);
	return sent + left_behind;
}

int64_t sockets_bytes(const struct sockets *s)
{
	static union { char bytes[ANSWER_BYTES]; struct nlmsghdr head; } answer; /* this process has one thread */
	int64_t sum = 0;

	if (s->fd < 0 || !ask(s->fd))
		return 0;
	for (;;) {
		ssize_t n = recv(s->fd, answer.bytes, sizeof answer.bytes, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return sum;
		for (struct nlmsghdr *h = &answer.head; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
				return sum; /* an error: a kernel without this way of asking */
			if (h->nlmsg_len >= NLMSG_LENGTH(sizeof(struct unix_diag_msg)))
				sum += bytes_of(s, h);
		}
	}
}
