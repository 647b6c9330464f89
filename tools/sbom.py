#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sbom.py --version V --epoch SECONDS --tree DIR --out FILE KIND=ARTEFACT... - the bill of materials of a release, SPDX 2.3 in JSON.

Every artefact is a package with its digest and the files in it. What is linked into a program statically comes from packaging/sbom.json
with the versions that are installed here, console packages from console/package-lock.json, data that is not ours from packaging/sbom.json,
and packages of the image from packaging/oci/packages.lock. Bytes depend on the artefacts, the tree and the installed versions alone.
"""
import argparse
import hashlib
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "release"))

import archive  # noqa: E402

# What each kind of artefact has linked in; the module of the playground is part of every program.
MODULE = ["wasi-libc", "libclang-rt-14-dev-wasm32"]
PROGRAM = ["libssl-dev", "libfyaml-dev", "libsqlite3-dev", "libzstd-dev", *MODULE]
STATIC = {
    "deb": MODULE,
    "tarball": PROGRAM,
    "npm-program": PROGRAM,
    "npm-wasm": MODULE,
    "oci": PROGRAM,
    "wheel": ["libssl-dev", "libfyaml-dev"],
}
CONSOLE = ("source", "deb", "tarball", "npm-program", "oci")
NONE = "NOASSERTION"


def installed(package):
    """Version, source package and source version of a Debian package of this machine."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version} ${source:Package} ${source:Version}", package], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"sbom.py: the package {package}, whose library is linked in, is not installed")
    return done.stdout.split()


def layer_members(data):
    """The files of all layers of an OCI archive."""
    blobs = {member.name: member.content for member in archive.read_tar(data) if member.content is not None}
    index = json.loads(blobs["index.json"])
    for manifest in index["manifests"]:
        for layer in json.loads(blobs["blobs/" + manifest["digest"].replace(":", "/")])["layers"]:
            yield from archive.read_tar(blobs["blobs/" + layer["digest"].replace(":", "/")])


def files_of(kind, name, data):
    return layer_members(data) if kind == "oci" else archive.members(name, data)


class Document:
    def __init__(self, version, epoch):
        self.version, self.epoch = version, epoch
        self.packages, self.files, self.relations = [], [], []

    def relate(self, one, word, other):
        self.relations.append({"spdxElementId": one, "relationshipType": word, "relatedSpdxElement": other})

    def add_package(self, ref, name, version, licence, **more):
        self.packages.append({"SPDXID": ref, "name": name, "versionInfo": version, "downloadLocation": NONE, "filesAnalyzed": False,
                              "licenseConcluded": NONE, "licenseDeclared": licence, "copyrightText": NONE, **more})
        return ref

    def add_files(self, owner, members):
        """The regular files of an artefact; returns the verification code of SPDX 2.3, 7.9."""
        sums = []
        for number, member in enumerate(sorted((m for m in members if m.content is not None), key=lambda m: m.name), 1):
            sha1 = hashlib.sha1(member.content).hexdigest()
            sums.append(sha1)
            ref = f"{owner.replace('Package', 'File')}-{number}"
            self.files.append({"SPDXID": ref, "fileName": "./" + member.name.lstrip("/"), "licenseConcluded": NONE, "licenseInfoInFiles": [NONE],
                               "copyrightText": NONE, "checksums": [{"algorithm": "SHA1", "checksumValue": sha1},
                                                                   {"algorithm": "SHA256", "checksumValue": hashlib.sha256(member.content).hexdigest()}]})
            self.relate(owner, "CONTAINS", ref)
        return hashlib.sha1("".join(sorted(sums)).encode()).hexdigest() if sums else None

    def add_artefact(self, number, kind, path):
        data = path.read_bytes()
        ref = f"SPDXRef-Package-{number}"
        code = self.add_files(ref, files_of(kind, path.name, data))
        analysed = {"filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": code}, "licenseInfoFromFiles": [NONE]} if code else {}
        self.add_package(ref, path.name, self.version, "Apache-2.0", packageFileName=path.name, supplier=NONE,
                         checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}], **analysed)
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", ref)
        return ref

    def text(self):
        body = {"packages": self.packages, "files": self.files, "relationships": self.relations}
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.epoch))
        head = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"baton-{self.version}",
                "documentNamespace": f"https://spdx.org/spdxdocs/baton-{self.version}-{digest}",
                "creationInfo": {"created": created, "creators": [f"Tool: baton-sbom-{self.version}"]}}
        return json.dumps({**head, **body}, indent=1, ensure_ascii=True) + "\n"


