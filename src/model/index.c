/* The index: loading with distrust, saving by rename. */
#include "index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INDEX_FILE "cache/index"
#define INDEX_MAGIC UINT64_C(0x31786564696b6974) /* "tikidex1" here; another byte order reads otherwise */
#define INDEX_MOST ((uint64_t)1 << 32)           /* a larger file is none of ours */

enum section {
	SECTION_FOLDERS,
	SECTION_FILES,
	SECTION_BY_FOLDER,
	SECTION_OFFERED,
	SECTION_LAYER_OF,
	SECTION_EXTRAS,
	SECTION_TEXT,
	SECTION_REMARKS,
	SECTION_COUNT,
};

static const size_t row_sizes[SECTION_COUNT] = {
	[SECTION_FOLDERS] = sizeof(struct scan_folder),
	[SECTION_FILES] = sizeof(struct scan_file),
	[SECTION_BY_FOLDER] = sizeof(uint32_t),
	[SECTION_OFFERED] = sizeof(uint32_t),
	[SECTION_LAYER_OF] = 1,
	[SECTION_EXTRAS] = sizeof(struct index_extra),
	[SECTION_TEXT] = 1,
	[SECTION_REMARKS] = 1,
};

struct header {
	uint64_t magic;
	uint64_t size;      /* of the whole file */
	uint64_t sum;       /* of everything behind it */
	uint64_t counts[SECTION_COUNT];
	uint64_t shape;     /* of the rows: another build's index is none */
	struct index_facts facts;
};

#define SUMMED_FROM (offsetof(struct header, counts))

static uint64_t shape(void)
{
	uint64_t s = sizeof(struct header);

	for (int i = 0; i < SECTION_COUNT; i++)
		s = s * 1000003 + row_sizes[i];
	return s;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ h >> 29;
}

/* Against torn and rotten files, at memory speed; four lanes, as one would wait for itself. */
static uint64_t check_sum(const unsigned char *p, size_t n)
{
	uint64_t lane[4] = { 1, 2, 3, 4 }, v[4];

	for (; n >= sizeof(v); p += sizeof(v), n -= sizeof(v)) {
		memcpy(v, p, sizeof(v));
		for (int i = 0; i < 4; i++)
			lane[i] = mix(lane[i], v[i]);
	}
	memset(v, 0, sizeof(v));
	memcpy(v, p, n);
	for (int i = 0; i < 4; i++)
		lane[i] = mix(lane[i], v[i]);
	return mix(mix(lane[0], lane[1]), mix(lane[2], lane[3]));
}

/* ---- loading ---- */

static uint64_t aligned(uint64_t n)
{
	return (n + 7) & ~UINT64_C(7);
}

/* Where each section begins; false when they do not fill the file exactly. */
static bool lay_out(const struct header *h, uint64_t at[SECTION_COUNT])
{
	uint64_t pos = aligned(sizeof(*h));

	for (int i = 0; i < SECTION_COUNT; i++) {
		if (h->counts[i] > INDEX_MOST / row_sizes[i])
			return false;
		at[i] = pos;
		pos += aligned(h->counts[i] * row_sizes[i]);
		if (pos > INDEX_MOST)
			return false;
	}
	return pos == h->size;
}

static bool valid_stack(const struct view_stack *s)
{
	if (s->n > VIEW_STACK_MAX)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (strnlen(s->ids[i], VIEW_ID) != VIEW_ID - 1 || strspn(s->ids[i], "0123456789abcdef") != VIEW_ID - 1)
			return false;
	return true;
}

static bool valid_path(const struct index *ix, uint32_t at)
{
	return at < ix->scan.text.len;
}

static bool valid_files(const struct index *ix)
{
	const struct scan *s = &ix->scan;
	uint64_t *seen = xcalloc(s->files_n / 64 + 1, sizeof(*seen));
	bool ok = true;

	for (size_t i = 0; ok && i < s->folders_n; i++)
		ok = valid_path(ix, s->folders[i].path);
	for (size_t i = 0; ok && i < s->files_n; i++) {
		const struct scan_file *f = &s->files[i];
		ok = valid_path(ix, f->path) && valid_path(ix, f->name) && valid_path(ix, f->source) &&
		     valid_path(ix, f->detail) && (f->folder == SCAN_NONE || f->folder < s->folders_n) &&
		     f->excluded < EXCLUDE_COUNT && f->kind <= SCAN_WATCHED;
	}
	for (size_t i = 0; ok && i < s->files_n; i++) {
		uint32_t at = s->by_folder[i];
		ok = at < s->files_n && !(seen[at / 64] >> (at % 64) & 1);
		if (ok)
			seen[at / 64] |= UINT64_C(1) << (at % 64);
	}
	free(seen);
	return ok;
}

static bool valid_offered(const struct index *ix)
{
	for (size_t i = 0; i < ix->extras_n; i++)
		if (!valid_path(ix, ix->extras[i].path))
			return false;
	for (size_t i = 0; i < ix->offered_n; i++)
		if (ix->offered[i] >= ix->scan.files_n + ix->extras_n || ix->layer_of[i] >= ix->facts.stack.n)
			return false;
	return true;
}

