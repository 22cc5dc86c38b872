"""A scripted model on loopback, for whole assistants: calls run_python once, then says that it is done. It speaks as
the APIs of Gemini (generateContent), Anthropic (messages) and OpenAI (responses) do, as far as their clients need.
python3 model.py PORT LOG; LOG gets a line for each request: its path and its body."""
import http.server
import json
import sys

ARGS = {"code": "print(6*7)", "title": "From the model"}
DONE = "done, it is 42"
LOG = open(sys.argv[2], "w")


def sse(events):
    return "".join("event: %s\ndata: %s\n\n" % (e["type"], json.dumps(e)) for e in events)


def gemini(path, d):
    parts = [p for c in d.get("contents", []) for p in c.get("parts", [])]
    names = [f["name"] for t in d.get("tools", []) for f in t.get("functionDeclarations", []) if "run_python" in f["name"]]
    streams = "stream" in path
    if streams and names and not any("functionResponse" in p for p in parts):
        parts = [{"functionCall": {"name": names[0], "args": ARGS}}]
    else:
        parts = [{"text": DONE}]
    answer = json.dumps({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                         "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
                         "modelVersion": "gemini-2.5-flash"})
    return ("text/event-stream", "data: %s\r\n\r\n" % answer) if streams else ("application/json", answer)


def anthropic(path, d):
    if "count_tokens" in path:
        return "application/json", json.dumps({"input_tokens": 1})
    blocks = [b for m in d.get("messages", []) if isinstance(m["content"], list) for b in m["content"]]
    names = [t["name"] for t in d.get("tools", []) if t["name"].endswith("run_python")]
    calls = names and not any(b.get("type") == "tool_result" for b in blocks)
    block = {"type": "tool_use", "id": "toolu_probe1", "name": names[0], "input": ARGS} if calls else {"type": "text", "text": DONE}
    reason = "tool_use" if calls else "end_turn"
    message = {"id": "msg_probe", "type": "message", "role": "assistant", "model": d.get("model", "m"), "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    if not d.get("stream"):
        return "application/json", json.dumps(dict(message, content=[block], stop_reason=reason))
    empty = dict(block, input={}) if calls else dict(block, text="")
    delta = {"type": "input_json_delta", "partial_json": json.dumps(ARGS)} if calls else {"type": "text_delta", "text": DONE}
    return "text/event-stream", sse([
        {"type": "message_start", "message": message}, {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"}])


def openai(path, d):
    items = d.get("input", [])
    seen = any(i.get("type") == "function_call_output" for i in items if isinstance(i, dict))
    if seen:
        item = {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": DONE}]}
    else:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "run_python", "namespace": "mcp__tickmark",
                "arguments": json.dumps(ARGS)}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}
    return "text/event-stream", sse([
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}}])


class Model(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            d = json.loads(body)
        except ValueError:
            d = {}
        LOG.write(self.path + " " + json.dumps(d) + "\n")
        LOG.flush()
        speak = anthropic if "/messages" in self.path else openai if "/responses" in self.path else gemini
        kind, text = speak(self.path, d)
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
