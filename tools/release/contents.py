# SPDX-License-Identifier: Apache-2.0
"""contents.py - which files an artefact may hold, by its kind. A file that no pattern allows is surplus; a pattern without a file is a gap.

Some files may not be larger than the manual promises.
"""
import re

import archive
from run import output

# Regular expressions of whole names. VERSION is the version.
ALLOWED = {
    "tarball": [r"baton-VERSION/bin/baton", r"baton-VERSION/(?:install\.sh|README|LICENSE|NOTICE)", r"baton-VERSION/share/man/man1/baton(?:-[a-z-]+)?\.1",
                r"baton-VERSION/share/man/man5/baton\.yaml\.5", r"baton-VERSION/share/(?:bash-completion/completions/baton(?:\.bash)?|zsh/[a-z/-]+/_baton|fish/[a-z_./]+/baton\.fish)",
                r"baton-VERSION/share/doc/baton/.+\.(?:md|html|svg|png)", r"baton-VERSION/share/baton/(?:systemd|action|git)/.+", r"baton-VERSION/share/baton/pre-commit-hooks\.yaml"],
    "debug": [r"baton-VERSION/bin/\.debug/baton\.debug"],
    "npm": [r"package/(?:package\.json|README\.md|LICENSE(?:\.tables)?)", r"package/(?:bin/baton\.cjs|index\.(?:[cm]js|d\.m?ts)|(?:o200k|cl100k)\.bin)"],
    "npm-wasm": [r"package/(?:package\.json|README\.md|LICENSE|NOTICE)", r"package/(?:esm|cjs)/.+\.(?:js|d\.ts|json)", r"package/bin/[a-z]+\.mjs", r"package/[a-z]+\.wasm"],
    "npm-program": [r"package/(?:package\.json|README\.md|LICENSE|NOTICE)", r"package/bin/baton"],
    "wheel": [r"baton/[a-z0-9_/]+\.(?:py|pyi)", r"baton/py\.typed", r"baton/_core\.abi3\.so", r"baton_handoff-VERSION\.dist-info/(?:METADATA|WHEEL|RECORD)",
              r"baton_handoff-VERSION\.dist-info/(?:LICENSE|NOTICE)", r"baton_handoff-VERSION\.dist-info/.+"],
    "sdist": [r"baton_handoff-VERSION/(?:PKG-INFO|README\.md|LICENSE|NOTICE|pyproject\.toml|setup\.py)", r"baton_handoff-VERSION/baton/(?:[a-z0-9_/]+\.pyi?|py\.typed)",
              r"baton_handoff-VERSION/extension/[a-z_]+\.[ch]", r"baton_handoff-VERSION/core/(?:FILES|README\.md|LICENSE)",
              r"baton_handoff-VERSION/(?:core|parts)/(?:include|src)/.+\.(?:c|h|inc)", r"baton_handoff-VERSION/parts/(?:FILES|TABLES|tools/make_token_tables\.c)",
              r"baton_handoff-VERSION/parts/data/(?:(?:o200k|cl100k)_base\.merges|LICENSE)"],
    "deb": [r"usr/share/doc/[a-z0-9-]+/copyright", r"usr/share/doc/[a-z0-9-]+/.+", r"usr/bin/baton", r"usr/lib/[a-z0-9_-]+/libbaton\.(?:a|so(?:\.[0-9.]+)?)",
            r"usr/lib/[a-z0-9_-]+/pkgconfig/baton\.pc", r"usr/include/baton/[a-z]+\.h", r"usr/lib/python3/dist-packages/baton(?:_handoff-VERSION\.dist-info)?/.+",
            r"usr/share/(?:baton|bash-completion/completions|zsh/vendor-completions|fish/vendor_completions\.d|man|lintian)/.+", r"(?:usr/)?lib/(?:systemd/system|sysusers\.d)/baton.*",
            r"etc/baton/serve\.yaml"],
    "oci": [r"oci-layout", r"index\.json", r"blobs/sha256/[0-9a-f]{64}"],
    "deploy": [r"baton-VERSION-deploy/kubernetes/(?:README\.md|(?:single|cluster)/[a-z-]+\.yaml)", r"baton-VERSION-deploy/compose/[a-z]+\.yaml",
               r"baton-VERSION-deploy/homebrew/baton\.rb", r"baton-VERSION-deploy/helm/.+"],
    "core": [r"baton-core-VERSION/FILES", r"baton-core-VERSION/(?:include|src)/.+\.(?:c|h|inc)", r"baton-core-VERSION/(?:LICENSE|README|NOTICE)(?:\.md)?"],
}
# Patterns that need not match anything.
OPTIONAL = {"core": {2}, "wheel": {1, 4, 5}, "deb": set(range(1, 10)), "deploy": {3}}


def version_of(name):
    found = re.search(r"\d+\.\d+\.\d+", name)
    return found[0] if found else ""


def check_names(kind, artefact, names):
    """Complaints about the names of files in an artefact."""
    rows = [re.compile(row.replace("VERSION", re.escape(version_of(artefact)))) for row in ALLOWED.get(kind, [])]
    used, complaints = set(), []
    for name in names:
        fits = [number for number, row in enumerate(rows) if row.fullmatch(name)]
        used.update(fits)
        if rows and not fits:
            complaints.append(f"{artefact}: {name} is surplus")
        if name.startswith("/") or ".." in name.split("/"):
            complaints.append(f"{artefact}: {name} leaves the folder in which it is unpacked")
    missing = set(range(len(rows))) - used - OPTIONAL.get(kind, set())
    return complaints + [f"{artefact}: nothing is there like {ALLOWED[kind][number]}" for number in sorted(missing)]


# Bytes, and bytes after brotli, that a file of an npm package may have.
BYTES_MAX = {"package/baton.wasm": (1_150_000, 360_000), "package/schema.wasm": (420_000, 145_000),
             "package/o200k.bin": (850_000, 710_000), "package/cl100k.bin": (400_000, 340_000)}


def measure(content):
    """The size of a file, and the one that a web server sends."""
    return len(content), len(output(["brotli", "--quality=11", "--lgwin=24", "--stdout"], input=content))


def check_sizes(artefact, members):
    """Complaints about files that are larger than promised."""
    for member in members:
        limits = BYTES_MAX.get(member.name)
        if limits:
            sizes = measure(member.content)
            if any(size > limit for size, limit in zip(sizes, limits)):
                yield f"{artefact}: {member.name} has {sizes[0]} bytes, compressed {sizes[1]}; at most {limits[0]} and {limits[1]} are allowed"


def check(kind, artefact, data):
    members = [member for member in archive.members(artefact, data) if not member.is_folder()]
    return check_names(kind, artefact, [member.name for member in members]) + list(check_sizes(artefact, members))
