# Read a file outside the folder
# purpose: A script that looks around finds nothing: the home folder is a throw-away one without a file of
# yours, and mounting something is refused and written down.
import ctypes
import os

print("home:", sorted(n for n in os.listdir(os.path.expanduser("~")) if n[0] != "."))
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) != 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), "mount")
