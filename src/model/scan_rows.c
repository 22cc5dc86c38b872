/* The rows of a scan: made, merged with what is attached by hand, sorted and judged by their stat. */
#include "scan_private.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

uint32_t scan_put_text(struct scan *s, const char *text)
{
	size_t at = s->text.len;

	if (at > UINT32_MAX - 2 * PATH_MAX)
		die("too many files to list: their names alone are larger than 4 GiB");
	buf_add(&s->text, text, strlen(text) + 1);
	return (uint32_t)at;
}

struct scan_file *scan_put_file(struct scan *s, const char *path, uint32_t folder, enum scan_kind kind)
{
	s->files = grow(s->files, s->files_n, &s->files_cap, sizeof(*s->files));
	struct scan_file *f = &s->files[s->files_n++];
	memset(f, 0, sizeof(*f));
	f->path = scan_put_text(s, path);
	const char *slash = strrchr(path, '/');
	f->name = f->path + (slash ? (uint32_t)(slash + 1 - path) : 0);
	f->folder = folder;
	f->kind = (uint8_t)kind;
	return f;
}

/* ---- what is attached from elsewhere ---- */

static int compare_attachments(const void *a, const void *b)
{
	return strcmp((*(const struct attachment *const *)a)->name, (*(const struct attachment *const *)b)->name);
}

static void put_attachment(struct scan *s, const struct attachment *a)
{
	bool kept = !digest_is_zero(&a->sha256);
	struct scan_file *f = scan_put_file(s, a->name, SCAN_NONE, a->source ? SCAN_ELSEWHERE : kept ? SCAN_KEPT : SCAN_PLAIN);

	if (kept) {
		f->sha256 = a->sha256;
		f->st.mode = S_IFREG | 0644;
		f->st.mtime_ns = a->at_us * 1000;
	}
	if (a->source) {
		uint32_t at = scan_put_text(s, a->source);
		s->files[s->files_n - 1].source = at;
	}
}

void scan_merge_attachments(struct scan *s, const struct scan_rules *rules)
{
	const struct attachment **sorted = xcalloc(rules->attachments_n + 1, sizeof(*sorted));
	struct scan_file *found = s->files;
	size_t found_n = s->files_n, n = 0, at = 0;

	for (size_t i = 0; i < rules->attachments_n; i++)
		if (!rules->attachments[i].removed)
			sorted[n++] = &rules->attachments[i];
	if (n == 0) {
		free(sorted);
		return;
	}
	qsort(sorted, n, sizeof(*sorted), compare_attachments);
	s->files = NULL;
	s->files_n = s->files_cap = 0;
	for (size_t i = 0; i < found_n || at < n;) {
		int c = i == found_n ? 1 : at == n ? -1 : strcmp(scan_text(s, found[i].path), sorted[at]->name);
		bool counts = c != 0 || found[i].decides;
		if (c <= 0) {
			if (counts) {
				s->files = grow(s->files, s->files_n, &s->files_cap, sizeof(*s->files));
				s->files[s->files_n] = found[i];
				s->files[s->files_n++].unlisted |= c == 0;
			} else if (found[i].excluded) {
				s->excluded[found[i].excluded]--;
			}
			i++;
		}
		if (c > 0 || (c == 0 && (i == found_n || strcmp(scan_text(s, found[i].path), sorted[at]->name) != 0)))
			put_attachment(s, sorted[at++]);
	}
	free(found);
	free(sorted);
}

/* ---- sizes and the rest that only a stat tells ---- */

static void exclude(struct scan *s, struct scan_file *f, enum exclusion x, bool all, const char *fmt, ...) PRINTF(5, 6);
static void exclude(struct scan *s, struct scan_file *f, enum exclusion x, bool all, const char *fmt, ...)
{
	va_list ap;
	char text[256];

	f->excluded = (uint8_t)x;
	f->decides = true;
	s->excluded[x]++;
	if (!all)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f->detail = scan_put_text(s, text);
}

static void exclude_large(struct scan *s, struct scan_file *f, int64_t max, bool all)
{
	char size[UNIT_TEXT], limit[UNIT_TEXT];

	size_format((int64_t)f->st.size, size);
	size_format(max, limit);
	exclude(s, f, EXCLUDE_TOO_LARGE, all, "%s, the limit is %s (setting attached-size)", size, limit);
}

void scan_classify(int root, const struct scan_rules *rules, bool all, const struct scan_stat *record, struct scan *s,
                   struct scan_file *f)
{
	if (f->excluded || f->kind == SCAN_WATCHED || f->kind == SCAN_KEPT)
		return;
	if (f->st.inode == 0 && f->kind == SCAN_LINK)
		exclude(s, f, EXCLUDE_OUTSIDE, all, "leads to no file inside the workspace");
	else if (f->st.inode == 0)
		exclude(s, f, EXCLUDE_UNREADABLE, all, "%s cannot be reached",
		        f->source ? scan_text(s, f->source) : scan_text(s, f->path));
	else if (f->st.inode == record->inode && f->st.device == record->device)
		exclude(s, f, EXCLUDE_SPECIAL, all, "the record itself under another name");
	else if (!S_ISREG(f->st.mode))
		exclude(s, f, EXCLUDE_SPECIAL, all, "no regular file");
	else if ((int64_t)f->st.size > rules->max_size)
		exclude_large(s, f, rules->max_size, all);
	else if (!scan_may_read(root, s, f))
		exclude(s, f, EXCLUDE_UNREADABLE, all, "%s", strerror(EACCES));
}

static int compare_paths(const void *a, const void *b, void *text)
{
	const struct scan_file *x = a, *y = b;
	int c = strcmp((const char *)text + x->path, (const char *)text + y->path);

	return c != 0 ? c : (int)x->unlisted - (int)y->unlisted;
}

void scan_sort_paths(struct scan *s)
{
	for (size_t i = 1; i < s->files_n; i++) {
		if (strcmp(scan_text(s, s->files[i - 1].path), scan_text(s, s->files[i].path)) <= 0)
			continue;
		qsort_r(s->files, s->files_n, sizeof(*s->files), compare_paths, s->text.data);
		return;
	}
}

void scan_sort_by_folder(struct scan *s)
{
	uint32_t *start = xcalloc(s->folders_n + 2, sizeof(*start));

	s->by_folder = xreallocarray(s->by_folder, s->files_n + 1, sizeof(*s->by_folder));
	for (size_t i = 0; i < s->files_n; i++)
		start[MIN(s->files[i].folder, s->folders_n) + 1]++;
	for (size_t i = 0; i <= s->folders_n; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < s->files_n; i++)
		s->by_folder[start[MIN(s->files[i].folder, s->folders_n)]++] = (uint32_t)i;
	free(start);
}
