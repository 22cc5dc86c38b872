/*
 * model/compare: what differs between two attempts, part by part: code, arguments, streams, inputs,
 * environment, policy, outcome, resources, and every file by its type. One comparison, which the
 * command line prints, the screen shows and repeat judges by.
 *
 * Whether two parts are the same is decided by hashes when the comparison is made, which reads no
 * content; compare_rows reads the two sides and says how they differ.
 */
#ifndef TICKMARK_MODEL_COMPARE_H
#define TICKMARK_MODEL_COMPARE_H

#include "model/query.h"
struct diffrows;         /* text/diffrows.h */
struct diffrows_options;

enum compare_part {
	COMPARE_CODE,
	COMPARE_ARGUMENTS,
	COMPARE_INPUTS,
	COMPARE_STDOUT,
	COMPARE_STDERR,
	COMPARE_OUTCOME,
	COMPARE_ENVIRONMENT,
	COMPARE_POLICY,
	COMPARE_RESOURCES, /* told, but no difference: no two runs take the same time */
	COMPARE_FILE,      /* an artifact, or one of two plain files */
	COMPARE_INPUT_FILE, /* bytes of an input that both opened, and that differ; of now, one that is no more the same */
};
const char *compare_part_word(enum compare_part p); /* "stdout" */
enum compare_change { SIDES_SAME, SIDES_CHANGED, SIDES_ADDED, SIDES_REMOVED, SIDES_RENAMED };
const char *compare_change_word(enum compare_change c); /* "same", "changed" … */

struct compare_item {
	enum compare_part part;
	enum compare_change change;
	const char *name;       /* "code", or the path: of the right side, where that has one */
	const char *old_name;   /* RENAMED: on the left */
	int64_t size[2];        /* bytes; -1: none on that side */
	struct digest sha256[2];/* zero: no bytes of their own */
};

struct comparing;
/* Left and right attempt, or check. q must live as long. */
struct comparing *compare_open(struct query *q, int64_t left, int64_t right, struct err *e);
/* Two plain files of the user's; "-" is stdin. ws: whose cache takes what readers say of them; NULL. */
struct comparing *compare_open_files(struct workspace *ws, const char *left, const char *right, struct err *e);
/* The inputs that are not what the attempt saw, which is the left side, and what stands at their paths now: changed,
 * missing and new ones. `path`: that one alone; NULL: all. */
struct comparing *compare_open_now(struct query *q, int64_t attempt, const char *path, struct err *e);
void compare_close(struct comparing *c); /* NULL is fine */
const char *compare_ref(const struct comparing *c, int side); /* "7.1"; the path of a plain file; "now" */
/* The file that an item stands for in a patch: where export of the whole side writes it, which writes no inputs: they
 * lie below "_inputs". The path of a plain file. */
char *compare_path_dup(const struct comparing *c, const struct compare_item *x, int side);
size_t compare_count(const struct comparing *c);
const struct compare_item *compare_item(const struct comparing *c, size_t i);
/* Whether anything but resources differs. */
bool compare_differs(const struct comparing *c);
/* "same code, inputs changed: sales.csv; differs: stdout, 1 file"; of a check and what it repeats the verdict
 * in front. */
void compare_tell(const struct comparing *c, struct buf *out);

#define COMPARE_MOST ((size_t)96 << 20) /* bytes of a side that are read; beyond, size and hash alone */
/* How item i differs; *out is freed by diffrows_free before the next call and before compare_close.
 * `type` gets the word of the type it was compared as. */
bool compare_rows(struct comparing *c, size_t i, const struct diffrows_options *o, struct diffrows *out, const char **type,
                  struct err *e);

/* Where a row's text stands in the bytes of the item read last; side 0 or 1. -1: it is none of them. */
int64_t compare_position(const struct comparing *c, int side, const char *p);

/* The row of item i where its verdict says that it differs first (compare_first): the one that has the byte, else the
 * first that differs at all; *right (NULL: not wanted) the one that stands there now. -1: none. */
int32_t compare_first_row(const struct comparing *c, size_t i, const struct diffrows *r, int32_t *right);

/* Whether two attempts or checks gave the same, noise apart, by the rules of a check's verdict: of two checks that
 * both differ from what they repeat, those that agree say that something changed, others that it is random. */
bool compare_agree(struct query *q, int64_t left, int64_t right, enum verdict *verdict, struct err *e);

/* The same of a check that differs, by another one that ran under the same conditions (`other` gets its reference);
 * WHY_UNKNOWN: there is none, or it does not differ. */
enum compare_why { WHY_UNKNOWN, WHY_RANDOM, WHY_CHANGED };
const char *compare_why_word(enum compare_why w); /* "random"; NULL for WHY_UNKNOWN */
bool compare_why(struct query *q, int64_t check, enum compare_why *why, char other[REF_TEXT], struct err *e);

/* Whether the right side is a check of the left one. */
bool compare_is_check(const struct comparing *c);
/* Of such a one, a line each: its verdict, why, what is the same on both sides, what changed, what qualifies it. */
void compare_tell_check(const struct comparing *c, struct buf *out);
/* Of such a one that differs: the item where its verdict says it does first, noise apart, and the byte on the
 * left, -1 where none is said. False: nothing of it. */
bool compare_first(const struct comparing *c, size_t *item, int64_t *byte);

/* The attempt to compare one with when none is named: the one before it in its step, of a check the one it
 * repeats. 0: there is none. */
bool compare_previous(struct query *q, int64_t attempt, int64_t *previous, struct err *e);

#endif
