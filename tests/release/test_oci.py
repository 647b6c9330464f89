# SPDX-License-Identifier: Apache-2.0
"""test_oci.py ROOT BUILD - tools/oci.py with small packages: the image is what it should be, has the same bytes twice, and damage is found."""
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from place import EPOCH, deb, equal, holds, tap

import archive
import oci

CERTIFICATE = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
PACKAGES = {
    "libc6": {"./lib/x86_64-linux-gnu/libc.so.6": b"libc", "./usr/share/doc/libc6/copyright": b"words", "./usr/share/doc/libc6/changelog.gz": b"long",
              "./sbin/ldconfig": b"program", "./usr/share/man/man1/x.1.gz": b"page"},
    "ca-certificates": {"./usr/share/ca-certificates/mozilla/B.crt": CERTIFICATE, "./usr/share/ca-certificates/mozilla/A.crt": CERTIFICATE.strip(),
                        "./usr/sbin/update-ca-certificates": b"#!/bin/sh\n"},
}


@contextlib.contextmanager
def place(packages=None):
    """A folder with packages, their lock file, an archive of Baton and a bill of materials."""
    with tempfile.TemporaryDirectory(prefix="baton-oci-") as name:
        top = pathlib.Path(name)
        lines = []
        for package, files in (packages or PACKAGES).items():
            (top / f"{package}.deb").write_bytes(deb(files))
            lines.append(f"{package} 1.0-1 {hashlib.sha256((top / f'{package}.deb').read_bytes()).hexdigest()}")
        (top / "lock").write_text("# words\n" + "\n".join(lines) + "\n")
        files = {"bin/baton": b"\x7fELF program", "LICENSE": b"words", "share/doc/baton/README.md": b"page", "share/man/man1/baton.1": b"page"}
        members = [archive.Member("baton-0.1.0/" + path, 0o755 if "bin" in path else 0o644, content) for path, content in files.items()]
        (top / "baton-0.1.0-linux-x64.tar.xz").write_bytes(archive.xz_bytes(archive.tar_bytes(members, EPOCH)))
        (top / "baton-0.1.0.spdx.json").write_text("{}")
        yield top


def build(top):
    layers = [oci.system_layer(oci.load_packages(top, top / "lock")), oci.baton_layer(top / "baton-0.1.0-linux-x64.tar.xz", top / "baton-0.1.0.spdx.json")]
    return oci.image(layers, "0.1.0", "0" * 40, EPOCH)


def changed(data, change):
    """The archive with its files changed by a function of {name: bytes}."""
    files = {member.name: member.content for member in archive.read_tar(data) if member.content is not None}
    change(files)
    return archive.tar_bytes([archive.Member(name, content=content) for name, content in files.items()], EPOCH)


@tap.claim
def an_image_has_two_layers_an_account_and_no_shell():
    with place() as top:
        data = build(top)
        equal((oci.check(data), build(top) == data), ([], True))
        files = {member.name: member.content for member in archive.read_tar(data)}
        row = json.loads(files["index.json"])["manifests"][0]
        equal((row["annotations"], row["platform"]), ({"org.opencontainers.image.ref.name": "0.1.0"}, {"architecture": "amd64", "os": "linux"}))
        manifest = json.loads(files["blobs/" + row["digest"].replace(":", "/")])
        config = json.loads(files["blobs/" + manifest["config"]["digest"].replace(":", "/")])
        equal((config["config"]["User"], config["config"]["Entrypoint"], config["config"]["Cmd"], config["config"]["WorkingDir"], config["config"]["ExposedPorts"],
               config["config"]["Volumes"], config["config"]["StopSignal"], config["created"]),
              ("65532:65532", ["/usr/bin/baton"], ["serve", "--config", "/etc/baton/serve.yaml"], "/var/lib/baton", {"8420/tcp": {}}, {"/var/lib/baton": {}},
               "SIGTERM", "2026-02-02T02:40:00Z"))
        layers = [{m.name: m for m in archive.read_tar(files["blobs/" + layer["digest"].replace(":", "/")])} for layer in manifest["layers"]]
        equal([name for name in layers[0] if "bin" in name.split("/") or "man" in name.split("/")], [])
        equal((layers[0]["usr/lib/x86_64-linux-gnu/libc.so.6"].content, layers[0]["lib"].target, "usr/share/doc/libc6/changelog.gz" in layers[0]), (b"libc", "usr/lib", False))
        equal(layers[0]["etc/ssl/certs/ca-certificates.crt"].content, CERTIFICATE * 2)
        equal([(layers[0][name].mode, layers[0][name].uid) for name in ("tmp", "var/lib/baton", "etc/passwd")], [(0o1777, 0), (0o700, 65532), (0o644, 0)])
        equal(sorted(name for name, member in layers[1].items() if member.content is not None),
              ["usr/bin/baton", "usr/share/doc/baton/LICENSE", "usr/share/doc/baton/README.md", "usr/share/doc/baton/baton-0.1.0.spdx.json"])


