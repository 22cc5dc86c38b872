/*
 * SHA-256, the canonical bytes of typed values, and everything random.
 */
#include "base.h"

/* The low-level calls are deprecated in OpenSSL 3, but EVP's start-up costs about 3 ms in every
 * process, and with the static library only SHA-256 itself is linked. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#ifndef HASH_CHUNK
#define HASH_CHUNK 65536 /* bytes per read; tests make it tiny */
#endif

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct hasher), "struct hasher is too small");
_Static_assert(_Alignof(SHA256_CTX) <= _Alignof(struct hasher), "struct hasher is not aligned");

static SHA256_CTX *context(struct hasher *h)
{
	return (SHA256_CTX *)(void *)h->state;
}

void hash_begin(struct hasher *h)
{
	SHA256_Init(context(h));
}

void hash_add(struct hasher *h, const void *p, size_t n)
{
	if (n)
		SHA256_Update(context(h), p, n);
}

struct digest hash_end(struct hasher *h)
{
	struct digest d;

	SHA256_Final(d.b, context(h));
	return d;
}

struct digest hash_bytes(const void *p, size_t n)
{
	struct hasher h;

	hash_begin(&h);
	hash_add(&h, p, n);
	return hash_end(&h);
}

bool cancel_is_asked(const struct cancel *c, const char *what, struct err *e)
{
	if (!c->asked || !c->asked(c->ctx))
		return false;
	err_set(e, ERR_CANCELLED, "%s: stopped on the way", what);
	return true;
}

bool hash_fd(int fd, const char *what, struct digest *out, uint64_t *size, struct err *e)
{
	return hash_fd_unless(&(struct cancel){ 0 }, fd, what, out, size, e);
}

bool hash_fd_unless(const struct cancel *c, int fd, const char *what, struct digest *out, uint64_t *size, struct err *e)
{
	unsigned char block[HASH_CHUNK];
	struct hasher h;
	uint64_t total = 0;

	hash_begin(&h);
	for (;;) {
		if (cancel_is_asked(c, what, e))
			return false;
		ssize_t got = read(fd, block, sizeof(block));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(e, "cannot read %s", what);
		if (got == 0)
			break;
		hash_add(&h, block, (size_t)got);
		total += (uint64_t)got;
	}
	*out = hash_end(&h);
	if (size)
		*size = total;
	return true;
}

/* ---- canonical form of values ---- */

static void add_tagged(struct hasher *h, char tag, uint64_t v)
{
	unsigned char bytes[9] = { (unsigned char)tag };

	for (int i = 0; i < 8; i++)
		bytes[1 + i] = (unsigned char)(v >> (56 - 8 * i));
	hash_add(h, bytes, sizeof(bytes));
}

void hash_int(struct hasher *h, int64_t v)
{
	add_tagged(h, 'i', (uint64_t)v);
}

void hash_text(struct hasher *h, const char *s)
{
	if (!s) {
		hash_null(h);
		return;
	}
	add_tagged(h, 't', strlen(s));
	hash_add(h, s, strlen(s));
}

void hash_blob(struct hasher *h, const void *p, size_t n)
{
	if (!p) {
		hash_null(h);
		return;
	}
	add_tagged(h, 'b', n);
	hash_add(h, p, n);
}

void hash_null(struct hasher *h)
{
	hash_add(h, "n", 1);
}

/* ---- hexadecimal ---- */

static char *put_hex(char *out, const uint8_t *b, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*out++ = digits[b[i] >> 4];
		*out++ = digits[b[i] & 15];
	}
	*out = '\0';
	return out;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Reads 2n digits; false at the first character that is none (a NUL too, so never beyond it). */
static bool get_hex(const char *s, uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int high = hex_value(s[2 * i]);
		int low = high < 0 ? -1 : hex_value(s[2 * i + 1]);
		if (low < 0)
			return false;
		b[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

void digest_hex(const struct digest *d, char out[DIGEST_HEX])
{
	put_hex(out, d->b, sizeof(d->b));
}

bool digest_parse(const char *hex, struct digest *out)
{
	struct digest d;

	if (!get_hex(hex, d.b, sizeof(d.b)) || hex[2 * sizeof(d.b)] != '\0')
		return false;
	*out = d;
	return true;
}

bool digest_equal(const struct digest *a, const struct digest *b)
{
	return memcmp(a->b, b->b, sizeof(a->b)) == 0;
}

bool digest_is_zero(const struct digest *d)
{
	static const struct digest zero;

	return digest_equal(d, &zero);
}

/* ---- random ---- */

void random_bytes(void *p, size_t n)
{
	unsigned char *at = p;

	while (n > 0) {
		ssize_t got = getrandom(at, n, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			die("the kernel gives no random bytes: %s", strerrordesc_np(errno));
		at += got;
		n -= (size_t)got;
	}
}

struct uuid uuid_new(void)
{
	struct uuid u;

	random_bytes(u.b, sizeof(u.b));
	u.b[6] = (uint8_t)((u.b[6] & 0x0F) | 0x40); /* version 4 */
	u.b[8] = (uint8_t)((u.b[8] & 0x3F) | 0x80); /* the variant of RFC 9562 */
	return u;
}

bool uuid_is_zero(const struct uuid *u)
{
	static const struct uuid none;

	return memcmp(u, &none, sizeof(none)) == 0;
}

static const uint8_t uuid_groups[] = { 4, 2, 2, 2, 6 }; /* bytes between the hyphens */

void uuid_text(const struct uuid *u, char out[UUID_TEXT])
{
	const uint8_t *b = u->b;

	for (size_t i = 0; i < ARRAY_LEN(uuid_groups); b += uuid_groups[i++]) {
		if (i > 0)
			*out++ = '-';
		out = put_hex(out, b, uuid_groups[i]);
	}
}

bool uuid_parse(const char *s, struct uuid *out)
{
	struct uuid u;
	uint8_t *b = u.b;

	for (size_t i = 0; i < ARRAY_LEN(uuid_groups); b += uuid_groups[i++]) {
		if (i > 0 && *s++ != '-')
			return false;
		if (!get_hex(s, b, uuid_groups[i]))
			return false;
		s += 2 * uuid_groups[i];
	}
	if (*s != '\0')
		return false;
	*out = u;
	return true;
}
