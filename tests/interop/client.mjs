// A client made with the official SDKs uses the server: node client.mjs v1|legacy|auto|pin SERVER ARG...
// Status 0: everything was as it should be. Runs in a folder that holds the packages (NODE_PATH knows nothing of modules).
const [era, cmd, ...args] = process.argv.slice(2), v1 = era === "v1";
const B = v1 ? "@modelcontextprotocol/sdk/client/" : "@modelcontextprotocol/client";
const { Client } = await import(v1 ? B + "index.js" : B);
const { StdioClientTransport } = await import(v1 ? B + "stdio.js" : B + "/stdio");
const c = new Client({ name: "interop-" + era, version: "1" }, {
  capabilities: {}, ...(v1 ? {} : { versionNegotiation: { mode: era === "pin" ? { pin: "2026-07-28" } : era } }),
});
const must = (name, good, seen) => {
  console.log(good ? "ok  " : "BAD ", name, good ? "" : JSON.stringify(seen));
  if (!good) process.exitCode = 1;
};
// Fires on any line that is no message, and on progress that came glued to its reply.
c.onerror = (e) => must("no error of the client", false, e.message);
await c.connect(new StdioClientTransport({ command: cmd, args, stderr: "inherit" })); // with the thin environment of clients
const call = (name, a, o) => (v1 ? c.callTool({ name, arguments: a }, undefined, o) : c.callTool({ name, arguments: a }, o));
const fails = async (name, f, code) => {
  try { must(name, false, await f()); } catch (e) { must(name, e.code === code, [e.code, e.message]); }
};
must("server", c.getServerVersion().name === "tickmark", c.getServerVersion());
must("tools", (await c.listTools()).tools.length === 10, 0);
const progress = [];
let r = await call("run_python", { code: "import time\nfor i in range(25): print(i, flush=True); time.sleep(0.1)", title: "From " + era },
  { timeout: 30000, onprogress: (p) => progress.push(p.progress) });
must("run_python", !r.isError && /\d+\.1 ok/.test(r.content[0].text), r);
must("progress came and rises", progress.length > 0 && progress.every((p, i) => i === 0 || p > progress[i - 1]), progress);
for (let i = 0; i < 5; i++) {
  r = await call("run_python", { code: "print(6*7)" }, { timeout: 30000, onprogress: () => {} });
  must("a short run", r.content[0].text.includes("42"), r);
}
r = await call("run_python", { code: "1/0" });
must("a failed run is a result", r.isError && r.content[0].text.includes("retry_of"), r);
const ref = r.content[0].text.split(" ")[0];
r = await call("run_python", { code: "print('mended')", retry_of: ref });
must("its correction", r.content[0].text.includes("corrects " + ref), r);
r = await call("run_python", { code: "import zlib, struct\nh=lambda t,d: struct.pack('>I',len(d))+t+d+struct.pack('>I',zlib.crc32(t+d))\n" +
  "open('a.png','wb').write(b'\\x89PNG\\r\\n\\x1a\\n'+h(b'IHDR',struct.pack('>IIBBBBB',1,1,8,2,0,0,0))+h(b'IDAT',zlib.compress(b'\\0abc'))+h(b'IEND',b''))" });
must("an image", r.content.some((x) => x.type === "image" && x.mimeType === "image/png"), r);
const abort = new AbortController();
const begun = call("run_python", { code: "import time\ntime.sleep(600)" }, { signal: abort.signal, timeout: 60000 });
setTimeout(() => abort.abort("enough"), 1500);
await begun.then((x) => must("cancelled", false, x), () => must("cancelled", true));
const list = (await c.listResources()).resources;
must("resources", list.length > 0, list);
for (const one of list.slice(0, 3)) must("resource " + one.uri, (await c.readResource({ uri: one.uri })).contents[0].text.length > 0, one);
must("templates", (await c.listResourceTemplates()).resourceTemplates.length === 4, 0);
await fails("no such tool", () => call("nope", {}), -32602);
const modern = era === "auto" || era === "pin";
await fails("no such resource", () => c.readResource({ uri: "tickmark://nope" }), modern ? -32602 : -32002);
r = await call("say", { text: `mended in [${ref.replace(/\.1$/, ".2")}]` });
must("say", !r.isError, r);
await c.close();