@tap.claim
def a_changed_byte_in_a_layer_is_found():
    with place() as top:
        data = build(top)
        names = [member.name for member in archive.read_tar(data) if member.content is not None and member.name.startswith("blobs/")]
        equal(len(names), 4)
        for name in names:
            def change(files, name=name):
                files[name] = files[name][:-9] + bytes([files[name][-9] ^ 1]) + files[name][-8:]
            tap.expect_complaint(oci.check(changed(data, change)), "another digest or size")
            tap.expect_complaint(oci.check(changed(data, lambda files, name=name: files.pop(name))), "")
        tap.expect_complaint(oci.check(changed(data, lambda files: files.update({"blobs/sha256/" + "0" * 64: b"surplus"}))), "no manifest names")
        tap.expect_complaint(oci.check(b"not a tar"), "not an image")


def found(members):
    """Complaints about an image with these members added to its second layer."""
    with place() as top:
        layers = [oci.system_layer(oci.load_packages(top, top / "lock")), oci.baton_layer(top / "baton-0.1.0-linux-x64.tar.xz", top / "baton-0.1.0.spdx.json") + members]
        return oci.check(oci.image(layers, "0.1.0", "0" * 40, EPOCH))


@tap.claim
def a_shell_a_privileged_program_and_another_owner_are_found():
    tap.expect_complaint(found([archive.Member("bin/sh", 0o755, b"")]), "bin/sh: a program that the image must not have")
    tap.expect_complaint(found([archive.Member("usr/bin/dpkg", 0o755, b"")]), "must not have")
    tap.expect_complaint(found([archive.Member("usr/bin/su", 0o4755, b"")]), "mode 4755")
    tap.expect_complaint(found([archive.Member("x", 0o644, b"", uid=1000)]), "owner 1000")


@tap.claim
def a_package_that_is_not_locked_is_refused():
    with place() as top:
        (top / "libc6.deb").write_bytes(deb({**PACKAGES["libc6"], "./usr/lib/extra": b"surplus"}))
        for change, words in ((lambda: None, "its SHA-256 differs"), ((top / "libc6.deb").unlink, "is missing")):
            change()
            try:
                oci.load_packages(top, top / "lock")
            except oci.Failure as why:
                holds(words, str(why))
            else:
                raise AssertionError("a package that is not in the lock file was used")


@tap.claim
def the_lock_file_names_what_the_image_needs():
    rows = oci.read_lock()
    names = [row[0] for row in rows]
    equal(names, sorted(names))
    equal({"libc6", "libpq5", "libcurl4", "ca-certificates", "libssl3"} - set(names), set())
    equal([name for name in names if name in ("dash", "bash", "dpkg", "apt", "perl-base", "debconf", "openssl")], [])


@tap.claim
def debians_tools_read_the_image():
    if not shutil.which("skopeo") or not shutil.which("umoci"):
        return  # script/release runs them on the real image
    with place() as top:
        (top / "image.tar").write_bytes(build(top))
        told = subprocess.run(["skopeo", "inspect", f"oci-archive:{top / 'image.tar'}:0.1.0"], capture_output=True, text=True, timeout=60, check=True).stdout
        equal(json.loads(told)["Labels"]["org.opencontainers.image.version"], "0.1.0")
        subprocess.run(["skopeo", "copy", "--quiet", f"oci-archive:{top / 'image.tar'}:0.1.0", f"oci:{top / 'layout'}:0.1.0"], timeout=60, check=True)
        subprocess.run(["umoci", "unpack", "--rootless", "--image", f"{top / 'layout'}:0.1.0", str(top / "bundle")], capture_output=True, timeout=60, check=True)
        equal((top / "bundle/rootfs/usr/bin/baton").read_bytes(), b"\x7fELF program")
        equal(os.readlink(top / "bundle/rootfs/lib"), "usr/lib")


sys.exit(tap.run())
