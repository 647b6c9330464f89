#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_layers.py ROOT - every #include goes the one way that src/LAYERS allows.

A folder of src/ includes itself and the folders that LAYERS names for it, by a path from src/. A
public header counts as a header of the folder that implements it. app/ sees the public headers, the
system's, its own, those of the folders in APP_MAY_INCLUDE and APP_FOLDER_MAY_INCLUDE, and those that
LAYERS names for it.
"""
import pathlib
import sys

import csource

APP_MAY_INCLUDE = ("base/", "operation/")
APP_FOLDER_MAY_INCLUDE = {"serve": ("http/", "net/"), "cli": ("http/", "net/"), "wrap": ("http/", "net/"), "watch": ("net/",)}


class Layers:
    def __init__(self, text, complaints):
        self.allowed = {}
        self.public = {}
        self.app = set()
        for number, line in enumerate(text.split("\n"), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, colon, rest = line.partition(":")
            if not colon:
                complaints.append(f"src/LAYERS:{number}: no colon")
            elif name == "app":
                self.app.update(rest.split())
            elif name.startswith("public "):
                for header in name.split()[1:]:
                    self.public[header] = rest.strip()
            else:
                self._add_folder(name.strip(), rest.split(), number, complaints)

    def _add_folder(self, name, below, number, complaints):
        for other in below:
            if other not in self.allowed:
                complaints.append(f"src/LAYERS:{number}: {name} names {other}, which does not stand above it")
        if name in self.allowed:
            complaints.append(f"src/LAYERS:{number}: {name} stands there twice")
        self.allowed[name] = {name, *below}

    def folder_of(self, path):
        """The listed folder that holds a path from src/; the longest name wins."""
        fitting = [name for name in self.allowed if path.startswith(name + "/")]
        return max(fitting, key=len, default=None)


def check_tree(root, layers, complaints):
    for header, folder in layers.public.items():
        if not (root / "include/baton" / header).is_file():
            complaints.append(f"src/LAYERS: there is no public header {header}")
        if folder not in layers.allowed:
            complaints.append(f"src/LAYERS: {header} belongs to {folder}, which is not listed")
    for path in csource.files(root, ["include/baton"], {".h"}):
        if path.name not in layers.public:
            complaints.append(f"include/baton/{path.name}:1: src/LAYERS gives it no folder")
    for header in sorted(layers.app):
        if not (root / "src" / header).is_file():
            complaints.append(f"src/LAYERS: there is no src/{header}")
    for name in layers.allowed:
        if not (root / "src" / name).is_dir():
            complaints.append(f"src/LAYERS: there is no folder src/{name}")


def is_made(path):
    """Whether the folder's build file makes this header: version.h and its kin."""
    build = path.parent / "meson.build"
    return build.is_file() and f"output: '{path.name}'" in build.read_text()


def why_not(root, layers, folder, target):
    """What is wrong with an #include from a folder of src/ or from its public header, or None."""
    if target.startswith("<baton/") and target.endswith(">"):
        header = target[len("<baton/"):-1]
        other = layers.public.get(header)
        if other is None:
            return f"{target} is not a public header"
    elif target.startswith("<"):
        return None
    elif target.startswith('"'):
        path = target.strip('"')
        other = layers.folder_of(path)
        if ".." in path or other is None:
            return f"{target} is not a path from src/ into a listed folder"
        if not (root / "src" / path).is_file() and not is_made(root / "src" / path):
            return f"there is no src/{path}"
    else:
        return f"{target} cannot be checked; name the file"
    if other not in layers.allowed.get(folder, ()):
        return f"{folder} may not include {other} ({target})"
    return None


def check_sources(root, layers, complaints):
    for path in csource.files(root, ["src"], {".c", ".h", ".inc"}):
        relative = path.relative_to(root / "src").as_posix()
        folder = layers.folder_of(relative)
        if folder is None:
            complaints.append(f"src/{relative}:1: its folder is not in src/LAYERS")
            continue
        for line, target in csource.includes(path.read_text()):
            why = why_not(root, layers, folder, target)
            if why:
                complaints.append(f"src/{relative}:{line}: {why}")


def check_public(root, layers, complaints):
    for path in csource.files(root, ["include/baton"], {".h"}):
        folder = layers.public.get(path.name)
        for line, target in csource.includes(path.read_text()):
            why = why_not(root, layers, folder, target) if folder else None
            if not target.startswith("<"):
                why = f"a public header includes installed headers only, not {target}"
            if why:
                complaints.append(f"include/baton/{path.name}:{line}: {why}")


def check_app(root, layers, complaints):
    for path in csource.files(root, ["app"], {".c", ".h", ".inc"}):
        for line, target in csource.includes(path.read_text()):
            name = path.relative_to(root).as_posix()
            if target.startswith("<baton/"):
                if target[len("<baton/"):-1] not in layers.public:
                    complaints.append(f"{name}:{line}: {target} is not a public header")
            elif target.startswith('"'):
                own = target.strip('"')
                places = [path.parent / own, root / "app" / own]
                if own in layers.app or own.startswith(APP_MAY_INCLUDE + APP_FOLDER_MAY_INCLUDE.get(path.parent.name, ())):
                    places.append(root / "src" / own)
                if ".." in own or not any(place.is_file() or is_made(place) for place in places):
                    complaints.append(f"{name}:{line}: {target} is not below app/ or in a folder that app/ may include")
            elif not target.startswith("<"):
                complaints.append(f"{name}:{line}: {target} cannot be checked; name the file")


def check(root):
    root = pathlib.Path(root)
    complaints = []
    layers = Layers((root / "src/LAYERS").read_text(), complaints)
    check_tree(root, layers, complaints)
    check_sources(root, layers, complaints)
    check_public(root, layers, complaints)
    check_app(root, layers, complaints)
    return complaints


if __name__ == "__main__":
    sys.exit(csource.report(check(sys.argv[1])))
