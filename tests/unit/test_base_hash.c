/* hash.c: known answers, canonical values, hexadecimal, random. */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_hex(struct digest d, const char *hex)
{
	char got[DIGEST_HEX];

	digest_hex(&d, got);
	assert_string_equal(got, hex);
}

/* The examples of FIPS 180-4 (NIST). */
static void known_answers(void **state)
{
	(void)state;
	assert_hex(hash_bytes("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_hex(hash_bytes(NULL, 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_hex(hash_bytes("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_hex(hash_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
	           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	char *million = xmalloc(1000000);
	memset(million, 'a', 1000000);
	assert_hex(hash_bytes(million, 1000000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

static void pieces_are_the_whole(void **state)
{
	char bytes[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)i;
	struct digest whole = hash_bytes(bytes, sizeof(bytes));
	for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
		struct hasher h;
		hash_begin(&h);
		hash_add(&h, bytes, cut);
		hash_add(&h, bytes + cut, sizeof(bytes) - cut);
		struct digest d = hash_end(&h);
		assert_true(digest_equal(&d, &whole));
	}
}

static void fd_from_its_offset(void **state)
{
	int fd = memfd_create("hash", MFD_CLOEXEC);
	struct digest d, expect;
	struct err e = { 0 };
	uint64_t size = 0;

	(void)state;
	char *block = xmalloc(200000);
	memset(block, 'q', 200000);
	assert_true(fs_write_fd(fd, block, 200000, "memfd", &e));
	lseek(fd, 10, SEEK_SET);
	assert_true(hash_fd(fd, "memfd", &d, &size, &e));
	assert_int_equal(size, 199990);
	expect = hash_bytes(block, 199990);
	assert_true(digest_equal(&d, &expect));
	assert_true(hash_fd(fd, "memfd", &d, NULL, &e)); /* at the end: of nothing */
	expect = hash_bytes("", 0);
	assert_true(digest_equal(&d, &expect));
	free(block);
	close(fd);

	assert_false(hash_fd(fd, "the gone one", &d, &size, &e));
	assert_int_equal(e.sys, EBADF);
	assert_string_equal(e.msg, "cannot read the gone one: Bad file descriptor");
}

struct patience {
	int *blocks;
};

static bool stop_at(const void *ctx)
{
	return --*((const struct patience *)ctx)->blocks < 0;
}

/* Whoever cancels waits for one block, not for the file. */
static void fd_until_it_is_stopped(void **state)
{
	int fd = memfd_create("test", MFD_CLOEXEC), blocks = 2, many = INT32_MAX;
	struct digest d, whole;
	struct cancel soon = { stop_at, &(struct patience){ &blocks } }, late = { stop_at, &(struct patience){ &many } };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_false(hash_fd_unless(&soon, fd, "a long one", &d, NULL, &e));
	assert_int_equal(e.code, ERR_CANCELLED);
	assert_true(lseek(fd, 0, SEEK_CUR) < 1 << 20);
	lseek(fd, 0, SEEK_SET);
	assert_true(hash_fd(fd, "it", &whole, NULL, &e));
	lseek(fd, 0, SEEK_SET);
	assert_true(hash_fd_unless(&late, fd, "it", &d, NULL, &e));
	assert_true(digest_equal(&d, &whole));
	close(fd);
}

/* The canonical bytes, spelled out: they are part of the record's format. */
static void canonical_bytes(void **state)
{
	static const unsigned char bytes[] = { 'i', 0, 0, 0, 0, 0, 0, 1, 2,                               /* 258 */
	                                       'i', 255, 255, 255, 255, 255, 255, 255, 254,               /* -2 */
	                                       't', 0, 0, 0, 0, 0, 0, 0, 2, 'o', 'k',                     /* "ok" */
	                                       'b', 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 2,                      /* blob */
	                                       't', 0, 0, 0, 0, 0, 0, 0, 0, 'b', 0, 0, 0, 0, 0, 0, 0, 0,  /* empty */
	                                       'n', 'n', 'n' };
	struct hasher h;

	(void)state;
	hash_begin(&h);
	hash_int(&h, 258);
	hash_int(&h, -2);
	hash_text(&h, "ok");
	hash_blob(&h, "\1\0\2", 3);
	hash_text(&h, "");
	hash_blob(&h, "", 0);
	hash_null(&h);
	hash_text(&h, NULL);
	hash_blob(&h, NULL, 0);
	struct digest got = hash_end(&h), expect = hash_bytes(bytes, sizeof(bytes));
	assert_true(digest_equal(&got, &expect));
}

static void hexadecimal(void **state)
{
	static const char *const bad[] = {
		"", "0", "g", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a",
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0",
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a ",
		" a7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		"0x7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	};
	struct digest d = hash_bytes("abc", 3), back, zero = { { 0 } };
	char hex[DIGEST_HEX];

	(void)state;
	digest_hex(&d, hex);
	assert_true(digest_parse(hex, &back));
	assert_true(digest_equal(&d, &back));
	hex[0] = 'B';
	assert_true(digest_parse(hex, &back));
	assert_true(digest_equal(&d, &back));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(digest_parse(bad[i], &back));
	assert_true(digest_equal(&d, &back)); /* untouched by what failed */
	assert_false(digest_is_zero(&d));
	assert_true(digest_is_zero(&zero));
	zero.b[31] = 1;
	assert_false(digest_is_zero(&zero));
	assert_false(digest_equal(&d, &zero));
}

static void uuids(void **state)
{
	static const char *const bad[] = {
		"", "0", "00000000-0000-4000-8000-00000000000", "00000000-0000-4000-8000-0000000000000",
		"00000000-0000-4000-8000_000000000000", "000000000000-4000-8000-0000-00000000",
		"{0000000-0000-4000-8000-000000000000", "0000000g-0000-4000-8000-000000000000",
		"00000000000040008000000000000000",
	};
	struct uuid a = uuid_new(), b = uuid_new(), back;
	char text[UUID_TEXT];

	(void)state;
	assert_memory_not_equal(&a, &b, sizeof(a));
	uuid_text(&a, text);
	assert_int_equal(strlen(text), UUID_TEXT - 1);
	assert_int_equal(text[14], '4');
	assert_non_null(strchr("89ab", text[19]));
	assert_true(uuid_parse(text, &back));
	assert_memory_equal(&a, &back, sizeof(a));
	assert_true(uuid_parse("F81D4FAE-7dec-11d0-A765-00a0c91e6bf6", &back));
	uuid_text(&back, text);
	assert_string_equal(text, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(uuid_parse(bad[i], &back));
}

static void random_fills_all(void **state)
{
	unsigned char bytes[1000] = { 0 }, seen[256] = { 0 };
	size_t kinds = 0;

	(void)state;
	random_bytes(bytes, 0);
	assert_int_equal(bytes[0], 0);
	random_bytes(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		kinds += !seen[bytes[i]]++;
	assert_true(kinds > 200); /* 251 expected, and 200 as good as never */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(pieces_are_the_whole),
		cmocka_unit_test(fd_from_its_offset),
		cmocka_unit_test(fd_until_it_is_stopped),
		cmocka_unit_test(canonical_bytes),
		cmocka_unit_test(hexadecimal),
		cmocka_unit_test(uuids),
		cmocka_unit_test(random_fills_all),
	};
	return cmocka_run_group_tests_name("base/hash", tests, NULL, NULL);
}
