"""confine.py ROOT UID PROGRAM [ARGUMENT]...: runs PROGRAM as a container engine would.

In ROOT, as UID in group 0, without capabilities, unable to get any. The caller has made the mounts.
"""

import ctypes
import os
import sys

PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
CAPABILITY_VERSION_3 = 0x20080522

libc = ctypes.CDLL(None, use_errno=True)


def prctl(option, value):
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl({option}, {value}): {os.strerror(number)}")


def drop_bounding_set():
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as f:
        last = int(f.read())
    for capability in range(last + 1):
        prctl(PR_CAPBSET_DROP, capability)


def drop_capabilities():
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    if libc.capset(header, (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), "capset")


root, uid, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
drop_bounding_set()
os.chroot(root)
os.chdir("/")
# In a namespace of its own the user is mapped already.
if os.getuid() != uid:
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(uid, uid, uid)
drop_capabilities()
prctl(PR_SET_NO_NEW_PRIVS, 1)
os.execv(command[0], command)
