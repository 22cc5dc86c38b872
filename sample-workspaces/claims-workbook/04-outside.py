# Read a file outside the folder
# purpose: A script that looks around finds nothing: the home folder is an empty throw-away one, and
# mounting or tracing is refused and written down.
import ctypes
import os

print("home:", sorted(os.listdir(os.path.expanduser("~"))))
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) != 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "mount")
