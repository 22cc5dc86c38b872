/*
 * Which files of the folder were opened, by inotify on the merged folders: native readers count
 * too, and so do reads of files that lie in a lower layer. The descriptor is made inside (watches on
 * the layers themselves would report nothing) and read here. inotify(7).
 *
 * Was a written file written from nothing, or were its earlier bytes read or kept? Events alone do
 * not tell: before kernel 6.8 open(O_TRUNC) gave MODIFY, OPEN; since then it gives OPEN, MODIFY as
 * an appending write does. So what was read first (ACCESS, or an open for reading) decides, then
 * MODIFY before OPEN, and then a look at the bytes (kept.c).
 *
 * Bytes that get another name can be read there, where nobody looks: what is renamed counts as read.
 * Of a hard link no event tells whose second name it is, so the call itself is announced (notify.c).
 * From then on every file that goes or changes unread counts as read, and so does every one that the
 * upper layer holds though nothing was written to it: the overlay copies a file up to link it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"

#define EVENTS (IN_ACCESS | IN_OPEN | IN_CLOSE_NOWRITE | IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO | \
                IN_DELETE | IN_CREATE)
#define EVENT_BYTES (64 << 10)
#define MOST_FILES 200000 /* a run may make up names without end */

struct seen {
	int wd;
	char *name;          /* owned */
	uint32_t hash;
	bool opened, closed_read, closed_write;
	bool written;        /* opened for writing or changed */
	bool changed;        /* by write or truncation; not through a mapping */
	bool made;           /* by creation or by a rename onto it, before anything was read of it */
	bool early;          /* changed before it was opened: truncated, but by open or by truncate? */
	bool read_first;     /* something was read before the first change */
	bool deleted;
	bool slipped;        /* bytes that it had before the run are, or may be, under another name */
	uint32_t from;       /* index + 1 of the name that was last renamed to this one */
};

struct observer {
	struct sandbox *sb;
	struct seen *seen;
	size_t n, cap;
	uint32_t *table;     /* index + 1 into seen; open addressing */
	size_t slots;        /* a power of two */
	bool complete;
	bool linked;         /* a hard link was made */
	struct { uint32_t cookie; size_t index; } moving; /* the name that the last IN_MOVED_FROM was of */
	char *events;        /* EVENT_BYTES */
};

int observe_begin(struct sandbox *sb)
{
	struct shared *shared = sb->shared;

	if (sb->watch.n == 0)
		return -1;
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0) {
		shared->watch_failed = errno;
		return -1;
	}
	for (size_t i = 0; i < sb->watch.n; i++) {
		char *path = path_join(sb->box, sb->watch.v[i]);
		shared->wd[i] = inotify_add_watch(fd, path, EVENTS | IN_ONLYDIR | IN_DONT_FOLLOW);
		if (shared->wd[i] < 0 && errno != ENOENT && errno != ENOTDIR)
			shared->watch_failed = errno;
		free(path);
	}
	shared->watched = (int32_t)sb->watch.n;
	return fd;
}

struct observer *observe_new(struct sandbox *sb)
{
	struct observer *w = xcalloc(1, sizeof *w);

	w->sb = sb;
	w->complete = sb->watch.n == 0 || (sb->inotify >= 0 && sb->shared->watch_failed == 0);
	w->slots = 256;
	w->table = xcalloc(w->slots, sizeof *w->table);
	w->events = xmalloc(EVENT_BYTES);
	return w;
}

static uint32_t hash_name(int wd, const char *name)
{
	uint32_t h = 2166136261u ^ (uint32_t)wd; /* FNV-1a */

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

static void insert(struct observer *w, size_t index)
{
	size_t at = w->seen[index].hash & (w->slots - 1);

	while (w->table[at] != 0)
		at = (at + 1) & (w->slots - 1);
	w->table[at] = (uint32_t)index + 1;
}

static void grow_table(struct observer *w)
{
	free(w->table);
	w->slots *= 2;
	w->table = xcalloc(w->slots, sizeof *w->table);
	for (size_t i = 0; i < w->n; i++)
		insert(w, i);
}

static struct seen *find(struct observer *w, int wd, const char *name)
{
	uint32_t hash = hash_name(wd, name);

	for (size_t at = hash & (w->slots - 1); w->table[at] != 0; at = (at + 1) & (w->slots - 1)) {
		struct seen *s = &w->seen[w->table[at] - 1];
		if (s->hash == hash && s->wd == wd && strcmp(s->name, name) == 0)
			return s;
	}
	if (w->n == MOST_FILES) {
		w->complete = false;
		return NULL;
	}
	w->seen = grow(w->seen, w->n, &w->cap, sizeof *w->seen);
	w->seen[w->n] = (struct seen){ .wd = wd, .name = xstrdup(name), .hash = hash };
	insert(w, w->n++);
	if (w->n * 2 > w->slots)
		grow_table(w);
	return &w->seen[w->n - 1];
}

/* Nothing but what it had before the run has been seen of it. */
static bool is_untouched(const struct seen *s)
{
	return !s->made && !s->written;
}

static void note(struct observer *w, struct seen *s, uint32_t event)
{
	if (event & IN_MOVED_FROM)
		s->slipped |= !s->made && !(s->early && s->opened);
	if (w->linked && (event & (IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE)))
		s->slipped |= is_untouched(s);
	if (event & (IN_CREATE | IN_MOVED_TO)) {
		s->made |= !s->read_first && !s->written;
		s->written |= (event & IN_MOVED_TO) != 0;
		s->deleted = false;
	}
	if (event & (IN_ACCESS | IN_CLOSE_NOWRITE))
		s->read_first |= !s->written && !s->made;
	if (event & IN_MODIFY) {
		s->early |= !s->opened && !s->made && !s->deleted;
		s->changed = s->written = true;
	}
	if (event & IN_OPEN)
		s->opened = true;
	if (event & IN_CLOSE_NOWRITE) {
		s->early &= s->closed_write; /* a reader after truncate(2) */
		s->closed_read = true;
	}
	if (event & IN_CLOSE_WRITE) {
		s->closed_write = true;
		s->written = true;
	}
	if (event & (IN_DELETE | IN_MOVED_FROM))
		s->deleted = true;
}

/* renameat2(RENAME_EXCHANGE) moves onto a name first, and then what was there away from it. */
static void note_move(struct observer *w, uint32_t event, uint32_t cookie, size_t index)
{
	if (event & IN_MOVED_FROM) {
		w->moving.cookie = cookie;
		w->moving.index = index;
	} else if ((event & IN_MOVED_TO) && w->moving.cookie == cookie) {
		w->seen[w->moving.index].slipped |= w->seen[w->moving.index].from == index + 1;
		w->seen[index].from = (uint32_t)w->moving.index + 1;
	}
}

static void take(struct observer *w, const struct inotify_event *ev)
{
	if (ev->mask & IN_Q_OVERFLOW)
		w->complete = false;
	if (ev->len == 0 || (ev->mask & (IN_ISDIR | IN_IGNORED | IN_UNMOUNT)))
		return;
	struct seen *s = find(w, ev->wd, ev->name);
	if (s == NULL)
		return;
	note(w, s, ev->mask & IN_ALL_EVENTS);
	note_move(w, ev->mask, ev->cookie, (size_t)(s - w->seen));
}

void observe_read(struct observer *w)
{
	ssize_t n;

	while (w->sb->inotify >= 0 && (n = read(w->sb->inotify, w->events, EVENT_BYTES)) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *ev = (const void *)(w->events + at);
			take(w, ev);
			at += (ssize_t)(sizeof *ev + ev->len);
		}
	}
}

