/* An image, as large as the screen has room for. */
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "pixels.h"
#include "text/picture.h"

struct picture_view {
	struct view view;
	struct file_place place;
	struct picture picture; /* owned */
	struct reading_image facts;
	char *title;
};

static struct picture_view *picture_of(struct view *v)
{
	return (struct picture_view *)v;
}

static void picture_draw(struct view *view, struct canvas *c, struct rect r)
{
	struct picture_view *v = picture_of(view);
	uint32_t cols, rows;

	if (r.w < 1 || r.h < 1)
		return;
	picture_fit(&v->picture, (uint32_t)r.w, (uint32_t)r.h, &cols, &rows);
	for (uint32_t i = 0; i < rows; i++)
		pixels_draw(view->ui, c, r, r.x, r.y + (int)i, &v->picture, cols, rows, i);
}

static void picture_title(struct view *view, struct buf *left, struct buf *right)
{
	struct picture_view *v = picture_of(view);

	buf_addf(left, "%s", v->title);
	buf_addf(right, "%u x %u pixels", v->facts.width, v->facts.height);
	if (v->facts.frames > 1 || v->facts.cut)
		buf_adds(right, ", the first of several images");
}

static unsigned next_look(struct view *v, const char *arg)
{
	(void)arg;
	return look_switch(v, &picture_of(v)->place, 1);
}

static unsigned prev_look(struct view *v, const char *arg)
{
	(void)arg;
	return look_switch(v, &picture_of(v)->place, -1);
}

static bool picture_subject(struct view *view, struct subject *out)
{
	return file_place_subject(&picture_of(view)->place, out);
}

static void view_free(struct view *view)
{
	struct picture_view *v = picture_of(view);

	picture_free(&v->picture);
	file_place_free(&v->place);
	free(v->title);
	free(v);
}

static const struct view_action actions[] = {
	{ CMD_NEXT_LOOK, next_look }, { CMD_PREV_LOOK, prev_look }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_BACK, "back" }, { CMD_NEXT_LOOK, "hex" }, { CMD_NOTE, "note" }, { CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Picture", .place = PLACE_PAGER, .actions = actions, .hints = hints, .draw = picture_draw, .title = picture_title,
	.subject = picture_subject, .free = view_free,
};

struct view *view_picture_new(struct ui *ui, const struct pager_spec *spec, const struct picture *picture, const struct reading_image *facts)
{
	struct picture_view *v = xcalloc(1, sizeof(*v));
	size_t n = (size_t)picture->width * picture->height * 3;

	v->view = (struct view){ .ops = &ops, .ui = ui };
	v->place = file_place_of(spec);
	v->facts = *facts;
	v->picture = *picture;
	v->picture.rgb = xreallocarray(NULL, n + 1, 1);
	memcpy(v->picture.rgb, picture->rgb, n);
	v->title = look_title(ui, &v->place);
	return &v->view;
}
