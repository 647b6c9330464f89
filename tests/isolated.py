# SPDX-License-Identifier: Apache-2.0
"""isolated.py PROGRAM ARG... - run a test in a network namespace of its own, where the system lets us.

While a handler that may use the network runs, servers on the same loopback interface trust no local caller. Tests with such handlers
would disturb tests of servers that run at the same time. Where no namespace can be made (by an ordinary account in a chroot, in many
containers) they run all the same, so their tests also run alone: is_parallel is false.
"""
import ctypes
import fcntl
import os
import socket
import struct
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def enter_namespace():
    uid, gid = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET if uid == 0 else CLONE_NEWUSER | CLONE_NEWNET) != 0:
        return False
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        flags = struct.unpack("16sh14x", fcntl.ioctl(control, SIOCGIFFLAGS, struct.pack("16sh14x", b"lo", 0)))[1]
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
    return True


if __name__ == "__main__":
    if not enter_namespace():
        print("# no network namespace of its own", flush=True)
    os.execvp(sys.argv[1], sys.argv[1:])
