/* Queries in the strings of Python code: the words of one that decide which rows count. */
#ifndef TICKMARK_TEXT_PYSQL_H
#define TICKMARK_TEXT_PYSQL_H

#include "pytoken.h"
#include "text/pyfilter.h"

struct pysql {
	uint8_t phase, style; /* private; zero at the beginning of a statement */
	bool prose, fresh;    /* private: this string is none of a query; nothing but blanks of it was seen */
	uint32_t distinct;    /* private: where it stands, before the query was sure; 0: nowhere */
	uint32_t distinct_line;
};

/* Takes a string's piece. `prose`: its value goes nowhere (a docstring). `added`: it is added to what was there (+ or +=). */
void pysql_take(struct pysql *s, const char *code, const struct py_token *t, bool prose, bool added, struct py_filters *out);
void pyfilter_add(struct py_filters *out, uint32_t line, size_t start, size_t len, const char *what); /* pyfilter.c */

#endif