def add_static(document, rows, artefacts):
    """The libraries that are inside of programs."""
    for row in rows:
        users = [ref for kind, ref in artefacts if row["package"] in STATIC.get(kind, ())]
        if not users:
            continue
        version, source, source_version = installed(row["package"])
        ref = document.add_package(f"SPDXRef-Static-{row['name']}", row["name"], version, row["license"], comment=f"Debian source {source} {source_version}",
                                   externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                                  "referenceLocator": f"pkg:deb/debian/{row['package']}@{version}"}])
        for user in users:
            document.relate(user, "STATIC_LINK", ref)


def add_console(document, tree, artefacts):
    """What the console is bundled from; tools that only build it are left out."""
    users = [ref for kind, ref in artefacts if kind in CONSOLE]
    lock = json.loads((tree / "console/package-lock.json").read_text(encoding="utf-8"))
    for path, row in sorted(lock["packages"].items()):
        if not users or not path or row.get("dev"):
            continue
        name = path.split("node_modules/")[-1]
        ref = document.add_package("SPDXRef-Console-" + name.replace("@", "").replace("/", "-"), name, row["version"], row.get("license", NONE),
                                   externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                                  "referenceLocator": f"pkg:npm/{name.replace('@', '%40')}@{row['version']}"}])
        for user in users:
            document.relate(user, "CONTAINS", ref)


def add_data(document, rows, artefacts):
    for number, row in enumerate(rows, 1):
        ref = document.add_package(f"SPDXRef-Data-{number}", row["name"], row["version"], row["license"],
                                   sourceInfo=f"{row['origin']}; in the source as {', '.join(row['files'])}")
        for _, user in artefacts:
            document.relate(user, "CONTAINS", ref)


def add_image_packages(document, tree, artefacts):
    """The Debian packages in the first layer of the image."""
    users = [ref for kind, ref in artefacts if kind == "oci"]
    lock = tree / "packaging/oci/packages.lock"
    if not users or not lock.is_file():
        return
    for line in lock.read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            name, version, digest = line.split()[:3]
            ref = document.add_package("SPDXRef-Image-" + name.replace("+", "-"), name, version, NONE, checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
                                       externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                                      "referenceLocator": f"pkg:deb/debian/{name}@{version}"}])
            for user in users:
                document.relate(user, "CONTAINS", ref)


def make(version, epoch, tree, artefacts):
    """The document as text. `artefacts` are pairs of kind and path."""
    document = Document(version, epoch)
    made = [(kind, document.add_artefact(number, kind, path)) for number, (kind, path) in enumerate(sorted(artefacts, key=lambda pair: pair[1].name), 1)]
    for kind, ref in made:
        for source in (other for what, other in made if what == "source" and kind != "source"):
            document.relate(ref, "GENERATED_FROM", source)
    rows = json.loads((tree / "packaging/sbom.json").read_text(encoding="utf-8"))
    add_static(document, rows["static"], made)
    add_console(document, tree, made)
    add_data(document, rows["data"], [(kind, ref) for kind, ref in made if kind != "deploy"])
    add_image_packages(document, tree, made)
    return document.text()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--tree", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("artefacts", nargs="+", metavar="KIND=ARTEFACT")
    given = parser.parse_args()
    artefacts = [(kind, pathlib.Path(path)) for kind, _, path in (word.partition("=") for word in given.artefacts)]
    given.out.write_text(make(given.version, given.epoch, given.tree, artefacts), encoding="ascii")


if __name__ == "__main__":
    main()
