/* Picks the front end: the command line, and from it the screen or the server for assistants. */
#include "cli.h"
#include "mcp.h"
#include "ui.h"

static int open_screen(const struct cli_screen *s)
{
	const struct ui_options options = {
		.script = s->script, .cols = s->cols, .rows = s->rows, .dump = s->dump, .theme = s->theme,
	};

	return ui_main(s->path, &options);
}

int main(int argc, char **argv)
{
	static const struct cli_fronts fronts = { .screen = open_screen, .mcp = mcp_main, .keys = ui_keys_table,
		                                  .check_setting = ui_check_setting };

	return cli_main(argc, argv, &fronts);
}
