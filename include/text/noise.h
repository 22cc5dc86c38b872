/*
 * text/noise: whether what differs between two outputs of the same code is noise, and by which rules.
 *
 * A rule masks a piece of a line, and only a piece of its own kind: what stands around it has to be the
 * same, byte by byte. No rule touches a figure: a time stamp is noise only where it lies within the
 * run that printed it, on both sides in the same zone, a duration only behind words that say so, with a unit and no
 * longer than its run, the order of a set only where its items are no numbers, a number only where it is the same to 15
 * significant digits and has more decimals than money. The user's own rule masks what it matches, and is refused where
 * that is any figure (noise_check); what figures it masked all the same is counted and told.
 */
#ifndef TICKMARK_TEXT_NOISE_H
#define TICKMARK_TEXT_NOISE_H

#include "text.h"

enum noise_rule {
	NOISE_USER,     /* the workspace's own expression */
	NOISE_SET,      /* the same items of a printed set in another order */
	NOISE_TEMP,     /* /tmp/tmpab12cd_x */
	NOISE_TIME,     /* a date with a clock, a clock, seconds since 1970 */
	NOISE_ADDRESS,  /* <A object at 0x7f…> */
	NOISE_DURATION, /* took 0.41 s */
	NOISE_FLOAT,    /* the same to 15 digits */
	NOISE_PACKING,  /* the same member of an archive, compressed to other bytes */
	NOISE_RULES,
};

/* Whether an own rule may hold: ERR_INPUT where it is no PCRE2 expression, takes figures that stand by themselves, or
 * loses itself in plain text. */
bool noise_check(const char *own, struct err *e);

struct noise;
/* `own` is a PCRE2 expression, NULL: none; ERR_INPUT where it is none. `sets`: whether the order of sets may
 * be folded. */
struct noise *noise_new(const char *own, bool sets, struct err *e);
void noise_free(struct noise *n);

/* When each side ran, UTC microseconds. */
struct noise_run { int64_t from_us, to_us; };

#define NOISE_MOST ((size_t)16 << 20)  /* bytes of a side; more is compared exactly */
#define NOISE_LINE ((size_t)64 << 10)  /* likewise of a line */

#define NOISE_FIGURE 32
struct noise_sum {
	int64_t counts[NOISE_RULES]; /* of pieces that differed and were folded; added up over calls */
	int64_t figures;             /* of those by the own rule, in which a figure differs … */
	char figure[2][NOISE_FIGURE];/* … and the first of them on both sides */
	bool same;                   /* nothing but noise differs */
	size_t at[2];                /* else: the first byte of each side that differs and is none */
};
void noise_compare(struct noise *n, struct span a, struct span b, const struct noise_run run[2], struct noise_sum *sum);
/* What comparing archives may cost. */
struct noise_limits {
	int64_t bytes;        /* that may still be unpacked, counted down; what would be over it differs */
	struct cancel cancel; /* asked at each member; what was not compared differs */
};
/* Archives (xlsx, docx) by their members and all that is around them; of that only the time stamps of members and
 * how they are compressed can be noise. False: not both are archives. */
bool noise_compare_zip(struct noise *n, struct span a, struct span b, const struct noise_run run[2], struct noise_limits *limits,
                       struct noise_sum *sum);
/* PDF: byte by byte but for when they were made. False: not both are PDF. */
bool noise_compare_pdf(struct span a, struct span b, const struct noise_run run[2], struct noise_sum *sum);
/* How many pieces were folded; two that are not the same bytes are the same only where this grew. */
int64_t noise_total(const struct noise_sum *sum);
/* "2 object addresses, 1 time stamp" */
void noise_tell(const struct noise_sum *sum, struct buf *out);

#endif
