# SPDX-License-Identifier: Apache-2.0
"""secret_scan.py - find private keys and tokens in the files of a release, also in the members of archives.

Keys of names below `.example`, which nobody can own, are published examples of the specification and of the tests.
"""
import re

import archive

DEPTH_MAX = 4

BATON_KEY = re.compile(rb"PRIVATE\+KEY\+([A-Za-z0-9._/-]{1,200})\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}")
EXAMPLE_NAME = re.compile(rb"(?:[a-z0-9-]+\.)*example(?:/.*)?")
PEM_KEY = re.compile(rb"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----\s+(?:[A-Za-z0-9+/=]{40,}\s*)+")
TOKEN = re.compile(rb"(?<![A-Za-z0-9_-])bt_([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])")


def is_random(text):
    """A name in C is not a token: 32 random bytes in base64url have upper-case and lower-case letters and digits."""
    return all(re.search(kind, text) for kind in (rb"[A-Z]", rb"[a-z]", rb"[0-9]"))


def find_in_bytes(data):
    """What kinds of secrets stand in the bytes; never the secrets."""
    if any(not EXAMPLE_NAME.fullmatch(found[1]) for found in BATON_KEY.finditer(data)):
        yield "a private key of a ledger"
    if PEM_KEY.search(data):
        yield "a private key"
    if any(is_random(found[1]) for found in TOKEN.finditer(data)):
        yield "an access token"


def is_system_layer(members):
    """The layer with the account holds packages of Debian, whose SHA-256 is known; libgnutls has keys of its self-tests in it."""
    return any(member.name == "etc/passwd" for member in members)


def find(name, data, depth=0):
    """Complaints about a file and, if it is an archive, about its members."""
    for what in find_in_bytes(data):
        yield f"{name}: {what}"
    if depth < DEPTH_MAX:
        members = list(inner(name, data))
        for member in [] if is_system_layer(members) else members:
            if member.content is not None:
                yield from find(f"{name}!{member.name}", member.content, depth + 1)


def inner(name, data):
    """Members of a file that is an archive by its first bytes, whatever it is called."""
    if data.startswith(b"!<arch>\ndebian-binary"):
        return archive.deb_part(data, "control") + archive.deb_part(data, "data")
    if data.startswith(b"PK\x03\x04"):
        return archive.read_zip(data)
    is_packed = data.startswith((b"\xfd7zXZ\0", b"\x1f\x8b"))
    if is_packed or data[257:262] == b"ustar":
        try:
            return list(archive.read_tar(data))
        except archive.Unreadable:  # compressed, but not a tar: a page of the manual
            return [archive.Member("content", content=archive.unpack(data))] if is_packed else []
    return []