static bool valid(const struct index *ix)
{
	const struct scan *s = &ix->scan;

	return s->text.len > 0 && s->text.data[s->text.len - 1] == '\0' &&
	       (ix->remarks_len == 0 || ix->remarks[ix->remarks_len - 1] == '\0') && valid_stack(&ix->facts.stack) &&
	       memchr(ix->facts.boot_id, '\0', sizeof(ix->facts.boot_id)) && valid_files(ix) && valid_offered(ix);
}

static bool use_map(struct index *ix)
{
	const struct header *h = ix->map;
	uint64_t at[SECTION_COUNT];
	char *base = ix->map;

	if (ix->map_len < sizeof(*h) || h->magic != INDEX_MAGIC || h->size != ix->map_len || h->shape != shape() ||
	    !lay_out(h, at) || h->counts[SECTION_BY_FOLDER] != h->counts[SECTION_FILES] ||
	    h->counts[SECTION_LAYER_OF] != h->counts[SECTION_OFFERED] ||
	    h->sum != check_sum((const unsigned char *)base + SUMMED_FROM, ix->map_len - SUMMED_FROM))
		return false;
	ix->facts = h->facts;
	ix->scan.folders = (struct scan_folder *)(base + at[SECTION_FOLDERS]);
	ix->scan.folders_n = h->counts[SECTION_FOLDERS];
	ix->scan.files = (struct scan_file *)(base + at[SECTION_FILES]);
	ix->scan.files_n = h->counts[SECTION_FILES];
	ix->scan.by_folder = (uint32_t *)(base + at[SECTION_BY_FOLDER]);
	ix->scan.text = (struct buf){ .data = base + at[SECTION_TEXT], .len = h->counts[SECTION_TEXT] };
	memcpy(ix->scan.excluded, h->facts.excluded, sizeof(ix->scan.excluded));
	ix->offered = (const uint32_t *)(base + at[SECTION_OFFERED]);
	ix->offered_n = h->counts[SECTION_OFFERED];
	ix->layer_of = (const uint8_t *)base + at[SECTION_LAYER_OF];
	ix->extras = (const struct index_extra *)(base + at[SECTION_EXTRAS]);
	ix->extras_n = h->counts[SECTION_EXTRAS];
	ix->remarks = base + at[SECTION_REMARKS];
	ix->remarks_len = h->counts[SECTION_REMARKS];
	return valid(ix);
}

static bool read_whole(int fd, char *p, size_t n)
{
	while (n > 0) {
		ssize_t got = read(fd, p, n);
		if (got <= 0 && !(got < 0 && errno == EINTR))
			return false;
		if (got > 0) {
			p += got;
			n -= (size_t)got;
		}
	}
	return true;
}

