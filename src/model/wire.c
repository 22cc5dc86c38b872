/* Packets over a SOCK_SEQPACKET pair: borders are the kernel's, a full buffer or a dead peer is seen at once. */
#include "wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

struct head {
	uint32_t kind;
	uint32_t stream;
	int64_t number;
};

bool wire_pair(int fd[2], struct err *e)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) != 0)
		return err_sys(e, "cannot make the channel to a runner");
	return true;
}

enum wire_result wire_send(int fd, enum wire_kind kind, uint32_t stream, int64_t number, const void *p, size_t n)
{
	struct head h = { .kind = kind, .stream = stream, .number = number };
	struct iovec parts[2] = { { &h, sizeof(h) }, { (void *)p, MIN(n, (size_t)WIRE_MOST) } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t sent;

	if (fd < 0)
		return WIRE_GONE;
	do
		sent = sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent >= 0)
		return WIRE_DONE;
	return errno == EAGAIN || errno == ENOBUFS ? WIRE_FULL : WIRE_GONE;
}

enum wire_result wire_text(int fd, enum wire_kind kind, int64_t number, const char *text)
{
	return wire_send(fd, kind, 0, number, text, strlen(text));
}

enum wire_result wire_receive(int fd, struct wire *out)
{
	struct head h = { 0 };
	struct iovec parts[2] = { { &h, sizeof(h) }, { out->bytes, WIRE_MOST } };
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t got;

	do
		got = recvmsg(fd, &m, MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return WIRE_NONE;
	if (got < (ssize_t)sizeof(h))
		return WIRE_GONE;
	out->kind = h.kind;
	out->stream = h.stream;
	out->number = h.number;
	out->len = (size_t)got - sizeof(h);
	out->bytes[out->len] = '\0';
	return WIRE_DONE;
}
