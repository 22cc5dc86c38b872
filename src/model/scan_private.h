/* Between scan.c and scan_rows.c: the rows of a scan in the making. */
#ifndef TICKMARK_MODEL_SCAN_PRIVATE_H
#define TICKMARK_MODEL_SCAN_PRIVATE_H

#include "scan.h"

uint32_t scan_put_text(struct scan *s, const char *text);
struct scan_file *scan_put_file(struct scan *s, const char *path, uint32_t folder, enum scan_kind kind);

/* Lays the attachments over what was found: at the same path they count, and nothing else. */
void scan_merge_attachments(struct scan *s, const struct scan_rules *rules);
/* Only what is watched without being part of a listing can be out of order. */
void scan_sort_paths(struct scan *s);
void scan_sort_by_folder(struct scan *s);
/* What only a stat tells: size, kind, rights. `record` is that of the record, of which no descriptor may
 * ever be closed: SQLite's locks would go with it. */
void scan_classify(int root, const struct scan_rules *rules, bool all, const struct scan_stat *record, struct scan *s,
                   struct scan_file *f);

#endif
