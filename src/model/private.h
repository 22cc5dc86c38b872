/* What the files of the model share of a workspace; not for front ends. */
#ifndef TICKMARK_MODEL_PRIVATE_H
#define TICKMARK_MODEL_PRIVATE_H

#include "model.h"
#include "store.h"
#include "sandbox.h"

struct workspace {
	char *root;          /* absolute, resolved */
	char *record;        /* root/.tickmark/record.db, or a review file */
	bool review;         /* of a record from elsewhere: no files, nothing but checks runs */
	int dir;             /* O_PATH|O_DIRECTORY of root */
	int home;            /* of root/.tickmark */
	struct store *store; /* opened on first use by workspace_store; closed before a fork */
	char *notice;        /* or NULL */
	struct sandbox_caps caps; /* valid when caps_known */
	bool caps_known;
};

/* The connection of this process for writing, opened on first use. */
struct store *workspace_store(struct workspace *ws, struct err *e);
/* A forked child must forget the parent's connection without closing it. */
void workspace_forget_store(struct workspace *ws);
/* Opens (making it when needed) .tickmark/NAME as a folder, for cache/…, run/…; -1 on failure. */
int workspace_open_dir(struct workspace *ws, const char *name, struct err *e);
/* Is it a folder that keep_review_folder made? (review_file.c) */
bool review_is_folder(const char *folder);
/* Makes what a .tickmark has beside its record. */
bool workspace_furnish(const char *path, struct err *e);
/* Tier and scratch of this machine: probed once per boot and kept in .tickmark/cache/sandbox. */
bool workspace_caps(struct workspace *ws, const struct sandbox_caps **out, struct err *e);
/* The same outside of any workspace (NULL) too; doctor.c. */
bool doctor_caps(struct workspace *ws, struct sandbox_caps *out, struct err *e);

#endif
