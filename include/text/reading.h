/*
 * text/reading: the lines of a reader (model/convert.h) made fit to be looked at: a sheet as a table, pages as
 * text, an image as a picture. The lines come from a sandbox that read hostile bytes: they are believed in
 * nothing, ERR_CORRUPT where they are none.
 */
#ifndef TICKMARK_TEXT_READING_H
#define TICKMARK_TEXT_READING_H

#include "text.h"

struct picture;

struct reading_sheet {
	char *name;        /* owned */
	size_t parts;      /* how many sheets there are */
	struct buf csv;    /* owned: record i is row i of the sheet, from 1; a row without cells has one empty cell */
	int64_t formulas;  /* cells of the sheet that have one */
	int64_t left_out;  /* cells that no table has room for */
	bool cut;          /* the reader left something out */
};
/* Sheet `part`, from 0 (the last, where there are fewer); formulas in place of their values where asked for. */
bool reading_sheet(struct span lines, size_t part, bool formulas, struct reading_sheet *out, struct err *e);
void reading_sheet_free(struct reading_sheet *s);

struct reading_pages {
	struct buf text;   /* owned */
	int64_t *heads;    /* owned: lines, from 1, on which a page begins */
	size_t n;
	bool cut;
};
bool reading_pages(struct span lines, struct reading_pages *out, struct err *e);
void reading_pages_free(struct reading_pages *p);

struct reading_image {
	uint32_t width, height;  /* pixels */
	size_t frames;
	bool cut;                /* there are more frames */
};
bool png_is(struct span bytes); /* begins like one */
/* Its first frame; of the lines of the reader for images, or (`png`) of such a file. *picture is the caller's. */
bool reading_image(struct span bytes, bool png, struct reading_image *out, struct picture *picture, struct err *e);

/* Without a reader: how many sheets or slides a workbook (reader "xlsx") or presentation ("pptx") has; 0: other files, or
 * it cannot be told. */
size_t reading_parts(struct span file, const char *reader);

#endif
