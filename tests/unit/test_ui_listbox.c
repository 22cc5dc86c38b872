/* ui/listbox.c: moving in a list that is known only by neighbours; bounds on what it asks. */
#include "ui/listbox.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Numbers from 1 to n but for a gap, and how often it was asked. */
struct numbers {
	int64_t n;
	int64_t gap;  /* not there; 0 none */
	int64_t asked;
};

static bool end(void *ctx, int dir, struct list_key *out)
{
	struct numbers *s = ctx;

	*out = (struct list_key){ { dir > 0 ? 1 : s->n } };
	return s->n > 0;
}

static bool step(void *ctx, struct list_key *key, int dir)
{
	struct numbers *s = ctx;
	int64_t to = key->v[0] + dir;

	s->asked++;
	if (to == s->gap)
		to += dir;
	if (to < 1 || to > s->n)
		return false;
	key->v[0] = to;
	return true;
}

static int compare(void *ctx, const struct list_key *a, const struct list_key *b)
{
	(void)ctx;
	return (a->v[0] > b->v[0]) - (a->v[0] < b->v[0]);
}

static const struct list_ops ops = { .end = end, .step = step, .compare = compare };

static void assert_rows(struct listbox *l, int height, int64_t first, int64_t last, int64_t cursor)
{
	struct list_key rows[64];
	size_t n = listbox_rows(l, height, rows);

	assert_int_equal(rows[0].v[0], first);
	assert_int_equal(rows[n - 1].v[0], last);
	assert_int_equal(l->cursor.v[0], cursor);
}

static void moving(void **state)
{
	struct numbers s = { .n = 100 };
	struct listbox l;

	(void)state;
	listbox_init(&l, &ops, &s);
	assert_rows(&l, 10, 91, 100, 100); /* the newest at first */
	assert_true(listbox_move(&l, -3));
	assert_rows(&l, 10, 91, 100, 97);
	assert_true(listbox_move(&l, -7));
	assert_rows(&l, 10, 90, 99, 90);
	assert_true(listbox_end(&l, 1));
	assert_rows(&l, 10, 1, 10, 1);
	assert_false(listbox_move(&l, -1));
	assert_true(listbox_page(&l, 10));
	assert_rows(&l, 10, 11, 20, 11);
	assert_true(listbox_page(&l, -10));
	assert_rows(&l, 10, 1, 10, 1);
	assert_true(listbox_move(&l, 10));
	assert_rows(&l, 10, 2, 11, 11);
	assert_true(listbox_scroll(&l, 3));
	assert_rows(&l, 10, 5, 14, 11);
	assert_true(listbox_scroll(&l, 9));
	assert_rows(&l, 10, 14, 23, 14);
	assert_true(listbox_scroll(&l, -12));
	assert_rows(&l, 10, 2, 11, 11);
	listbox_select(&l, &(struct list_key){ { 50 } });
	assert_rows(&l, 10, 45, 54, 50); /* a jump lands in the middle */
	/* a higher screen leaves no empty rows */
	assert_true(listbox_end(&l, -1));
	assert_rows(&l, 10, 91, 100, 100);
	assert_rows(&l, 40, 61, 100, 100);
	assert_rows(&l, 1, 100, 100, 100);
}

static void empty_and_short(void **state)
{
	struct numbers s = { .n = 0 };
	struct list_key rows[8];
	struct listbox l;

	(void)state;
	listbox_init(&l, &ops, &s);
	assert_int_equal(listbox_rows(&l, 5, rows), 0);
	assert_false(listbox_move(&l, 1));
	assert_false(listbox_end(&l, -1));
	assert_false(listbox_scroll(&l, 1));
	assert_false(listbox_page(&l, 1));
	s.n = 2;
	assert_int_equal(listbox_rows(&l, 5, rows), 2);
	assert_rows(&l, 5, 1, 2, 2);
}

/* Rows that come and go. */
static void changing(void **state)
{
	struct numbers s = { .n = 20 };
	struct listbox l;

	(void)state;
	listbox_init(&l, &ops, &s);
	assert_rows(&l, 5, 16, 20, 20);
	s.n = 30; /* new rows below move nothing */
	listbox_validate(&l);
	assert_rows(&l, 5, 16, 20, 20);
	listbox_select(&l, &(struct list_key){ { 18 } });
	s.gap = 18;
	listbox_validate(&l);
	assert_int_not_equal(l.cursor.v[0], 18);
	s.gap = 0;
	s.n = 7;
	listbox_validate(&l);
	assert_rows(&l, 5, 3, 7, 7);
	s.n = 0;
	listbox_validate(&l);
	assert_false(l.placed);
}

/* A million rows cost no more than a hundred. */
static void bounded(void **state)
{
	struct numbers s = { .n = 1000000 };
	struct list_key rows[64];
	struct listbox l;

	(void)state;
	listbox_init(&l, &ops, &s);
	listbox_rows(&l, 50, rows);
	assert_in_range(s.asked, 0, 300);
	s.asked = 0;
	listbox_end(&l, 1);
	listbox_rows(&l, 50, rows);
	assert_in_range(s.asked, 0, 300);
	s.asked = 0;
	listbox_select(&l, &(struct list_key){ { 500000 } });
	listbox_rows(&l, 50, rows);
	assert_in_range(s.asked, 0, 400);
	s.asked = 0;
	listbox_move(&l, 1);
	listbox_rows(&l, 50, rows);
	assert_in_range(s.asked, 0, 300);
}

static void arrays(void **state)
{
	struct list_array a = { .n = 3 };
	struct list_key rows[8];
	struct listbox l;

	(void)state;
	listbox_init(&l, &list_array_ops, &a);
	assert_int_equal(listbox_rows(&l, 8, rows), 3);
	assert_int_equal(l.cursor.v[0], 2);
	a.n = 1;
	listbox_validate(&l);
	assert_int_equal(listbox_rows(&l, 8, rows), 1);
	assert_int_equal(l.cursor.v[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moving), cmocka_unit_test(empty_and_short), cmocka_unit_test(changing),
		cmocka_unit_test(bounded), cmocka_unit_test(arrays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