void observe_link(struct observer *w)
{
	observe_read(w); /* what came before it is judged without it */
	w->linked = true;
}

/* ---- the end ----------------------------------------------------------------------------------------- */

static bool is_as_copied(const struct observer *w, const char *folder, const char *name, const struct stat *st)
{
	if (w->sb->copied == NULL)
		return false;
	char *path = strcmp(folder, ".") == 0 ? xstrdup(name) : path_join(folder, name);
	bool same = copied_is_same(w->sb->copied, path, st);

	free(path);
	return same;
}

/* The files of one watched folder that are in the upper layer without having been written to. */
static void find_linked(struct observer *w, const char *folder, int wd)
{
	int fd = upper_open_folder(w->sb, folder);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct stat st;

	if (d == NULL) {
		w->complete &= w->sb->copied == NULL; /* of a copy, the folder is gone or renamed */
		return;
	}
	for (struct dirent *ent; (ent = readdir(d)) != NULL;) {
		if (fstatat(fd, ent->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode) ||
		    is_as_copied(w, folder, ent->d_name, &st))
			continue;
		struct seen *s = find(w, wd, ent->d_name);
		if (s != NULL)
			s->slipped |= is_untouched(s);
	}
	closedir(d);
}

/* Index + 1 into sb->watch by watch descriptor; those are small numbers, given in order. */
static uint32_t *index_folders(const struct sandbox *sb, int *largest)
{
	*largest = 0;
	for (size_t i = 0; i < sb->watch.n; i++)
		*largest = MAX(*largest, sb->shared->wd[i]);
	uint32_t *index = xcalloc((size_t)*largest + 1, sizeof *index);
	for (size_t i = 0; i < sb->watch.n; i++)
		if (sb->shared->wd[i] > 0)
			index[sb->shared->wd[i]] = (uint32_t)i + 1;
	return index;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct sandbox_open *)a)->path, ((const struct sandbox_open *)b)->path);
}

static bool is_from_nothing(const struct observer *w, const struct seen *s, const char *path)
{
	if (s->made || s->read_first || !s->written)
		return s->made;
	if (s->early && s->opened)
		return true;
	return s->opened && s->changed && kept_nothing(w->sb, path);
}

static void add_open(struct observer *w, struct sandbox_result *out, const struct seen *s, char *path)
{
	out->opens[out->opens_n++] = (struct sandbox_open){
		.path = path,
		.read = s->slipped || s->closed_read || (s->opened && !s->closed_write && !s->written),
		.written = s->written,
		.from_nothing = is_from_nothing(w, s, path),
		.deleted = s->deleted,
	};
}

void observe_finish(struct observer *w, struct sandbox_result *out)
{
	int largest;
	uint32_t *folders = index_folders(w->sb, &largest);

	for (size_t i = 0; w->linked && i < w->sb->watch.n; i++)
		if (w->sb->shared->wd[i] > 0)
			find_linked(w, w->sb->watch.v[i], w->sb->shared->wd[i]);
	out->opens = xcalloc(w->n + 1, sizeof *out->opens);
	out->opens_complete = w->complete;
	for (size_t i = 0; i < w->n; i++) {
		struct seen *s = &w->seen[i];
		uint32_t at = s->wd <= largest ? folders[s->wd] : 0;
		const char *folder = at > 0 ? w->sb->watch.v[at - 1] : NULL;
		if (folder != NULL)
			add_open(w, out, s, strcmp(folder, ".") == 0 ? xstrdup(s->name) : path_join(folder, s->name));
		free(s->name);
	}
	qsort(out->opens, out->opens_n, sizeof *out->opens, by_path);
	free(folders);
	free(w->seen);
	free(w->table);
	free(w->events);
	free(w);
}