static int64_t ctime_of(const struct stat *st)
{
	return (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec;
}

bool index_load(struct workspace *ws, struct index *out)
{
	struct stat st;
	int fd = openat(ws->home, INDEX_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	*out = (struct index){ 0 };
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= (off_t)sizeof(struct header) &&
	    (uint64_t)st.st_size <= INDEX_MOST) {
		/* Read and not mapped: the copy is a fraction of the faults of its pages. */
		out->map_len = (size_t)st.st_size;
		out->inode = st.st_ino;
		out->ctime_ns = ctime_of(&st);
		out->map = xmalloc_large(out->map_len);
		if (!read_whole(fd, out->map, out->map_len))
			out->map_len = 0;
	}
	close(fd);
	if (use_map(out)) {
		out->sum = ((const struct header *)out->map)->sum;
		return true;
	}
	index_free(out);
	return false;
}

void index_free(struct index *ix)
{
	free(ix->map);
	*ix = (struct index){ 0 };
}

bool index_identify(struct workspace *ws, struct index_facts *out, struct err *e)
{
	struct stat st;

	if (fstat(ws->home, &st) < 0)
		return err_sys(e, "cannot look at %s/.tickmark", ws->root);
	out->home_device = st.st_dev;
	out->home_inode = st.st_ino;
	return store_uuid(ws->store, &out->record, e);
}

bool index_is_of(const struct index *ix, const struct index_facts *whose)
{
	return memcmp(&ix->facts.record, &whose->record, sizeof(whose->record)) == 0 &&
	       ix->facts.home_device == whose->home_device && ix->facts.home_inode == whose->home_inode;
}

bool index_is_current(struct workspace *ws, const struct index *ix)
{
	int fd = openat(ws->home, INDEX_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct header h;
	struct stat st;

	if (fd < 0)
		return false;
	bool same = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == ix->inode && ctime_of(&st) == ix->ctime_ns &&
	            pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && h.sum == ix->sum;
	close(fd);
	return same;
}

/* ---- using ---- */

struct entry index_entry_of(const struct scan *s, const struct scan_file *f)
{
	return (struct entry){
		.path = scan_text(s, f->path),
		.mode = f->st.mode & 0111 ? 0755 : 0644,
		.size = (int64_t)f->st.size,
		.mtime_us = scan_mtime_us(&f->st),
		.sha256 = f->sha256,
	};
}

struct entry *index_entries(const struct index *ix)
{
	struct entry *entries = xmalloc_large((ix->offered_n + 1) * sizeof(*entries));

	for (size_t i = 0; i < ix->offered_n; i++) {
		uint32_t at = ix->offered[i];
		if (at < ix->scan.files_n) {
			entries[i] = index_entry_of(&ix->scan, &ix->scan.files[at]);
			continue;
		}
		const struct index_extra *x = &ix->extras[at - ix->scan.files_n];
		entries[i] = (struct entry){ .path = scan_text(&ix->scan, x->path), .mode = x->mode, .size = x->size,
			                     .mtime_us = x->mtime_us, .sha256 = x->sha256, .from_attempt = x->from_attempt };
	}
	return entries;
}

/* ---- saving ---- */

static void add_section(struct buf *b, const void *p, size_t bytes)
{
	static const char zeros[8];

	if (bytes > 0)
		buf_add(b, p, bytes);
	buf_add(b, zeros, aligned(bytes) - bytes);
}

bool index_save(struct workspace *ws, const struct index_parts *p, struct err *e)
{
	struct header h = { .magic = INDEX_MAGIC, .shape = shape(), .facts = *p->facts };
	const struct scan *s = p->scan;
	struct buf b = { 0 }, remarks = { 0 };

	for (size_t i = 0; i < p->remarks->n; i++)
		buf_add(&remarks, p->remarks->v[i], strlen(p->remarks->v[i]) + 1);
	const struct { const void *p; size_t n; } sections[SECTION_COUNT] = {
		[SECTION_FOLDERS] = { s->folders, s->folders_n },
		[SECTION_FILES] = { s->files, s->files_n },
		[SECTION_BY_FOLDER] = { s->by_folder, s->files_n },
		[SECTION_OFFERED] = { p->offered, p->offered_n },
		[SECTION_LAYER_OF] = { p->layer_of, p->offered_n },
		[SECTION_EXTRAS] = { p->extras, p->extras_n },
		[SECTION_TEXT] = { s->text.data, s->text.len },
		[SECTION_REMARKS] = { remarks.data, remarks.len },
	};
	h.size = aligned(sizeof(h));
	for (int i = 0; i < SECTION_COUNT; i++) {
		h.counts[i] = sections[i].n;
		h.size += aligned(sections[i].n * row_sizes[i]);
	}
	memcpy(h.facts.excluded, s->excluded, sizeof(h.facts.excluded));
	buf_reserve(&b, h.size);
	add_section(&b, &h, sizeof(h));
	for (int i = 0; i < SECTION_COUNT; i++)
		add_section(&b, sections[i].p, sections[i].n * row_sizes[i]);
	uint64_t sum = check_sum((const unsigned char *)b.data + SUMMED_FROM, b.len - SUMMED_FROM);
	memcpy(b.data + offsetof(struct header, sum), &sum, sizeof(sum));

	bool ok = fs_write(ws->home, INDEX_FILE, b.data, b.len, false, e);
	buf_free(&b);
	buf_free(&remarks);
	return ok;
}

void index_drop(struct workspace *ws)
{
	unlinkat(ws->home, INDEX_FILE, 0);
}

int index_lock(struct workspace *ws, struct err *e)
{
	int dir = workspace_open_dir(ws, "cache", e);
	int fd = dir >= 0 ? openat(dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;

	if (dir >= 0 && fd < 0)
		err_sys(e, "cannot open %s/.tickmark/cache/lock", ws->root);
	if (dir >= 0)
		close(dir);
	while (fd >= 0 && flock(fd, LOCK_EX) < 0) {
		if (errno == EINTR)
			continue;
		err_sys(e, "cannot lock %s/.tickmark/cache/lock", ws->root);
		close(fd);
		fd = -1;
	}
	return fd;
}

bool index_stamp(struct workspace *ws, int64_t *ns, struct err *e)
{
	struct timespec now;
	struct stat st;
	bool ok = false;

	/* Local file systems stamp files with this clock, which ticks every few milliseconds. */
	if (!ws->notice && clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0) {
		*ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
		return true;
	}
	/* Others have a server whose clock may be another one. */
	int dir = workspace_open_dir(ws, "cache", e);
	if (dir < 0)
		return false;
	unlinkat(dir, "stamp", 0);
	int fd = openat(dir, "stamp", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(e, "cannot make a file in %s/.tickmark/cache", ws->root);
	} else {
		*ns = MIN(st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec,
		          st.st_ctim.tv_sec * INT64_C(1000000000) + st.st_ctim.tv_nsec);
		ok = true;
	}
	if (fd >= 0)
		close(fd);
	unlinkat(dir, "stamp", 0);
	close(dir);
	return ok;
}
