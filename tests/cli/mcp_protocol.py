"""The protocol in both eras, and a client that does not keep to it."""
from mcp import *

NONE = repr(None)

# ---- the legacy era
s = Server(greet=False)
m = s.ask("tools/list")
ok("a request before initialize", m["error"]["code"] == -32600 and "initialize" in m["error"]["message"], m)
eq("ping before initialize", s.ask("ping")["result"], {})
m = s.ask("tools/list", meta={META + "clientInfo": {"name": "x", "version": "1"}})
eq("half of the modern members", m["error"]["code"], -32602)
for wanted, given in (("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-03-26"), ("2024-11-05", "2024-11-05"),
                      ("1999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25"), (17, "2025-11-25"), (None, "2025-11-25")):
    m = s.ask("initialize", {"protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "n", "version": "v"}})
    eq("initialize %s" % wanted, m["result"]["protocolVersion"], given)
eq("initialize without params", s.ask("initialize")["result"]["serverInfo"]["name"], "tickmark")
eq("capabilities", m["result"]["capabilities"], {"tools": {}, "resources": {}})
for method in "server/discover", "subscriptions/listen", "logging/setLevel", "nope", "tools/call/x", "":
    eq("no method %r" % method, s.ask(method)["error"]["code"], -32601)

# ---- ids
for id in 0, "server-discover-probe-1", -5, 9007199254740993, "", "Zoë \u0000 😀":
    m = s.ask("ping", id=id)
    ok("id %s comes back with its type" % ascii(id), m.get("id") == id and type(m.get("id")) is type(id), m)
s.send({"jsonrpc": "2.0", "id": None, "method": "ping"})
s.until(lambda: NONE in s.answers)
eq("id null", s.answers[NONE][-1]["error"]["code"], -32600)


def wrong(name, data, code):
    before = len(s.answers.get(NONE, []))
    s.raw(data)
    s.until(lambda: len(s.answers.get(NONE, [])) > before)
    got = s.answers[NONE][before:]
    eq(name, [a["error"]["code"] for a in got], [code])
    eq(name + ": it goes on", s.ask("ping")["result"], {})


wrong("id true", b'{"jsonrpc":"2.0","id":true,"method":"ping"}\n', -32600)
wrong("id 1.5", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600)
wrong("a stray array", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n', -32600)
wrong("an empty array", b"[]\n", -32600)
wrong("no JSON", b"hello\n", -32700)
wrong("half of an object", b'{"jsonrpc":"2.0","id":1\n', -32700)
wrong("bytes that are no UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"ping\xff\xfe"}\n', -32700)
wrong("a NUL", b'{"jsonrpc":"2.0","id":1,"method":"ping"}\x00\n', -32700)
wrong("deep nesting", b"[" * 100000 + b"\n", -32700)
wrong("deep nesting, closed", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 5000 + b"]" * 5000 + b"}\n", -32700)
wrong("a key twice", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}\n', -32700)
wrong("a text", b'"ping"\n', -32600)
wrong("a number", b"1\n", -32600)
wrong("no method and no result", b'{"jsonrpc":"2.0"}\n', -32600)
wrong("33 MB", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"x" * (33 << 20) + b'"}}\n', -32600)
for version in "1.0", 2, None:
    s.send({"jsonrpc": version, "id": 400, "method": "ping"})
    s.until(lambda: "400" in s.answers)
    eq("jsonrpc %r" % version, s.answers.pop("400")[0]["error"]["code"], -32600)
m = s.ask("ping", {"x": "y" * (11 << 20)})
eq("an answer to 11 MB", m["result"], {})
s.raw(b'{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n\r\n\n')
eq("CRLF and empty lines", s.answer("crlf")["result"], {})
s.raw(b'{"id":"order","params":{},"extra":[1],"method":"ping","jsonrpc":"2.0"}\n')
eq("other order, unknown members", s.answer("order")["result"], {})
for piece in b'{"jsonrpc":"2.0",', b'"id":"pieces","met', b'hod":"ping"}', b"\n":
    s.raw(piece)
eq("in pieces", s.answer("pieces")["result"], {})
s.send({"jsonrpc": "2.0", "id": 401, "method": "ping"})
eq("without params", s.answer(401)["result"], {})
s.send({"jsonrpc": "2.0", "id": 402, "method": "tools/list", "params": [1]})
eq("params that are an array", s.answer(402)["error"]["code"], -32602)

# ---- notifications are never answered
before = sum(map(len, s.answers.values()))
for note in ({"method": "notifications/nope"}, {"method": "tools/call", "params": {"name": "run_python"}}, {"method": "notifications/cancelled"},
             {"method": "notifications/cancelled", "params": {"requestId": {}}}, {"method": "notifications/cancelled", "params": [3]},
             {"method": "notifications/cancelled", "params": {"requestId": 12345}}, {"method": "initialize", "params": 5}, {"id": 5, "result": {}}, {"id": 6, "error": {}}):
    s.send(dict(note, jsonrpc="2.0"))
s.ask("ping")
eq("no answer to notifications and replies", sum(map(len, s.answers.values())), before + 1)

# ---- tools and resources, wrongly asked
for params in ({}, {"name": 5}, {"name": "nope"}, {"name": "nope", "arguments": []}):
    eq("tools/call %r" % params, s.ask("tools/call", params)["error"]["code"], -32602)
m = s.ask("tools/call", {"name": "list_files", "arguments": [1]})
eq("arguments that are an array", m["result"]["isError"], True)
m = s.ask("tools/call", {"name": "list_files"})
eq("no arguments at all", m["result"]["isError"], False)
eq("resources/read without uri", s.ask("resources/read")["error"]["code"], -32602)
eq("a resource that is none", s.ask("resources/read", {"uri": "x"})["error"]["code"], -32002)
eq("a wrong cursor", s.ask("resources/list", {"cursor": "zzz"})["error"]["code"], -32602)
eq("the cursor that says nothing", s.ask("resources/list", {"cursor": ""})["result"]["resources"], [])
eq("a list cursor of tools", len(s.ask("tools/list", {"cursor": ""})["result"]["tools"]), 10)
ok("nothing was made by any of it", not os.path.exists(".tickmark"))

# ---- the modern era, in the same process
s.era = "modern"
m = s.ask("server/discover")["result"]
eq("discover", (m["resultType"], m["supportedVersions"], m["ttlMs"], m["cacheScope"]), ("complete", ["2026-07-28"], 0, "private"))
eq("discover: who", m["_meta"][META + "serverInfo"]["name"], "tickmark")
for method in "tools/list", "resources/list", "resources/templates/list":
    m = s.ask(method)["result"]
    eq("modern " + method, (m["resultType"], m["ttlMs"], m["cacheScope"]), ("complete", 0, "private"))
for method in "ping", "logging/setLevel", "resources/subscribe", "nope":
    eq("modern: no " + method, s.ask(method)["error"]["code"], -32601)
for version in "2030-01-01", "2025-11-25", "":
    m = s.ask("tools/list", meta={META + "protocolVersion": version})["error"]
    eq("modern: version %r" % version, (m["code"], m["data"]), (-32022, {"supported": ["2026-07-28"], "requested": version}))
eq("modern: no capabilities", s.ask("tools/list", meta={META + "clientCapabilities": None})["error"]["code"], -32602)
eq("modern: a resource that is none", s.ask("resources/read", {"uri": "x"})["error"]["code"], -32602)
id = s.start("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
s.until(lambda: any(n["method"] == "notifications/subscriptions/acknowledged" for n in s.notes))
eq("listen: acknowledged", [n["params"]["_meta"][META + "subscriptionId"] for n in s.notes], [id])
s.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
s.era = "legacy"
eq("legacy after modern", s.ask("ping")["result"], {})
ok("listen: no answer", repr(id) not in s.answers)
m = s.ask("initialize", {"protocolVersion": "2025-11-25", "_meta": {META + "protocolVersion": "2026-07-28"}})
eq("initialize is legacy, whatever it says", m["result"]["protocolVersion"], "2025-11-25")

# ---- batches: one revision has them
s.ask("initialize", {"protocolVersion": "2025-03-26", "clientInfo": {"name": "b", "version": "1"}})
s.raw(b'[{"jsonrpc":"2.0","id":"b1","method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":"b2","method":"nope"},5]\n')
s.until(lambda: "batch" in s.answers)
eq("a batch is answered as one", [a.get("id") for a in s.answers["batch"][0]], ["b1", "b2", None])
s.raw(b'[{"jsonrpc":"2.0","method":"notifications/x"}]\n')
eq("a batch of notifications is not answered", (s.ask("ping")["result"], len(s.answers["batch"])), ({}, 1))
eq("nothing but protocol on stdout", s.bad, [])
s.raw(b'{"jsonrpc":"2.0","id":"half","method":"pi')
s.close()
ok("half a line at the end is nothing", repr("half") not in s.answers and s.p.returncode == 0, s.p.returncode)

# ---- lists are the same for everybody
a, b = Server(), Server(era="modern")
eq("tools in both eras", a.ask("tools/list")["result"]["tools"], b.ask("tools/list")["result"]["tools"])
for one in a, b:
    one.close()
finish()
