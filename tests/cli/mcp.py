"""A client of `tickmark mcp` for tests, and TAP. One reader thread; answers are awaited, never slept for."""
import json, os, queue, subprocess, sys, threading, time

TICKMARK = os.environ["TICKMARK"]
GUARD = 120  # seconds; only keeps a broken program from hanging the suite
META = "io.modelcontextprotocol/"
count = 0


def ok(name, good, *seen):
    global count
    count += 1
    print(("ok" if good else "not ok"), count, "-", name, flush=True)
    if not good:
        for s in seen:
            print("#  ", ascii(s)[:1500], flush=True)
    return good


def eq(name, got, wanted):
    return ok(name, got == wanted, got, wanted)


def has(name, text, part):
    return ok(name, part in text, text, part)


def finish():
    print("1..%d" % count, flush=True)


class Server:
    def __init__(self, *args, era="legacy", version="2025-11-25", name="probe", greet=True, env=None):
        self.p = subprocess.Popen([TICKMARK, "mcp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.era, self.next_id, self.name = era, 0, name
        self.answers, self.notes, self.bad, self.largest = {}, [], [], 0
        self.changed = threading.Condition()
        self.ended = False
        threading.Thread(target=self.reader, daemon=True).start()
        if greet and era == "legacy":
            self.hello = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                                 "clientInfo": {"name": name, "version": "1.2"}})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def reader(self):
        for line in self.p.stdout:
            with self.changed:
                self.largest = max(self.largest, len(line))
                try:
                    m = json.loads(line.decode("utf-8"))
                    for one in m if isinstance(m, list) else [m]:
                        assert one["jsonrpc"] == "2.0"
                        if "method" in one:
                            self.notes.append(one)
                        else:
                            self.answers.setdefault(repr(one.get("id")), []).append(one)
                    if isinstance(m, list):
                        self.answers.setdefault("batch", []).append(m)
                except Exception as e:
                    self.bad.append((repr(e), line[:200]))
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def raw(self, data):
        try:
            self.p.stdin.write(data)
            self.p.stdin.flush()
        except BrokenPipeError:
            pass

    def send(self, m):
        self.raw((json.dumps(m) + "\n").encode())

    def start(self, method, params=None, id=None, token=None, meta=None):
        if id is None:
            id, self.next_id = self.next_id, self.next_id + 1
        params = dict(params or {})
        extra = dict(meta or {})
        if token is not None:
            extra["progressToken"] = token
        if self.era == "modern":
            extra.setdefault(META + "protocolVersion", "2026-07-28")
            extra.setdefault(META + "clientCapabilities", {})
            extra.setdefault(META + "clientInfo", {"name": self.name, "version": "1.2"})
        if extra:
            params["_meta"] = extra
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def until(self, test):
        end = time.time() + GUARD
        with self.changed:
            while not test():
                if self.ended or time.time() > end:
                    return test()
                self.changed.wait(1)
        return True

    def answer(self, id):
        self.until(lambda: repr(id) in self.answers)
        return self.answers.get(repr(id), [{"none": True}])[0]

    def ask(self, method, params=None, **more):
        return self.answer(self.start(method, params, **more))

    def begin(self, tool, token=None, meta=None, **args):
        return self.start("tools/call", {"name": tool, "arguments": args}, token=token, meta=meta)

    def tool(self, tool, meta=None, **args):
        return Result(self.answer(self.begin(tool, meta=meta, **args)))

    def close(self):
        """Ends the input; seconds until the server was gone."""
        t = time.time()
        try:
            self.p.stdin.close()
        except BrokenPipeError:
            pass
        self.p.wait(GUARD)
        return time.time() - t


class Result:
    def __init__(self, m):
        self.message = m
        r = m.get("result", {})
        self.content = r.get("content", [])
        self.text = "".join(c.get("text", "") for c in self.content if c["type"] == "text")
        self.error = r.get("isError")
        self.links = [c["uri"] for c in self.content if c["type"] == "resource_link"]
        self.images = [c for c in self.content if c["type"] == "image"]


def show(ref, member="state"):
    out = subprocess.run([TICKMARK, "show", ref, "--json"], capture_output=True)
    return json.loads(out.stdout)[member] if out.returncode == 0 else None


def wait_for(test):
    end = time.time() + GUARD
    while time.time() < end:
        if test():
            return True
        time.sleep(0.05)
    return False
