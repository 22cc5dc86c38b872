/*
 * base: errors, memory, bytes, files, hashes, time, units, JSON, configuration.
 * Knows nothing above libc, libcrypto (SHA-256) and jansson.
 *
 * Conventions of every header here: functions that can fail return bool (true = done) or a
 * pointer (NULL = failed) and take `struct err *e` last; `e` is set exactly once, where the
 * fault is detected. Memory is never short: the x-allocators end the process.
 */
#ifndef TICKMARK_BASE_H
#define TICKMARK_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* ---- errors (err.c) ------------------------------------------------------------------- */

enum err_code {
	ERR_NONE,
	ERR_SYS,       /* the system refused something; err.sys holds errno */
	ERR_INPUT,     /* what the user gave is wrong */
	ERR_NOTFOUND,  /* what was named does not exist */
	ERR_EXISTS,    /* what should be new is there already */
	ERR_BUSY,      /* somebody else holds it, for longer than we wait */
	ERR_FULL,      /* no space, quota or file-size limit */
	ERR_READONLY,  /* may be read only */
	ERR_CORRUPT,   /* bytes that cannot be what they claim to be */
	ERR_VERSION,   /* made by a newer tickmark */
	ERR_SANDBOX,   /* the sandbox cannot be had or failed */
	ERR_LIMIT,     /* over a limit of ours */
	ERR_CANCELLED, /* by the user */
	ERR_CHANGED,   /* read again, it is not what it was */
};

struct err {
	enum err_code code; /* ERR_NONE until set */
	int sys;            /* errno at the fault, or 0 */
	char msg[1024];     /* one sentence without final full stop: object, reason, what to do */
};

/* Sets `e` (which may be NULL) and returns false, so that `return err_set(…)` is one statement. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...) PRINTF(3, 4);
/* The same from errno, which it keeps: appends ": reason" in English; ENOENT becomes ERR_NOTFOUND,
 * EEXIST ERR_EXISTS, ENOSPC, EDQUOT and EFBIG ERR_FULL, EROFS ERR_READONLY, all else ERR_SYS. */
