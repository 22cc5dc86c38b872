"""A scripted model on loopback, as the Gemini API: calls run_python once, then says it is done. python3 model.py PORT LOG"""
import json, sys, http.server
port = int(sys.argv[1]); log = open(sys.argv[2], "w")
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try: d = json.loads(body)
        except Exception: d = {}
        log.write(self.path + " " + json.dumps(d) + "\n"); log.flush()
        contents = d.get("contents", [])
        seen = any("functionResponse" in p for c in contents for p in c.get("parts", []))
        tools = [f["name"] for t in d.get("tools", []) for f in t.get("functionDeclarations", [])]
        if "stream" in self.path and not seen and any("run_python" in t for t in tools):
            name = [t for t in tools if "run_python" in t][0]
            parts = [{"functionCall": {"name": name, "args": {"code": "print(6*7)", "title": "From Gemini"}}}]
        else:
            parts = [{"text": "done, it is 42"}]
        r = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}], "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "gemini-2.5-flash"}
        if "stream" in self.path:
            out = ("data: " + json.dumps(r) + "\r\n\r\n").encode(); ct = "text/event-stream"
        else:
            out = json.dumps(r).encode(); ct = "application/json"
        self.send_response(200); self.send_header("content-type", ct); self.send_header("content-length", str(len(out))); self.end_headers(); self.wfile.write(out)
    do_GET = do_POST
http.server.ThreadingHTTPServer(("127.0.0.1", port), H).serve_forever()
