# SPDX-License-Identifier: Apache-2.0
"""crash_states.py - what a power cut may leave of what a program did to files.

Bytes of a file are safe once it was synced; before that it has what it had, or what was written, or half of it. A name is safe once its
folder was synced; before that some of the folder's changes have happened, in their order, and the rest have not."""
import itertools
import os

HALF = "half"


class File:
    def __init__(self):
        self.now, self.safe = bytearray(), b""

    def left(self, how):
        """What is left of it: all that was written, half of it, or what was safe."""
        if how == "now" or bytes(self.now) == self.safe:
            return bytes(self.now)
        return self.safe if how == "safe" else bytes(self.now[:(len(self.safe) + len(self.now)) // 2])


class Disk:
    """Files below a folder, as the program sees them and as they are safe."""

    def __init__(self, root, ignores=()):
        self.root, self.ignores = str(root), ignores
        self.files, self.names, self.safe, self.changes = {}, {}, {}, {}
        self.folders = {os.stat(root).st_ino: self.root}

    # ---- What the program does

    def apply(self, lines):
        """Apply a trace call by call; yields after each that could make a difference."""
        for line, after in itertools.zip_longest(lines, lines[1:], fillvalue=""):
            word, *rest = line.split(" ")
            if word not in self.ignores and getattr(self, word)(rest, after):
                yield

    def entry(self, rest, after):
        inode, path = rest[0], rest[1]
        if not path.startswith(self.root + "/"):
            return False
        file = self.files.get(inode)
        if file is None or file not in self.names.values():
            file = self.files[inode] = File()  # the number of one that is gone may come again
        if self.names.get(path) is file:
            return False
        moved = after.split(" ", 1)[1] if after.startswith("gone ") else None
        self.change(path, file, moved if self.names.get(moved) is file else None)
        return True

    def gone(self, rest, _):
        path = rest[0]
        if path in self.names:
            self.change(None, None, path)
        return True

    def change(self, path, file, gone):
        """A name that comes, one that goes, or both at once."""
        folder = os.path.dirname(path or gone)
        self.changes.setdefault(folder, []).append((path, file, gone))
        enact(self.names, (path, file, gone))

    def folder(self, rest, _):
        self.folders[int(rest[0])] = rest[1]
        if rest[1].startswith(self.root + "/"):
            self.change(rest[1], "folder", None)
        return True

    def write(self, rest, _):
        file = self.files.get(rest[0])
        if file is None:
            return False
        at, data = int(rest[1]), bytes.fromhex(rest[2])
        file.now.extend(b"\0" * (at + len(data) - len(file.now)))
        file.now[at:at + len(data)] = data
        return True

    def cut(self, rest, _):
        file, size = self.files.get(rest[0]), int(rest[1])
        if file is None:
            return False
        file.now = file.now[:size] + b"\0" * (size - len(file.now))
        return True

    def sync(self, rest, _):
        if int(rest[0]) in self.folders:
            for change in self.changes.pop(self.folders[int(rest[0])], []):
                enact(self.safe, change)
        elif rest[0] in self.files:
            self.files[rest[0]].safe = bytes(self.files[rest[0]].now)
        return True

    # ---- What is left

    def states(self, most):
        """{path: content} of what a power cut may leave now; folders have None."""
        folders = list(self.changes)
        cuts = itertools.product(*(range(len(self.changes[folder]) + 1) for folder in folders))
        for counts, how in itertools.islice(itertools.product(cuts, ("safe", HALF, "now")), most):
            names = dict(self.safe)
            for folder, count in zip(folders, counts):
                for change in self.changes[folder][:count]:
                    enact(names, change)
            yield {path: None if file == "folder" else file.left(how) for path, file in names.items() if self.has_place(names, path)}

    def has_place(self, names, path):
        parent = os.path.dirname(path)
        return parent == self.root or parent in names and self.has_place(names, parent)

    def seen(self):
        """{path: content} as the program sees it."""
        return {path: None if file == "folder" else bytes(file.now) for path, file in self.names.items()}


def enact(names, change):
    path, file, gone = change
    if gone:
        names.pop(gone, None)
    if path:
        names[path] = file
