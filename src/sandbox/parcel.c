/* Messages with descriptors between the launcher and the processes inside. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "impl.h"

union control {
	struct cmsghdr align;
	char space[CMSG_SPACE(sizeof(int) * MAX_SOURCES)];
};

/* Messages are whole (SOCK_SEQPACKET); only MSG_FAILED fills the text, only MSG_SOURCES `have`. */
bool parcel_send(int fd, const struct message *m, const int *fds, size_t n)
{
	union control control;
	struct iovec io = { .iov_base = (void *)m, .iov_len = sizeof *m };
	struct msghdr h = { .msg_iov = &io, .msg_iovlen = 1 };

	if (n > 0) {
		memset(&control, 0, sizeof control);
		h.msg_control = control.space;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * n);
		struct cmsghdr *c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * n);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * n);
	}
	ssize_t rc;
	do
		rc = sendmsg(fd, &h, MSG_NOSIGNAL);
	while (rc < 0 && errno == EINTR);
	return rc == (ssize_t)sizeof *m;
}

bool parcel_receive(int fd, struct message *m, int *fds, size_t max, size_t *n)
{
	union control control;
	struct iovec io = { .iov_base = m, .iov_len = sizeof *m };
	struct msghdr h = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control.space,
	                    .msg_controllen = sizeof control.space };
	size_t got = 0;
	ssize_t rc;

	do
		rc = recvmsg(fd, &h, MSG_CMSG_CLOEXEC);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		errno = 0;
	for (struct cmsghdr *c = rc > 0 ? CMSG_FIRSTHDR(&h) : NULL; c != NULL; c = CMSG_NXTHDR(&h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int one;
			memcpy(&one, CMSG_DATA(c) + i * sizeof one, sizeof one);
			if (got < max)
				fds[got++] = one;
			else
				close(one);
		}
	}
	if (n != NULL)
		*n = got;
	return rc == (ssize_t)sizeof *m;
}
