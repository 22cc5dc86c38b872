/*
 * Lines as a reader of files might say them, made fit to be looked at: sheets as tables that can be read again,
 * pages with the lines on which they begin, images. The first byte chooses, the second is the sheet.
 */
#include "text/picture.h"
#include "text/reading.h"
#include "text/table.h"

#include <stdlib.h>
#include <string.h>

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* What is written as a table is one: its quotes close. */
static void check_table(const struct buf *csv)
{
	struct span text = { csv->data, csv->len };
	struct table t = { 0 };
	struct err e = { 0 };

	must(csv->len > 0 && csv->data[csv->len - 1] == '\n');
	if (table_read(text, ',', &t, &e))
		must(!t.open_quote);
	table_free(&t);
}

static void check_sheet(struct span lines, size_t part, bool formulas)
{
	struct reading_sheet s;
	struct err e = { 0 };

	if (reading_sheet(lines, part, formulas, &s, &e)) {
		must(s.name && s.parts > 0 && s.left_out >= 0 && s.formulas >= 0);
		check_table(&s.csv);
	} else {
		must(e.code != ERR_NONE);
	}
	reading_sheet_free(&s);
}

static void check_pages(struct span lines)
{
	struct reading_pages p;
	struct err e = { 0 };
	int64_t all = 1;

	if (!reading_pages(lines, &p, &e))
		must(e.code != ERR_NONE);
	for (size_t i = 0; i < p.text.len; i++)
		all += p.text.data[i] == '\n';
	for (size_t i = 0; i < p.n; i++)
		must(p.heads[i] >= (i ? p.heads[i - 1] : 1) && p.heads[i] <= all);
	reading_pages_free(&p);
}

static void check_image(struct span bytes, bool png)
{
	struct reading_image x;
	struct picture picture = { 0 };
	struct err e = { 0 };

	if (reading_image(bytes, png, &x, &picture, &e))
		must(x.frames > 0 && x.width > 0 && x.height > 0);
	else
		must(e.code != ERR_NONE);
	picture_free(&picture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	struct span rest = { (const char *)data + 2, size - 2 };

	if (data[0] % 5 == 0)
		check_pages(rest);
	else if (data[0] % 5 < 3)
		check_sheet(rest, data[1], data[0] % 5 == 1);
	else
		check_image(rest, data[0] % 5 == 3);
	return 0;
}
