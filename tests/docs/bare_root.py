# SPDX-License-Identifier: Apache-2.0
"""bare_root.py - a bare Debian root for pages: the essential packages, what the program links, and the tools that pages name.

The root is copied from the packages of this machine, by their own file lists, so that a page cannot use anything else of it: no
configuration, no home folder, no package that the page does not say. Commands run in it by chroot, in namespaces of their own.
"""
import functools
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess

TOOLS = ("curl", "git", "jq", "openssl", "procps", "python3")
PROGRAM = pathlib.Path("/usr/local/lib/baton/baton")
DEVICES = ("null", "zero", "random", "urandom", "tty")
INFO = pathlib.Path("/var/lib/dpkg/info")
LEFT_OUT = ("/usr/share/doc/", "/usr/share/man/", "/usr/share/locale/", "/usr/share/info/")


class BareRootError(Exception):
    """No root can be made here."""


def query(*arguments):
    done = subprocess.run(["dpkg-query", *arguments], capture_output=True, text=True, check=False)
    return done.stdout


def installed():
    """{package: (is essential, names that it needs)} of this machine."""
    found, provided = {}, {}
    rows = query("-W", "-f", "${Package}\t${Essential}\t${db:Status-Status}\t${Provides}\t${Pre-Depends}, ${Depends}\n")
    for row in rows.splitlines():
        name, essential, status, provides, needs = row.split("\t")
        if status != "installed":
            continue
        alternatives = [[re.split(r"[ :(]", one.strip())[0] for one in group.split("|")] for group in needs.split(",") if group.strip()]
        found[name] = (essential == "yes", alternatives)
        for other in provides.split(","):
            provided.setdefault(re.split(r"[ :(]", other.strip())[0], name)
    return found, provided


def owners(program):
    """Packages that own the libraries of a program."""
    names = set()
    for line in subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout.splitlines():
        match = re.search(r"=> (/\S+)", line)
        for path in {match[1], os.path.realpath(match[1])} if match else ():
            for candidate in (path, path.removeprefix("/usr"), "/usr" + path):
                owner = query("-S", candidate)
                if owner:
                    names.add(owner.partition(":")[0])
                    break
    return names


def closure(names):
    found, provided = installed()
    wanted, result = [*names, *(name for name, (essential, _) in found.items() if essential)], set()
    while wanted:
        name = wanted.pop()
        name = name if name in found else provided.get(name)
        if name and name not in result:
            result.add(name)
            for group in found[name][1]:
                wanted.extend(next(([one] for one in group if one in found or one in provided), []))
    return sorted(result)


def files_of(package):
    for path in (INFO / f"{package}.list", *INFO.glob(f"{package}:*.list")):
        if path.exists():
            return path.read_text().splitlines()
    return []


@functools.cache
def folder_in(root, name):
    """The folder of the root for a folder of this machine. Merged folders (/bin, /lib) are followed."""
    target = root / os.path.realpath(name).lstrip("/")
    target.mkdir(parents=True, exist_ok=True)
    return target


def copy_entry(name, root):
    """One file, link or folder of this machine into the root."""
    if name in ("/.", "") or name.startswith(LEFT_OUT):
        return
    target = folder_in(root, os.path.dirname(name)) / os.path.basename(name)
    if os.path.lexists(target):
        return
    if os.path.islink(name):
        os.symlink(os.readlink(name), target)
    elif os.path.isdir(name):
        target.mkdir()
    elif os.path.isfile(name):
        shutil.copy2(name, target)
        compiled = importlib.util.cache_from_source(name) if name.endswith(".py") else ""  # made when the package was installed
        if os.path.isfile(compiled):
            shutil.copy2(compiled, folder_in(root, os.path.dirname(compiled)))


def make(root, program=None, more=()):
    """A bare root below `root` with the program, if one is given, as PROGRAM, and with more packages. The names of its packages."""
    if not shutil.which("dpkg-query") or subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode != 0:
        raise BareRootError("this machine has no Debian packages, or allows no namespaces")
    packages = closure([*TOOLS, *more, *(owners(program) if program else ())])
    for folder in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "etc", "proc", "dev", "tmp", "root", "usr/local/lib/baton", "var/tmp", "run"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        os.symlink(f"usr/{name}", root / name)
    for package in packages:
        for name in files_of(package):
            copy_entry(name, root)
    for name in ("/etc/alternatives", "/etc/ld.so.conf.d"):
        if os.path.isdir(name):
            shutil.copytree(name, str(root) + name, symlinks=True, dirs_exist_ok=True)
    for name in ("/etc/ld.so.conf", "/etc/passwd", "/etc/group"):
        shutil.copy2(name, str(root) + name)
    if "gcc" in packages:
        copy_entry("/usr/bin/cc", root)  # a link that the package makes when it is installed
    for name in DEVICES:
        (root / "dev" / name).touch()
    if program:
        shutil.copy2(program, str(root) + str(PROGRAM))
        add_python_package(root, pathlib.Path(program).parents[2])
    return packages


def add_python_package(root, build):
    """What the packages python3-baton and libbaton0 hold, when the build has it."""
    if (build / "sdk/python/baton/_core.abi3.so").exists():
        shutil.copytree(build / "sdk/python/baton", root / "usr/lib/python3/dist-packages/baton", ignore=shutil.ignore_patterns("*.p", "__pycache__"))
        (root / "usr/local/lib").mkdir(parents=True, exist_ok=True)
        shutil.copy2(build / "src/libbaton.so.0", root / "usr/local/lib/libbaton.so.0")


def command(root):
    """The words that start a program in the root; its own words follow. It sees its processes and devices, and nothing else of this machine."""
    binds = "".join(f"mount --bind /dev/{name} '{root}/dev/{name}' && " for name in DEVICES)
    script = f"{binds}mount -t proc proc '{root}/proc' && ldconfig -r '{root}' && exec chroot '{root}' \"$@\""
    return ["unshare", *(["-r"] if os.getuid() != 0 else []), "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh"]
