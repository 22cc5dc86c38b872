/* Settings as other files of the model use them; those for front ends are in model.h. */
#ifndef TICKMARK_MODEL_SETTINGS_H
#define TICKMARK_MODEL_SETTINGS_H

#include "private.h"

/* Limits of what is attached. */
bool settings_attached(struct workspace *ws, int64_t *files, int64_t *size, struct err *e);
/* ERR_SANDBOX when the setting `tier` asks for more isolation than this machine has. */
bool settings_check_tier(struct workspace *ws, const struct sandbox_caps *caps, struct err *e);
/* user.name of a git configuration file; owned, NULL when it has none. */
char *person_git_name(const char *path);

#endif
