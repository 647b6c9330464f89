#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_banned.py ROOT - functions that are called nowhere, or only where they belong.

Three reasons: no bound or no error (strcpy, atoi), hidden state (strtok, gmtime), and things that
have one home, so that memory is capped and the world is passed in (malloc, clock_gettime).
"""
import pathlib
import re
import sys

import csource

# Called nowhere in C that we write.
BANNED = """
    strcpy strcat strncpy strncat stpcpy sprintf vsprintf gets strtok strtok_r
    atoi atol atoll atof strtol strtoul strtoll strtoull
    gmtime localtime ctime asctime mktime system popen alloca tmpnam mktemp
""".split()

# Called in the library only by these files; an empty list is nobody. A new row needs its reason.
_MEMORY = ["base/arena.c", "base/buf.c",
           "base/file.c",      # bt_dir_open() makes a handle
           "sandbox/host_pool.c",  # so do bt_host_pool_open() and bt_host_pool_add()
           "http/address_counts.c", "http/connection.c", "http/job.c", "http/server.c", "net/tls.c", "http/workers.c"]  # handles of the server
_WORLD = ["base/env.c", "base/clock.c"]
_BIRTH = ["sandbox/process.c", "sandbox/jail.c", "sandbox/guard.c", "sandbox/python.c", "sandbox/server_process.c"]  # processes are made here only
LIBRARY = {
    **dict.fromkeys("malloc calloc realloc free strdup strndup aligned_alloc posix_memalign".split(), _MEMORY),
    **dict.fromkeys("time clock gettimeofday clock_gettime getrandom getentropy".split(), _WORLD),
    **dict.fromkeys("fork vfork execve _exit posix_spawn".split(), _BIRTH),
    **dict.fromkeys("SSL_CTX_new SSL_new".split(), ["net/tls.c"]),
    "getaddrinfo": ["net/dns.c", "net/socket_address.c"],  # the first has deadlines, the second takes digits only
    "getenv": ["net/tls.c",  # the two variables that OpenSSL itself would read
               "ledger/memory_folder.c"],  # those of the account, whose memory every program on it shares
    # Library code neither prints nor logs nor exits, and asks neither the locale nor the environment.
    **dict.fromkeys("""printf fprintf vprintf puts putchar perror syslog exit quick_exit abort
                       rand random srand srandom setenv setlocale strtod
                       """.split(), []),
}


def calls(names, text):
    """(line, name) for each call of one of the names; not members, not definitions of others."""
    pattern = re.compile(r"(?<![\w.>])(" + "|".join(names) + r")\s*\(")
    for match in pattern.finditer(text):
        yield csource.line_of(text, match.start()), match.group(1)


def check(root):
    root = pathlib.Path(root)
    complaints = []
    for path in csource.files(root, ["include", "src", "app", "tests", "fuzz"], {".c", ".h", ".inc"}):
        text = csource.blank(path.read_text())
        name = path.relative_to(root).as_posix()
        for line, function in calls(BANNED, text):
            complaints.append(f"{name}:{line}: {function}() is banned")
        if not name.startswith("src/"):
            continue
        for line, function in calls(LIBRARY, text):
            if name[len("src/"):] not in LIBRARY[function]:
                homes = ", ".join(LIBRARY[function]) or "no file of the library"
                complaints.append(f"{name}:{line}: {function}() may be called in {homes}")
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(sys.argv[1])))
