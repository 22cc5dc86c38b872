/*
 * sign: SSH signatures over marks, made and checked by ssh-keygen -Y as git does it. What is signed is a
 * text that says everything about the mark, so that it can be checked with ssh-keygen alone.
 */
#ifndef TICKMARK_MODEL_SIGN_H
#define TICKMARK_MODEL_SIGN_H

#include "private.h"
#include "store/review.h"

#define SIGN_NAMESPACE "tickmark"

/* The text: record, attempt by its uuid (NULL: the record as a whole), the ledger entry that stands for what was judged
 * (store_end_entry), judgement, reviewer, time, note. */
void sign_statement(const struct uuid *record, const struct uuid *attempt, const struct digest *entry, const struct mark *m,
                    struct buf *out);
/* Path of the user's key (setting signing-key); owned; ERR_INPUT without the setting. */
char *sign_key(struct err *e);
/* Signs with the private key (or the public one of a key that an agent holds); armored. `what` is signed: "the
 * mark". */
bool sign_make(const char *key, const char *what, const struct buf *text, struct buf *signature, struct err *e);
/* Whom `signers` (the allowed-signers file of ssh-keygen(1); NULL: anybody) names for this signature, by what held at
 * `at_us`, when it was made, as git does it: a key that expired since stays good. `who` gets the name, or the key
 * without a file; where it is not good, ssh-keygen's reason. False with *good unset: it could not be checked. */
bool sign_check(const char *signers, int64_t at_us, const struct buf *text, const void *signature, size_t n, bool *good, struct buf *who,
                struct err *e);

#endif
