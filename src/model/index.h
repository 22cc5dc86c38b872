/*
 * What the last run was offered, remembered in .tickmark/cache/index: the scan of the folder with the
 * hash of every attached file, the set that was offered, and the stack of layers that shows it. A run
 * in an unchanged folder needs one stat per file and nothing else.
 *
 * The file is one block of tables in this machine's own byte order, mapped and used in place. A wrong
 * magic, size, check sum or offset means: no index. It is replaced as a whole by rename, so a mapped
 * one never changes.
 */
#ifndef TICKMARK_MODEL_INDEX_H
#define TICKMARK_MODEL_INDEX_H

#include "scan.h"
#include "view.h"

/* An offered file that is no attached one. */
struct index_extra {
	struct digest sha256;
	int64_t size;
	int64_t mtime_us;
	int64_t from_attempt;
	uint32_t path;        /* offset in the text */
	uint16_t mode;
	uint16_t unused;
};

/* What an index says about itself; also what index_save is given. */
struct index_facts {
	struct uuid record;        /* whose attempts and sets are meant */
	uint64_t home_device;      /* of .tickmark: in a copy of the workspace, layers have lost times and owners */
	uint64_t home_inode;
	struct digest rules;       /* of what decides besides the folder: limits, attachments, outer rule files */
	struct digest claims;      /* of the artifacts that earlier steps put forward */
	struct digest set;         /* store_manifest_hash of the offered set */
	int64_t stamp_ns;          /* file system's clock before the scan: what changed then or later is not known */
	char boot_id[40];          /* boot during which its layers were written */
	struct digest before;      /* the set before this one, which it resembles; zero: none */
	int64_t excluded[EXCLUDE_COUNT];
	struct view_stack stack;
};

struct index {
	struct index_facts facts;
	struct scan scan;          /* into the map: never to be freed or grown */
	const uint32_t *offered;   /* in order of path: < scan.files_n a file, else an extra behind that */
	const uint8_t *layer_of;   /* which layer of the stack holds its bytes */
	size_t offered_n;
	const struct index_extra *extras;
	size_t extras_n;
	const char *remarks;       /* each with its NUL */
	size_t remarks_len;
	uint64_t inode;            /* of the file, which is read and not held: another may get the number */
	int64_t ctime_ns;          /* so these two count as well */
	uint64_t sum;
	void *map;
	size_t map_len;
};

/* False when there is no usable one. */
bool index_load(struct workspace *ws, struct index *out);
void index_free(struct index *ix);
/* Fills record and home: whose index this is. */
bool index_identify(struct workspace *ws, struct index_facts *out, struct err *e);
bool index_is_of(const struct index *ix, const struct index_facts *whose);
/* Whether it is still the one that is in place. */
bool index_is_current(struct workspace *ws, const struct index *ix);

/* The offered set as entries whose paths live as long as the index; owned array. */
struct entry *index_entries(const struct index *ix);
struct entry index_entry_of(const struct scan *s, const struct scan_file *f); /* as offered from the folder */

struct index_parts {
	const struct index_facts *facts;
	const struct scan *scan;
	const uint32_t *offered;
	const uint8_t *layer_of;
	size_t offered_n;
	const struct index_extra *extras; /* their paths are offsets in the scan's text */
	size_t extras_n;
	const struct strv *remarks;
};
bool index_save(struct workspace *ws, const struct index_parts *p, struct err *e);
/* Forgets everything: the next run looks at every byte. */
void index_drop(struct workspace *ws);

/* Serialises all who change .tickmark/cache; -1 with error. Released by closing it. */
int index_lock(struct workspace *ws, struct err *e);
/* Now, by the clock that stamps the files of this workspace. */
bool index_stamp(struct workspace *ws, int64_t *ns, struct err *e);

#endif
