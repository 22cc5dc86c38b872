/*
 * mcp: tickmark as a server of the Model Context Protocol over stdio, for assistants. Serves both eras
 * of the protocol, chosen per request: revisions up to 2025-11-25 (a session begun by initialize) and
 * 2026-07-28 (every request says its revision). Every run is an attempt like any other: recorded with
 * who asked, seen live by whoever has the screen open.
 */
#ifndef TICKMARK_MCP_H
#define TICKMARK_MCP_H

/* Serves on stdin and stdout until stdin ends; nothing is made or opened before the first request that
 * needs it. `dir`: folder of the workspace, or where one is to be made by the first run; NULL: the
 * current one. Returns the exit status: 0, or 2 with a line on stderr. */
int mcp_main(const char *dir);

#endif
