/*
 * name: bytes as text columns. A name that is UTF-8 is stored as itself. One that is not, or that
 * looks like an escape, is shown escaped: a byte that is no UTF-8 as \xNN, a backslash doubled. Two
 * names never have the same text: one stored as itself holds no \xNN, an escaped one does, and
 * escapes can be read back in one way only.
 */
#ifndef TICKMARK_STORE_NAME_H
#define TICKMARK_STORE_NAME_H

#include <stdbool.h>

bool name_is_utf8(const char *s);
bool name_is_plain(const char *s);      /* stored as itself */
char *name_escape_dup(const char *s);   /* the other form; owned */

#endif
