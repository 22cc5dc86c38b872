/* What a tool gives back: one text, images, links. No structuredContent: each client treats it otherwise. */
#include "server.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MOST ((size_t)48 << 10)   /* all of a result's text */
#define IMAGE_SIDE 2000                 /* pixels: larger ones break some clients */
#define LINKS_MOST 60
#define LINKS_BYTES ((size_t)96 << 10)

void result_add(struct result *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&r->text, fmt, ap);
	va_end(ap);
}

void result_fail(struct result *r, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	buf_clear(&r->text);
	clean_text(&r->text, b.data ? b.data : "", b.len);
	buf_free(&b);
	r->failed = true;
}

void result_link(struct result *r, char *uri, const char *name, const char *mime, int64_t size)
{
	/* Long names would fill the reply. */
	if (r->links_n >= LINKS_MOST || r->link_bytes + strlen(uri) + strlen(name) > LINKS_BYTES) {
		free(uri);
		return;
	}
	r->link_bytes += strlen(uri) + strlen(name);
	r->links = grow(r->links, r->links_n, &r->links_cap, sizeof(*r->links));
	r->links[r->links_n++] = (struct link){ uri, clean_name(name), xstrdup(mime), size };
}

/* ---- images ---- */

static uint32_t big16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t big32(const unsigned char *p)
{
	return big16(p) << 16 | big16(p + 2);
}

/* The frame header of a JPEG (ITU T.81 B.2.2); false when none was found. */
static bool jpeg_size(const unsigned char *p, size_t n, uint32_t *w, uint32_t *h)
{
	for (size_t at = 2; at + 9 < n && p[at] == 0xFF;) {
		unsigned marker = p[at + 1];
		if (marker == 0xFF) {
			at++;
			continue;
		}
		if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) {
			*h = big16(p + at + 5);
			*w = big16(p + at + 7);
			return true;
		}
		at += 2 + big16(p + at + 2);
	}
	return false;
}

static bool small_enough(const unsigned char *p, size_t n, const char *mime)
{
	uint32_t w = 0, h = 0;

	if (strcmp(mime, "image/png") == 0 && n >= 24) {
		w = big32(p + 16);
		h = big32(p + 20);
	} else if (strcmp(mime, "image/gif") == 0 && n >= 10) {
		w = p[6] | (uint32_t)p[7] << 8;
		h = p[8] | (uint32_t)p[9] << 8;
	} else if (strcmp(mime, "image/jpeg") == 0) {
		(void)jpeg_size(p, n, &w, &h);
	} else if (strcmp(mime, "image/webp") == 0) {
		return true; /* three layouts; bounded by its bytes */
	}
	return w > 0 && h > 0 && w <= IMAGE_SIDE && h <= IMAGE_SIDE;
}

bool image_fits(const void *p, size_t n)
{
	const char *mime = mime_of("", p, n);

	return n <= IMAGE_BYTES && mime_is_image(mime) && small_enough(p, n, mime);
}

bool result_image(struct result *r, const void *p, size_t n)
{
	const char *mime = mime_of("", p, n);

	if (r->images_n >= IMAGES_MOST || n > IMAGE_BYTES - MIN(r->image_bytes, IMAGE_BYTES) || !image_fits(p, n))
		return false;
	r->images = grow(r->images, r->images_n, &r->images_cap, sizeof(*r->images));
	r->images[r->images_n] = (struct image){ .mime = mime };
	buf_add(&r->images[r->images_n++].bytes, p, n);
	r->image_bytes += n;
	return true;
}

/* ---- sending ---- */

static void put_text(struct json_writer *w, struct result *r)
{
	size_t n = r->text.len;

	if (n > TEXT_MOST) {
		n = TEXT_MOST;
		while (n > 0 && (r->text.data[n] & 0xC0) == 0x80)
			n--;
		r->text.len = n;
		buf_adds(&r->text, "\n[the rest of this answer is left out: it is over 48 KiB]\n");
	}
	while (r->text.len > 0 && r->text.data[r->text.len - 1] == '\n')
		r->text.len--;
	json_open(w, NULL, '{');
	json_put_text(w, "type", "text");
	json_put_repaired(w, "text", r->text.data ? r->text.data : "", r->text.len);
	json_close(w);
}

static void put_link(struct json_writer *w, const struct link *l)
{
	json_open(w, NULL, '{');
	json_put_text(w, "type", "resource_link");
	json_put_text(w, "uri", l->uri);
	json_put_text(w, "name", l->name);
	json_put_text(w, "mimeType", l->mime);
	if (l->size >= 0)
		json_put_int(w, "size", l->size);
	json_close(w);
}

static void put_image(struct json_writer *w, const struct image *i)
{
	json_open(w, NULL, '{');
	json_put_text(w, "type", "image");
	json_put_base64(w, "data", i->bytes.data, i->bytes.len);
	json_put_text(w, "mimeType", i->mime);
	json_close(w);
}

void result_send(struct server *sv, const struct origin *o, struct result *r)
{
	struct json_writer *w = reply_begin(o, false);

	json_open(w, "content", '[');
	put_text(w, r);
	for (size_t i = 0; i < r->images_n; i++)
		put_image(w, &r->images[i]);
	/* Links came later than the rest of the protocol's contents: older clients refuse the whole result. */
	bool links = o->modern || strcmp(sv->revision ? sv->revision : "", "2025-06-18") >= 0;
	for (size_t i = 0; links && i < r->links_n; i++)
		put_link(w, &r->links[i]);
	json_close(w);
	json_put_bool(w, "isError", r->failed);
	reply_end(sv, o, w);
	result_free(r);
}

void result_free(struct result *r)
{
	for (size_t i = 0; i < r->links_n; i++) {
		free(r->links[i].uri);
		free(r->links[i].name);
		free(r->links[i].mime);
	}
	for (size_t i = 0; i < r->images_n; i++)
		buf_free(&r->images[i].bytes);
	free(r->links);
	free(r->images);
	buf_free(&r->text);
	*r = (struct result){ 0 };
}
