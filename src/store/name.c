/* Bytes as text columns: UTF-8 (RFC 3629) as itself, all else escaped. */
#include "name.h"

#include <ctype.h>
#include <string.h>

#include "base.h"

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bytes of the UTF-8 sequence at `s`, 0 when there is none. Overlong forms, surrogates and what lies
 * behind U+10FFFF are none. */
static size_t sequence(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		return is_tail(s[1]) ? 2 : 0;
	if (s[0] >= 0xe0 && s[0] <= 0xef) {
		if (!is_tail(s[1]) || !is_tail(s[2]))
			return 0;
		if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0))
			return 0;
		return 3;
	}
	if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		if (!is_tail(s[1]) || !is_tail(s[2]) || !is_tail(s[3]))
			return 0;
		if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
			return 0;
		return 4;
	}
	return 0;
}

bool name_is_utf8(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	while (*p) {
		size_t n = sequence(p);

		if (n == 0)
			return false;
		p += n;
	}
	return true;
}

static bool looks_escaped(const char *s)
{
	for (s = strchr(s, '\\'); s; s = strchr(s + 1, '\\'))
		if (s[1] == 'x' && isxdigit((unsigned char)s[2]) && isxdigit((unsigned char)s[3]))
			return true;
	return false;
}

bool name_is_plain(const char *s)
{
	return name_is_utf8(s) && !looks_escaped(s);
}

char *name_escape_dup(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	struct buf b = { 0 };

	while (*p) {
		size_t n = sequence(p);

		if (n == 0)
			buf_addf(&b, "\\x%02X", *p);
		else if (*p == '\\')
			buf_adds(&b, "\\\\");
		else
			buf_add(&b, p, n);
		p += n ? n : 1;
	}
	return buf_take(&b);
}
