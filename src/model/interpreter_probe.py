# Runs inside the sandbox with the interpreter in question; one JSON object on stdout says what it is.
import json
import os
import platform
import sys

SUPPORT = os.path.dirname(os.path.abspath(__file__))


def sites():
    found = []
    for entry in sys.path:
        path = os.path.abspath(entry or ".")
        if path != SUPPORT and os.path.isdir(path) and path not in found:
            found.append(path)
    return found


def packages(folders):
    try:
        from importlib import metadata
    except ImportError:
        return []
    found = {}
    for dist in metadata.distributions(path=folders):
        try:
            about = dist.metadata  # read and parsed anew each time it is asked for
            name, version = about["Name"], about["Version"]
        except Exception:
            continue
        # The first on the path is the one that an import finds.
        if name and version and name.lower() not in found:
            found[name.lower()] = "%s %s" % (name, version)
    return [found[key] for key in sorted(found)]


folders = sites()
sys.stdout.write(json.dumps({
    "version": "%d.%d.%d" % sys.version_info[:3],
    "implementation": platform.python_implementation(),
    "prefix": sys.prefix,
    "base_prefix": getattr(sys, "base_prefix", sys.prefix),
    "platform": platform.platform(),
    "sites": folders,
    "packages": packages(folders),
}))
