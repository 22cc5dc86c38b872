/*
 * wire: the packets between a runner and the front that started it. Nothing here ever blocks: the
 * record is the truth, a packet only saves the front from asking it.
 */
#ifndef TICKMARK_MODEL_WIRE_H
#define TICKMARK_MODEL_WIRE_H

#include "base.h"

enum wire_kind {
	WIRE_REMARK = 1, /* text: one line of run_remarks */
	WIRE_READY,      /* it is recorded: from here on only its end may say that something failed */
	WIRE_QUEUED,     /* number: attempt id */
	WIRE_BYTES,      /* stream, number: position of the first byte; the bytes */
	WIRE_SYNC,       /* packets were lost; the record holds everything up to here */
	WIRE_ENDED,      /* two int64_t: bytes produced on stdout and stderr; the end is in the record */
	WIRE_ERROR,      /* number: enum err_code; text */
	WIRE_STOP,       /* from the front. text: by whom */
};

#define WIRE_MOST (32 << 10) /* bytes after the head of a packet */

struct wire {
	uint32_t kind;
	uint32_t stream;
	int64_t number;
	size_t len;            /* of what follows */
	char bytes[WIRE_MOST + 1]; /* with a NUL behind */
};

enum wire_result { WIRE_GONE = -1, WIRE_FULL = 0, WIRE_NONE = 0, WIRE_DONE = 1 };

/* Two connected ends, close-on-exec. */
bool wire_pair(int fd[2], struct err *e);
/* WIRE_FULL: not taken (the other side does not read); WIRE_GONE: nobody is there. */
enum wire_result wire_send(int fd, enum wire_kind kind, uint32_t stream, int64_t number, const void *p, size_t n);
enum wire_result wire_text(int fd, enum wire_kind kind, int64_t number, const char *text);
/* WIRE_NONE: nothing there now; WIRE_GONE: the other end was closed and all was read. */
enum wire_result wire_receive(int fd, struct wire *out);

#endif
