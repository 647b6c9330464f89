# SPDX-License-Identifier: Apache-2.0
"""archive.py - read the members of tar, zip and ar files; write tar files whose bytes depend on their content alone."""
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib

MEMBER_BYTES_MAX = 1 << 30
MEMBERS_MAX = 200_000


class Unreadable(Exception):
    """The file is not the archive that its name promises."""


class Member:
    """One member: a regular file with `content`, a link with `target`, or a folder."""

    def __init__(self, name, mode=0o644, content=None, target=None, uid=0, gid=0):
        self.name, self.mode, self.content, self.target, self.uid, self.gid = name, mode, content, target, uid, gid

    def is_folder(self):
        return self.content is None and self.target is None


def file_mode(mode):
    """Only whether it can be run is kept: what else a mode says depends on who built it."""
    return 0o755 if mode & stat.S_IXUSR else 0o644


def tar_bytes(members, epoch, keep_modes=False):
    """A pax tar, sorted by name, with one time and without names of users."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for member in sorted(members, key=lambda member: member.name.encode()):
            info = tarfile.TarInfo(member.name)
            info.mtime, info.uid, info.gid = epoch, member.uid, member.gid
            if member.target is not None:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, member.target, 0o777
            elif member.is_folder():
                info.type, info.mode = tarfile.DIRTYPE, member.mode if keep_modes else 0o755
            else:
                info.size, info.mode = len(member.content), member.mode if keep_modes else file_mode(member.mode)
            tar.addfile(info, io.BytesIO(member.content) if member.content is not None else None)
    return out.getvalue()


def xz_bytes(data):
    """One thread and one block, so that the number of cores does not show."""
    return lzma.compress(data, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, preset=6)


def gzip_bytes(data):
    """Level 9, without a name and without a time."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
        file.write(data)
    return out.getvalue()


def unpack(data):
    """The bytes of a gzip or xz file."""
    try:
        return lzma.decompress(data) if data.startswith(b"\xfd7zXZ\0") else gzip.decompress(data)
    except (lzma.LZMAError, EOFError, OSError, zlib.error) as why:
        raise Unreadable(str(why)) from why


def read_tar(data):
    """Members of a tar that may be compressed, in their order."""
    if data.startswith((b"\xfd7zXZ\0", b"\x1f\x8b")):
        data = unpack(data)  # to its end, where the checksum is
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for number, info in enumerate(tar):
                if number >= MEMBERS_MAX or info.size > MEMBER_BYTES_MAX:
                    raise Unreadable("too large")
                name = info.name.removeprefix("./")
                if info.isreg() or info.islnk():
                    yield Member(name, info.mode, tar.extractfile(info).read(), None, info.uid, info.gid)
                elif info.issym():
                    yield Member(name, info.mode, None, info.linkname, info.uid, info.gid)
                elif info.isdir():
                    yield Member(name, info.mode, None, None, info.uid, info.gid)
                else:
                    raise Unreadable(f"{name}: neither a file, a link nor a folder")
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, KeyError) as why:
        raise Unreadable(str(why)) from why


def read_zip(data):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist()[:MEMBERS_MAX]:
                if info.file_size > MEMBER_BYTES_MAX:
                    raise Unreadable("too large")
                if not info.is_dir():
                    yield Member(info.filename, info.external_attr >> 16, archive.read(info))
    except (zipfile.BadZipFile, OSError) as why:
        raise Unreadable(str(why)) from why


def read_ar(data):
    """Members of a Debian package: name and bytes."""
    if not data.startswith(b"!<arch>\n"):
        raise Unreadable("not an ar file")
    at = 8
    while at + 60 <= len(data):
        name, size = data[at:at + 16].decode("ascii", "replace").strip().rstrip("/"), data[at + 48:at + 58].strip()
        if data[at + 58:at + 60] != b"`\n" or not size.isdigit() or at + 60 + int(size) > len(data):
            raise Unreadable("a damaged ar file")
        yield name, data[at + 60:at + 60 + int(size)]
        at += 60 + int(size) + int(size) % 2


def deb_part(data, part):
    """The members of `control` or `data` of a Debian package."""
    for name, content in read_ar(data):
        if name.startswith(part + ".tar"):
            return list(read_tar(content))
    raise Unreadable(f"no {part}.tar")


def is_tar(name):
    return name.endswith((".tar", ".tar.xz", ".tar.gz", ".tgz"))


def members(name, data):
    """The members of an artefact by its name; none for what is not an archive."""
    if name.endswith(".deb"):
        return deb_part(data, "data")
    if name.endswith((".whl", ".zip")):
        return list(read_zip(data))
    return list(read_tar(data)) if is_tar(name) else []
