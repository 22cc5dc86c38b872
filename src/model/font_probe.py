# Runs inside the sandbox, once per environment: lets matplotlib build its list of fonts and prints
# where it keeps it (relative to HOME), a newline, and the list.
import glob
import os
import sys

import matplotlib
import matplotlib.font_manager

home = os.path.expanduser("~")
for path in glob.glob(os.path.join(matplotlib.get_cachedir(), "fontlist-*.json")):
    with open(path) as f:
        sys.stdout.write(os.path.relpath(path, home) + "\n" + f.read())
    break
