/* Picks the front end; so far there is one. */
#include "cli.h"

int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