bool err_sys(struct err *e, const char *fmt, ...) PRINTF(2, 3);
/* Puts context in front of a message already set ("CONTEXT: message"); returns false. */
bool err_prefix(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Called before the process dies of a lack of memory, to restore the terminal; may be NULL. */
void die_set_hook(void (*hook)(void));
/* Runs the hook (a message on the alternate screen would be lost), prints to stderr, ends with
 * status 2 without exit handlers. Only for lack of memory, or of random bytes. */
_Noreturn void die(const char *fmt, ...) PRINTF(1, 2);

/* ---- memory and byte strings (buf.c) --------------------------------------------------- */

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
/* For n bytes that are going to be written from end to end: on huge pages where the kernel has them, as one
 * fault per small page costs more than what is usually done with it. Not zeroed; free() frees it. */
void *xmalloc_large(size_t n);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
void *xmemdup(const void *p, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF(1, 2);

/* A growing byte string; data is NUL-terminated behind len whenever it is not NULL.
 * Zero-initialised is empty. */
struct buf {
	char *data; /* owned; NULL while nothing was added */
	size_t len; /* bytes in use */
	size_t cap; /* bytes allocated */
};

void buf_add(struct buf *b, const void *p, size_t n);
void buf_adds(struct buf *b, const char *s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
void buf_vaddf(struct buf *b, const char *fmt, va_list ap) PRINTF(2, 0);
/* In base64 (RFC 4648 section 4), on one line. */
void buf_add_base64(struct buf *b, const void *p, size_t n);
/* Makes room for n more bytes, zeroed, and returns where they go; the caller adds to len. */
char *buf_reserve(struct buf *b, size_t n);
void buf_clear(struct buf *b);
void buf_free(struct buf *b);
/* Hands the bytes (never NULL) to the caller and empties the buffer. */
char *buf_take(struct buf *b);

/* A growing array of owned strings, NULL-terminated (argv style). Zero-initialised is empty. */
struct strv {
	char **v;   /* owned, v[n] is NULL; NULL while empty */
	size_t n;   /* strings */
	size_t cap; /* slots */
};

void strv_add(struct strv *s, const char *str);
void strv_addf(struct strv *s, const char *fmt, ...) PRINTF(2, 3);
void strv_take(struct strv *s, char *str);
bool strv_has(const struct strv *s, const char *str);
void strv_free(struct strv *s);

/* Makes room for one more element in a plain array: `items = grow(items, n, &cap, sizeof *items)`. */
void *grow(void *items, size_t n, size_t *cap, size_t size);

/* ---- where that memory lies (heap.c) -------------------------------------------------------- */

/* Each sets malloc's limits anew, so the last one called decides: heap_settle comes before heap_hold. */

/* For a process that forks seldom: what it allocates from now on lies on one huge page, if the kernel has one,
 * instead of costing a fault for each small page. (What a fork shares is copied page by page.) */
void heap_settle(void);
/* What lies about free is used no more: for a process that has read much, and forks many now. A child would use
 * those pieces first, and have each of their pages copied. They come back with the end of the process. */
void heap_leave(void);
/* From now on n bytes (at most 16 MiB) that are freed stay at hand: who asks for as much again and again pays for its
 * pages once, and for those of this thread that is little, where the kernel has huge ones. */
void heap_hold(size_t n);

/* ---- paths (path.c): pure, on strings -------------------------------------------------- */

/* Always below `dir`, even where `name` begins with a slash; `name` itself where `dir` is "". Owned. */
char *path_join(const char *dir, const char *name);
/* Removes ".", "..", doubled and trailing slashes, without looking at the disk. Owned result. */
char *path_clean(const char *path);
/* Cleaned absolute form, relative to the current directory. Owned; NULL when there is none. */
char *path_absolute(const char *path, struct err *e);
/* `path` relative to `dir` (both clean and absolute), "." for itself; NULL when outside.
 * Points into `path` (or to a constant). */
const char *path_below(const char *dir, const char *path);
/* The last part, into `path`; of "/" and "" themselves. Trailing slashes stay with it. */
const char *path_base(const char *path);
/* Owned parent; "." or "/" where there is none. */
char *path_dir(const char *path);
/* A relative path that stays below its start: not empty, not absolute, no "", "." or ".." part. */
bool path_is_plain_relative(const char *path);

/* ---- files (fs.c) ---------------------------------------------------------------------- */

/* Every path is relative to dirfd (AT_FDCWD for the current folder). Nothing follows a final
 * symlink when it writes. Files are made 0600 and folders 0700 under any umask. Reading adds to
 * `out`, and leaves it as it was on failure; a FIFO without a writer reads as empty. */
bool fs_read(int dirfd, const char *path, size_t max, struct buf *out, struct err *e); /* ERR_LIMIT over max */
/* Its first max bytes; *more: there are others behind them. */
bool fs_read_head(int dirfd, const char *path, size_t max, struct buf *out, bool *more, struct err *e);
bool fs_read_fd(int fd, const char *what, size_t max, struct buf *out, struct err *e);
/* Up to n bytes at `at`, fewer only where the file ends; -1 with errno. */
int64_t fs_pread(int fd, void *p, size_t n, int64_t at);
bool fs_write_fd(int fd, const void *p, size_t n, const char *what, struct err *e);
/* Writes a temporary file beside, fsyncs it and its folder when `durable`, renames over. */
bool fs_write(int dirfd, const char *path, const void *p, size_t n, bool durable, struct err *e);
/* The last step of a file that grew under a name of its own in the same folder: writes it to the disk, gives it `path`
 * where that is free (ERR_EXISTS), and writes the folder. `part` may be left as a second name. */
bool fs_put_in_place(const char *part, const char *path, struct err *e);
/* mkdir -p; links may lie on the way, but the last part must be a real folder ("DIR/." follows). */
bool fs_mkdirs(int dirfd, const char *path, struct err *e);
/* mkdir -p with O_DIRECTORY fd of the last as result; -1 on failure. */
int fs_open_dir(int dirfd, const char *path, struct err *e);
/* Copies what is left of `in` to `out`: reflink or copy_file_range where possible, holes kept. */
bool fs_copy(int in, int out, const char *what, struct err *e);
/* Removes a file or a whole folder, never following links nor crossing mounts, iterative, adding
 * owner rights where they are missing. A name that is not there is no fault. Stops at the first. */
bool fs_remove_tree(int dirfd, const char *name, struct err *e);
bool fs_exists(int dirfd, const char *path); /* a name, be it a link that leads nowhere */
/* True where shared memory for WAL cannot be trusted: NFS, SMB, AFS, 9P, FUSE and the like
 * (statfs magic), or a folder that OneDrive, Dropbox and the like synchronise (by its path).
 * `why` is then "shared file system (NFS)" or "folder synchronised by Dropbox", else "". */
bool fs_is_shared(const char *path, char why[64]);
/* Opens all of fds 0-2 that are closed on /dev/null, so that no file of ours becomes one. */
void fs_guard_stdio(void);

/* ---- hashes (hash.c): SHA-256 (FIPS 180-4) ------------------------------------------------ */

struct digest { uint8_t b[32]; };

struct hasher { _Alignas(16) unsigned char state[128]; }; /* opaque */

void hash_begin(struct hasher *h);
void hash_add(struct hasher *h, const void *p, size_t n);
struct digest hash_end(struct hasher *h);
struct digest hash_bytes(const void *p, size_t n);
/* Hashes from the current offset to the end; *size (may be NULL) gets the bytes read. */
bool hash_fd(int fd, const char *what, struct digest *out, uint64_t *size, struct err *e);
/* Whether long work shall be broken off; asked between its parts. `asked` NULL: never. */
struct cancel {
	bool (*asked)(const void *ctx);
	const void *ctx;
};
/* The same where another thread sets a flag; NULL: never. */
static inline bool cancel_is_set(const bool *flag)
{
	return flag && __atomic_load_n(flag, __ATOMIC_RELAXED);
}
/* True, and the error ERR_CANCELLED about `what`, when it was asked for. */
bool cancel_is_asked(const struct cancel *c, const char *what, struct err *e);
/* The same hash, broken off when asked (ERR_CANCELLED). */
bool hash_fd_unless(const struct cancel *c, int fd, const char *what, struct digest *out, uint64_t *size, struct err *e);

/* Canonical form of typed values, so that 1, '1' and absent differ: a tag byte, then an 8-byte
 * big-endian value (i) or 8-byte big-endian length and bytes (t text, b bytes); n alone is absent. */
void hash_int(struct hasher *h, int64_t v);
void hash_text(struct hasher *h, const char *s);               /* NULL: absent */
void hash_blob(struct hasher *h, const void *p, size_t n);     /* p NULL: absent */
void hash_null(struct hasher *h);

#define DIGEST_HEX 65 /* bytes for 64 hexadecimal digits and NUL */
void digest_hex(const struct digest *d, char out[DIGEST_HEX]);
bool digest_parse(const char *hex, struct digest *out); /* exactly 64 hexadecimal digits */
bool digest_equal(const struct digest *a, const struct digest *b);
bool digest_is_zero(const struct digest *d);

/* 16 random bytes from the kernel, as a version 4 UUID (RFC 9562). */
struct uuid { uint8_t b[16]; };
#define UUID_TEXT 37
struct uuid uuid_new(void);
bool uuid_is_zero(const struct uuid *u);
void uuid_text(const struct uuid *u, char out[UUID_TEXT]);
bool uuid_parse(const char *s, struct uuid *out);
void random_bytes(void *p, size_t n);

/* ---- time and place (clock.c) ------------------------------------------------------------ */

int64_t clock_now_us(void);  /* UTC since 1970, microseconds; pinned by TICKMARK_NOW_US in tests */
int64_t clock_mono_us(void); /* CLOCK_MONOTONIC */
/* Waits so long before another try, less when a signal comes. */
void clock_pause(int64_t us);
#define CLOCK_TEXT 40
/* "2026-11-30 14:03:07" in the user's zone; ISO 8601 UTC "2026-11-30T13:03:07.123456Z". */
void clock_local(int64_t us, char out[CLOCK_TEXT]);
void clock_iso(int64_t us, char out[CLOCK_TEXT]);
/* Kernel boot id (random per boot), "" where it cannot be read; cached. */
const char *clock_boot_id(void);
const char *clock_host(void); /* host name; cached */
const char *clock_zone(void); /* IANA name of the user's zone ("Europe/Berlin", "UTC"); cached */

/* ---- units (units.c) ------------------------------------------------------------------- */

/* "512", "64K", "1.5G", "2GiB": binary units, in any case; parts of a byte are dropped. */
bool size_parse(const char *s, int64_t *bytes, struct err *e);
/* "90" (seconds), "1.5s", "10m", "2h", "1d", "250ms". */
bool duration_parse(const char *s, int64_t *ms, struct err *e);
bool int_parse(const char *s, int64_t min, int64_t max, int64_t *out, struct err *e);
#define UNIT_TEXT 24
void size_format(int64_t bytes, char out[UNIT_TEXT]);      /* "330", "1.4K", "149K", "2.0G" */
void duration_format(int64_t us, char out[UNIT_TEXT]);     /* "0.41s", "12.3s", "3m 05s", "1h 02m" */

/* ---- JSON (json.c) ---------------------------------------------------------------------- */

/* A writer that builds one document and prints it; UTF-8 only ever comes out. Keys are NULL
 * inside arrays. A byte string that is not UTF-8 is written with U+FFFD for each bad byte and a
 * sibling KEY_base64 (in arrays: an object of text and base64) that holds the exact bytes. */
struct json_writer;
struct json_value;
struct json_writer *json_writer_new(void);             /* starts with an open object */
void json_open(struct json_writer *w, const char *key, char kind); /* '{' or '[' */
void json_close(struct json_writer *w);
void json_put_text(struct json_writer *w, const char *key, const char *s); /* as json_put_bytes; NULL: null */
void json_put_bytes(struct json_writer *w, const char *key, const void *p, size_t n);
void json_put_base64(struct json_writer *w, const char *key, const void *p, size_t n); /* as one text, RFC 4648 */
/* As json_put_bytes, without a sibling: each bad byte becomes U+FFFD and that is all. */
void json_put_repaired(struct json_writer *w, const char *key, const void *p, size_t n);
/* A value that was read, whole; NULL: null. */
void json_put_value(struct json_writer *w, const char *key, const struct json_value *v);
void json_put_int(struct json_writer *w, const char *key, int64_t v);
void json_put_bool(struct json_writer *w, const char *key, bool v);
void json_put_null(struct json_writer *w, const char *key);
void json_put_digest(struct json_writer *w, const char *key, const struct digest *d); /* zero: null */
void json_put_time(struct json_writer *w, const char *key, int64_t us); /* ISO text; 0: null */
/* Prints what the array that is open, directly in the document, got so far, and lets go of it: a list of any length.
 * The document then ends with json_writer_print to the same place, not pretty. */
void json_writer_shed(struct json_writer *w, FILE *f);
/* Prints with a final newline, indented when `pretty`; frees the writer. False: write error. */
bool json_writer_print(struct json_writer *w, FILE *f, bool pretty);
char *json_writer_text(struct json_writer *w); /* owned, on one line; frees the writer */

/* A parsed value. Depth is bounded (2048), duplicate keys refused. What other programs let pass is
 * mended rather than refused: half a surrogate pair becomes U+FFFD, an integer over 64 bits a real. */
struct json_value *json_read(const void *p, size_t n, struct err *e);
/* The same, broken off when asked (ERR_CANCELLED); `cancel` NULL: never. */
struct json_value *json_read_unless(const bool *cancel, const void *p, size_t n, struct err *e);
void json_free(struct json_value *v);
const struct json_value *json_get(const struct json_value *v, const char *key); /* NULL: no such member */
bool json_is_object_value(const struct json_value *v);
bool json_is_array_value(const struct json_value *v);
bool json_is_null_value(const struct json_value *v);
/* Keys of an object (of all else none) until fn returns false; whether it never did. */
bool json_each_key(const struct json_value *v, bool (*fn)(void *ctx, const char *key), void *ctx);
size_t json_count(const struct json_value *v); /* members of an array, else 0 */
const struct json_value *json_at(const struct json_value *v, size_t i);
const char *json_text(const struct json_value *v, const char *otherwise);
size_t json_text_len(const struct json_value *v); /* bytes of a text, 0 of all else: JSON may hold NUL */
int64_t json_int(const struct json_value *v, int64_t otherwise);
bool json_bool(const struct json_value *v, bool otherwise);
/* '{', '[', '"' text, '0' number, 't' true or false, 'n' null. */
char json_kind(const struct json_value *v);
/* The members of an object in the order of the text: a cursor, NULL at the end. Not while v changes. */
void *json_members(const struct json_value *v);
void *json_member_next(const struct json_value *v, void *member);
const char *json_member_key(void *member);
const struct json_value *json_member_value(void *member);
bool json_same(const struct json_value *a, const struct json_value *b); /* in value; 1 is not 1.0 */
char *json_value_text(const struct json_value *v); /* on one line; owned */

/* ---- configuration (conf.c) -------------------------------------------------------------- */

/* Lines of `key = value`, '#' comments, values may be quoted: '…' as it is, "…" with \n, \t, \"
 * and \\. Behind a value a '#' after a blank begins a comment, but a bare value may start with one.
 * Calls `set` for each in order; an error it returns, or a line that is none, becomes
 * "FILE:LINE: reason; what to do", ERR_CORRUPT where it was ERR_INPUT. A missing file is empty. */
bool conf_read(const char *path, bool (*set)(void *ctx, const char *key, const char *value, struct err *e),
               void *ctx, struct err *e);
/* The same, but goes on behind a line that is wrong: each is told to `wrong`. */
bool conf_read_on(const char *path, bool (*set)(void *ctx, const char *key, const char *value, struct err *e),
                  void (*wrong)(void *ctx, const struct err *e), void *ctx, struct err *e);
/* Writes `key = value` into the file, in place of an earlier line of that key, comments kept;
 * value NULL removes the line. Makes the folder of the file where it is missing. */
bool conf_write(const char *path, const char *key, const char *value, struct err *e);

/* ---- log (log.c) -------------------------------------------------------------------------- */

/* Developer's log: a line into the file named by TICKMARK_LOG (0600), nothing without it. */
void log_line(const char *fmt, ...) PRINTF(1, 2);

#endif
