#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oci.py build|check|lock|fetch - the OCI image of Baton as an archive, made without a daemon, without root and without a base image.

    oci.py lock --out packaging/oci/packages.lock       resolve the Debian packages of the first layer and write them down
    oci.py fetch --into DIR                             fetch the packages of the lock file; each must have its SHA-256
    oci.py build --packages DIR --archive FILE --bill FILE --out FILE     make the image from them and from baton-VERSION-linux-x64.tar.xz
    oci.py check FILE                                   digests, layers, configuration; exit 1 with what is wrong

Layer 1 has the files of Debian packages and an account, layer 2 has Baton. Bytes depend on the inputs and on SOURCE_DATE_EPOCH alone.
"""
import argparse
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TREE / "tools/release"))

from archive import Member, Unreadable, deb_part, gzip_bytes, read_tar, tar_bytes  # noqa: E402

LOCK = TREE / "packaging/oci/packages.lock"
# What is wanted; apt adds what these need. The certificates alone are taken from theirs, without the programs that manage them.
WANTED = ["libc6", "libpq5", "libcurl4"]
CERTIFICATES = "ca-certificates"
SUITE, MIRROR = "bookworm", "http://deb.debian.org"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
ACCOUNT = 65532
COMPRESSED_BYTES_MAX = 40_000_000
MEDIA = "application/vnd.oci.image."
# Files that a running program does not need. Programs are left out, so that there is neither a shell nor a package manager.
LEFT_OUT = re.compile(r"(usr/)?s?bin/.*|usr/share/(man|lintian|locale|bug|doc-base)/.*|usr/share/doc/(?!.*/copyright$).*|etc/(ld\.so\.conf\.d|ca-certificates)/.*"
                      r"|usr/lib/.*/gconv/.*|usr/lib/.*\.a|usr/lib/.*/audit/.*")
FORBIDDEN = re.compile(r"(usr/)?bin/((ba|da|z|c|k)?sh|busybox|perl.*|python.*|dpkg.*|apt.*)")
MERGED = {"lib": "usr/lib", "lib64": "usr/lib64"}
ARCHITECTURE = "amd64"


class Failure(Exception):
    pass


# ---- Packages ----

def read_lock(path=LOCK):
    """Rows of name, version and SHA-256."""
    rows = [line.split() for line in path.read_text(encoding="ascii").splitlines() if line and not line.startswith("#")]
    for row in rows:
        if len(row) != 3 or not re.fullmatch(r"[0-9a-f]{64}", row[2]):
            raise Failure(f"{path}: a line is NAME VERSION SHA256, not {' '.join(row)}")
    return rows


def with_apt(use):
    """Call use(run) with a function that runs apt-get on lists of its own: nothing of this machine is read or changed."""
    with tempfile.TemporaryDirectory(prefix="baton-oci-apt-") as name:
        top = pathlib.Path(name)
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (top / folder).mkdir(parents=True)
        (top / "status").touch()
        lines = [f"deb [signed-by={KEYRING}] {MIRROR}/debian {SUITE} main", f"deb [signed-by={KEYRING}] {MIRROR}/debian-security {SUITE}-security main"]
        (top / "sources.list").write_text("\n".join(lines) + "\n")
        settings = {"Dir::State": top / "state", "Dir::State::status": top / "status", "Dir::Cache": top / "cache", "Dir::Etc::sourcelist": top / "sources.list",
                    "Dir::Etc::sourceparts": "-", "Dir::Etc::preferencesparts": "-", "APT::Sandbox::User": "root", "APT::Architecture": ARCHITECTURE,
                    "APT::Install-Recommends": "false"}
        flags = [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]

        def run(*words, cwd=None):
            done = subprocess.run([words[0], *flags, "-q", *words[1:]], cwd=cwd, capture_output=True, text=True, timeout=900, check=False)
            if done.returncode != 0:
                raise Failure(f"{words[0]} {words[1]} failed: {done.stderr.strip()[-2000:]}")
            return done.stdout
        run("apt-get", "update")
        return use(run)


def write_lock(out):
    def resolve(run):
        told = run("apt-get", "-y", "--print-uris", "install", *WANTED)
        names = sorted({re.match(r"'[^']*' ([^_]+)_", line)[1] for line in told.splitlines() if line.startswith("'")} | {CERTIFICATES})
        rows = []
        for name in names:
            shown = run("apt-cache", "--no-all-versions", "show", name)
            rows.append(f"{name} {re.search(r'^Version: (.+)$', shown, re.M)[1]} {re.search(r'^SHA256: (.+)$', shown, re.M)[1]}")
        return rows
    head = f"# The Debian packages of the image's first layer ({SUITE}, {ARCHITECTURE}); written by tools/oci.py lock.\n"
    out.write_text(head + "\n".join(with_apt(resolve)) + "\n", encoding="ascii")


def fetch(into, lock=LOCK):
    """Fetch what is not there yet. The names of the files are those of the packages."""
    rows = read_lock(lock)
    into.mkdir(parents=True, exist_ok=True)
    missing = [row for row in rows if not has_package(into, row)]
    if missing:
        with tempfile.TemporaryDirectory(prefix="baton-oci-fetch-") as name:
            with_apt(lambda run: run("apt-get", "download", *(f"{row[0]}={row[1]}" for row in missing), cwd=name))
            for path in pathlib.Path(name).iterdir():
                (into / (path.name.split("_")[0] + ".deb")).write_bytes(path.read_bytes())
    load_packages(into, lock)


def has_package(folder, row):
    path = folder / f"{row[0]}.deb"
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == row[2]


def load_packages(folder, lock=LOCK):
    """Bytes of every package by name. Failure: one is missing, or is not the one of the lock file."""
    packages = {}
    for row in read_lock(lock):
        path = folder / f"{row[0]}.deb"
        if not path.is_file():
            raise Failure(f"{path} is missing; `tools/oci.py fetch --into {folder}` fetches it")
        packages[row[0]] = path.read_bytes()
        if hashlib.sha256(packages[row[0]]).hexdigest() != row[2]:
            raise Failure(f"{path} is not {row[0]} {row[1]} of the lock file: its SHA-256 differs")
    return packages


# ---- Layers ----

def place_of(name):
    """Where a file of a package lies when /lib and /lib64 are links."""
    first, slash, rest = name.partition("/")
    return MERGED.get(first, first) + slash + rest


def system_files(packages):
    """Files and links of the packages, and one file with all certificates."""
    files, certificates = {}, {}
    for name, data in sorted(packages.items()):
        for member in deb_part(data, "data"):
            path = place_of(member.name.rstrip("/"))
            if member.is_folder() or LEFT_OUT.fullmatch(path):
                continue
            if name == CERTIFICATES and path.endswith(".crt"):
                certificates[path] = member.content
            elif name != CERTIFICATES or path.endswith("/copyright"):
                files[path] = Member(path, member.mode & 0o755, member.content, member.target)
    bundle = b"".join(content.rstrip() + b"\n" for _, content in sorted(certificates.items()))
    if not bundle.startswith(b"-----BEGIN CERTIFICATE-----"):
        raise Failure(f"{CERTIFICATES} holds no certificates")
    files["etc/ssl/certs/ca-certificates.crt"] = Member("etc/ssl/certs/ca-certificates.crt", content=bundle)
    return files


def add_folders(files):
    """Every folder above the files, so that modes and times do not depend on who unpacks."""
    folders = {"/".join(name.split("/")[:depth]) for name in files for depth in range(1, name.count("/") + 1)}
    for folder in folders - set(files):
        files[folder] = Member(folder, 0o755)
    return list(files.values())


def system_layer(packages):
    files = system_files(packages)
    for name, target in MERGED.items():
        files[name] = Member(name, target=target)
    texts = {"etc/passwd": f"root:x:0:0:root:/:/nonexistent\nbaton:x:{ACCOUNT}:{ACCOUNT}:Baton:/var/lib/baton:/nonexistent\n", "etc/group": f"root:x:0:\nbaton:x:{ACCOUNT}:\n",
             "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n"}
    for name, text in texts.items():
        files[name] = Member(name, content=text.encode())
    for folder in ("etc/baton", "proc", "sys", "dev", "run"):
        files[folder] = Member(folder, 0o755)
    files["tmp"] = Member("tmp", 0o1777)
    files["var/lib/baton"] = Member("var/lib/baton", 0o700, uid=ACCOUNT, gid=ACCOUNT)
    return add_folders(files)


def baton_layer(archive_path, bill):
    """The program, its documentation and its bill of materials."""
    files = {}
    for member in read_tar(archive_path.read_bytes()):
        name = member.name.partition("/")[2]
        if member.content is None:
            continue
        if name == "bin/baton":
            files["usr/bin/baton"] = Member("usr/bin/baton", 0o755, member.content)
        elif name.startswith("share/doc/baton/") or name in ("LICENSE", "NOTICE"):
            path = "usr/" + name if name.startswith("share") else f"usr/share/doc/baton/{name}"
            files[path] = Member(path, 0o644, member.content)
    if "usr/bin/baton" not in files:
        raise Failure(f"{archive_path} holds no program")
    path = f"usr/share/doc/baton/{bill.name}"
    files[path] = Member(path, 0o644, bill.read_bytes())
    return add_folders(files)


# ---- The image ----

def descriptor(kind, data, **more):
    return {"mediaType": MEDIA + kind, "digest": "sha256:" + hashlib.sha256(data).hexdigest(), "size": len(data), **more}


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def configuration(version, revision, created, diffs):
    labels = {"title": "Baton", "description": "Check, govern, route and record handoffs between AI agents", "version": version, "revision": revision,
              "licenses": "Apache-2.0", "created": created}
    return {"architecture": ARCHITECTURE, "os": "linux", "created": created,
            "config": {"User": f"{ACCOUNT}:{ACCOUNT}", "Entrypoint": ["/usr/bin/baton"], "Cmd": ["serve", "--config", "/etc/baton/serve.yaml"],
                       "Env": ["PATH=/usr/bin"], "WorkingDir": "/var/lib/baton", "ExposedPorts": {"8420/tcp": {}}, "Volumes": {"/var/lib/baton": {}},
                       "StopSignal": "SIGTERM", "Labels": {f"org.opencontainers.image.{name}": text for name, text in labels.items()}},
            "rootfs": {"type": "layers", "diff_ids": diffs},
            "history": [{"created": created, "created_by": "tools/oci.py", "comment": text} for text in ("Debian packages of packages.lock", f"Baton {version}")]}


def image(layers, version, revision, epoch):
    """The OCI archive as bytes. `layers` are lists of members."""
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))
    blobs, rows, diffs = {}, [], []
    for members in layers:
        plain = tar_bytes(members, epoch, keep_modes=True)
        packed = gzip_bytes(plain)
        rows.append(descriptor("layer.v1.tar+gzip", packed))
        diffs.append("sha256:" + hashlib.sha256(plain).hexdigest())
        blobs[rows[-1]["digest"]] = packed
    config = compact(configuration(version, revision, created, diffs))
    manifest = compact({"schemaVersion": 2, "mediaType": MEDIA + "manifest.v1+json", "config": descriptor("config.v1+json", config), "layers": rows})
    for data in (config, manifest):
        blobs["sha256:" + hashlib.sha256(data).hexdigest()] = data
    index = compact({"schemaVersion": 2, "mediaType": MEDIA + "index.v1+json",
                     "manifests": [descriptor("manifest.v1+json", manifest, platform={"architecture": ARCHITECTURE, "os": "linux"},
                                              annotations={"org.opencontainers.image.ref.name": version})]})
    files = [Member("oci-layout", content=compact({"imageLayoutVersion": "1.0.0"})), Member("index.json", content=index), Member("blobs"), Member("blobs/sha256")]
    files += [Member("blobs/" + digest.replace(":", "/"), content=data) for digest, data in blobs.items()]
    return tar_bytes(files, epoch)


def version_of(archive_path):
    found = re.fullmatch(r"baton-(\d+\.\d+\.\d+)-linux-(?:x64|arm64)\.tar\.xz", archive_path.name)
    if not found:
        raise Failure(f"{archive_path.name} is not baton-VERSION-linux-x64.tar.xz")
    return found[1]


def build(packages, archive_path, bill, revision, out):
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    layers = [system_layer(load_packages(packages)), baton_layer(archive_path, bill)]
    data = image(layers, version_of(archive_path), revision, epoch)
    out.write_bytes(data)
    complaints = check(data)
    if complaints:
        raise Failure("\n".join(complaints))


# ---- Checking ----

def find_blob(files, row, complaints):
    """The bytes that a descriptor names, or None after a complaint."""
    data = files.get("blobs/" + row["digest"].replace(":", "/"))
    if data is None:
        complaints.append(f"{row['digest']} is missing")
    elif "sha256:" + hashlib.sha256(data).hexdigest() != row["digest"] or len(data) != row["size"]:
        complaints.append(f"{row['digest']}: its bytes have another digest or size")
    return data


def check_layer(data, diff, complaints):
    """Digest of the plain tar, owners, modes and names. Returns the members."""
    try:
        plain = gzip.decompress(data)
        members = list(read_tar(plain))
    except (OSError, EOFError, Unreadable) as why:
        complaints.append(f"a layer cannot be read: {why}")
        return []
    if "sha256:" + hashlib.sha256(plain).hexdigest() != diff:
        complaints.append(f"{diff}: the layer has another digest")
    if data[4:8] != b"\0\0\0\0" or data[3] & 8:
        complaints.append(f"{diff}: gzip with a time or a name")
    for member in members:
        if FORBIDDEN.fullmatch(member.name):
            complaints.append(f"{member.name}: a program that the image must not have")
        if member.mode & 0o6000 or (member.uid, member.gid) not in ((0, 0), (ACCOUNT, ACCOUNT)):
            complaints.append(f"{member.name}: mode {member.mode:o}, owner {member.uid}:{member.gid}")
    return members


def check_configuration(config, complaints):
    wanted = configuration("", "", "", [])["config"]
    for name, value in config["config"].items():
        if name != "Labels" and wanted.get(name) != value:
            complaints.append(f"configuration: {name} is {value!r}")
    for name in set(wanted) - set(config["config"]):
        complaints.append(f"configuration: {name} is missing")
    missing = [name for name in wanted["Labels"] if not config["config"].get("Labels", {}).get(name)]
    complaints += [f"configuration: the label {name} is missing" for name in missing]


def check_manifest(files, row, complaints):
    manifest = find_blob(files, row, complaints)
    if manifest is None:
        return
    rows = json.loads(manifest)
    raw = find_blob(files, rows["config"], complaints)
    layers = [find_blob(files, layer, complaints) for layer in rows["layers"]]
    if raw is None or None in layers:
        return
    config = json.loads(raw)
    check_configuration(config, complaints)
    diffs = config["rootfs"]["diff_ids"]
    if len(layers) != 2 or len(diffs) != 2:
        complaints.append(f"{len(layers)} layers instead of 2")
        return
    names = {member.name: member for layer, diff in zip(layers, diffs) for member in check_layer(layer, diff, complaints)}
    for name, mode, owner in (("usr/bin/baton", 0o755, 0), ("tmp", 0o1777, 0), ("var/lib/baton", 0o700, ACCOUNT), ("etc/ssl/certs/ca-certificates.crt", 0o644, 0)):
        if name not in names or (names[name].mode, names[name].uid) != (mode, owner):
            complaints.append(f"{name}: missing, or with another mode or owner")
    size = sum(layer["size"] for layer in rows["layers"])
    if size > COMPRESSED_BYTES_MAX:
        complaints.append(f"{size} bytes compressed; the limit is {COMPRESSED_BYTES_MAX}")


def check(data):
    """What is wrong with an OCI archive; nothing when it is sound."""
    complaints = []
    try:
        files = {member.name: member.content for member in read_tar(data) if member.content is not None}
        if json.loads(files["oci-layout"]) != {"imageLayoutVersion": "1.0.0"}:
            complaints.append("oci-layout: not version 1.0.0")
        rows = json.loads(files["index.json"])["manifests"]
        used = len(rows)
        for row in rows:
            check_manifest(files, row, complaints)
            used += 1 + len(json.loads(files["blobs/" + row["digest"].replace(":", "/")])["layers"])
        if len([name for name in files if name.startswith("blobs/")]) != used or len(files) != used + 2:
            complaints.append("the archive holds files that no manifest names")
    except (Unreadable, KeyError, ValueError, TypeError) as why:
        complaints.append(f"not an image: {why!r}")
    return complaints


def main(words):
    parser = argparse.ArgumentParser(prog="oci.py", description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, flags in (("build", ["--packages", "--archive", "--bill", "--out"]), ("lock", ["--out"]), ("fetch", ["--into"])):
        command = commands.add_parser(name)
        for flag in flags:
            command.add_argument(flag, type=pathlib.Path, required=True)
        if name == "build":
            command.add_argument("--revision", default="unknown", help="the commit, for the label")
    commands.add_parser("check").add_argument("file", type=pathlib.Path)
    given = parser.parse_args(words)
    try:
        if given.command == "build":
            build(given.packages, given.archive, given.bill, given.revision, given.out)
        elif given.command == "lock":
            write_lock(given.out)
        elif given.command == "fetch":
            fetch(given.into)
        else:
            complaints = check(given.file.read_bytes())
            print("\n".join(complaints), end="\n" if complaints else "")
            return 1 if complaints else 0
    except (Failure, Unreadable, OSError) as why:
        print(f"oci.py: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
