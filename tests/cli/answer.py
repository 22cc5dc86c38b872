# Answers what the tests ask about documents: expressions about the JSON in a file, as Python sees it under the name d.
# answer.py FILE EXPRESSION does it once. Without arguments the expressions come through the pipe ".ask" in the current
# folder, are about its file ".out", and the answers go into the pipe ".answer": one of it serves a whole test file,
# because starting Python takes longer than nearly all else that a test does.
import json
import signal
import sys


def answer(path, expression):
    try:
        with open(path) as f:
            return str(eval(expression, {"json": json, "sys": sys, "d": json.load(f)}))
    except Exception as e:
        return "%s: %s" % (type(e).__name__, e)


if sys.argv[1:]:
    print(answer(*sys.argv[1:]))
    sys.exit()
while True:
    signal.alarm(3600)  # nobody is left to ask
    with open(".ask") as f:
        expression = f.read()
    with open(".answer", "w", errors="backslashreplace") as f:
        f.write(answer(".out", expression))
