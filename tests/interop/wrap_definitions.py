# SPDX-License-Identifier: Apache-2.0
"""wrap_definitions.py BATON NODE_MODULES - definitions of real servers: each member, and values below it, changed alone is reported, and nothing
is reported when nothing changed, in both eras, over BATON_WRAP_RESTARTS starts. The control is a digest that leaves the description out."""
import copy
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BATON, MODULES = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
LISTER = [sys.executable, str(pathlib.Path(__file__).parent.parent.resolve() / "wrap/lister.py")]
RESTARTS = int(os.environ.get("BATON_WRAP_RESTARTS", "1000"))
WANTED = 100
VALUES = 60  # of one definition: all its members, and of the values below them every n-th
SERVERS = (["mcp-server-everything"], ["mcp-server-filesystem", "."], ["mcp-server-memory"], ["mcp-server-sequential-thinking"], ["mcp-server-github"],
           ["playwright-mcp"], ["chrome-devtools-mcp"], ["notion-mcp-server"], ["context7-mcp"])


def run(place, *words, codes=(0,)):
    result = subprocess.run([BATON, *words], cwd=place, capture_output=True, check=False, timeout=120)
    if result.returncode not in codes:
        raise SystemExit(f"baton {' '.join(words)}: exit {result.returncode}: {result.stderr.decode()[-2000:]}")
    return result


def collect(place):
    """The definitions of the servers that can be asked here, by name; of two with one name the first."""
    found = {}
    for command, *more in SERVERS:
        program = pathlib.Path(MODULES, ".bin", command)
        result = run(place, "wrap", "pin", "--lock", "real.lock", "--name", command, "--era", "legacy", "--", str(program), *more, codes=(0, 1, 2))
        if result.returncode == 0:
            tools = json.loads(pathlib.Path(place, "real.lock").read_text(encoding="utf-8"))["servers"][command]["tools"]
            print(f"# {command}: {len(tools)} tools")
            found = {**{name: item["definition"] for name, item in tools.items()}, **found}
        else:
            print(f"# {command} cannot be asked here: {result.stderr.decode().strip()[-200:]}")
    return found


def paths_of(value, path=()):
    """Where the values of a definition are, its name left out: another name is another definition."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        if (*path, key) != ("name",):
            yield (*path, key)
            yield from paths_of(child, (*path, key))


def choose(definition):
    paths = list(paths_of(definition))
    members, below = [path for path in paths if len(path) == 1], [path for path in paths if len(path) > 1]
    return members + below[::len(below) // VALUES + 1]


def change(definition, path):
    """The definition with one value changed."""
    changed = copy.deepcopy(definition)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    old = holder[path[-1]]
    if isinstance(old, bool) or old is None:
        holder[path[-1]] = not old
    elif isinstance(old, str):
        holder[path[-1]] = old + " "
    elif isinstance(old, (int, float)):
        holder[path[-1]] = old + 1
    elif isinstance(old, dict):
        old["added by a test"] = True
    else:
        old.append("added by a test")
    return changed


def digest(definition):
    """The control: what does not count the description."""
    rest = {name: value for name, value in definition.items() if name != "description"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def diff(place, definitions, era):
    shown = {"tools": list(definitions.values()), "modern": era == "modern"}
    pathlib.Path(place, "shown.json").write_text(json.dumps(shown), encoding="utf-8")
    result = run(place, "wrap", "diff", "--name", "s", "--era", era, "-f", "json", "--", *LISTER, codes=(0, 1))
    return {finding["pointer"][len("/tools/"):] for finding in json.loads(result.stdout)["documents"][0]["findings"]}


def main():
    with tempfile.TemporaryDirectory(prefix="baton-definitions-") as place:
        definitions = collect(place)
        if len(definitions) < WANTED:
            raise SystemExit(f"only {len(definitions)} definitions of {WANTED}")
        pathlib.Path(place, "shown.json").write_text(json.dumps({"tools": list(definitions.values())}), encoding="utf-8")
        run(place, "wrap", "pin", "--name", "s", "--", *LISTER)
        paths = {name: choose(definition) for name, definition in definitions.items()}
        changes = reported = missed = 0
        for number in range(max(map(len, paths.values()))):
            changed = {name: change(definitions[name], own[number]) for name, own in paths.items() if number < len(own)}
            found = diff(place, {**definitions, **changed}, "modern" if number % 2 else "legacy")
            wrong = found ^ {name.replace("~", "~0").replace("/", "~1") for name in changed}
            if wrong:
                raise SystemExit(f"reported or not: {sorted(wrong)}")
            changes += len(changed)
            reported += len(found)
            missed += sum(digest(changed[name]) == digest(definitions[name]) for name in changed)
        print(f"ok - {reported} of {changes} values of {len(definitions)} definitions, each changed alone, are reported; a digest without the description misses {missed}")
        if missed == 0:
            raise SystemExit("the control finds everything")
        false = sum(len(diff(place, definitions, "modern" if number % 2 else "legacy")) for number in range(RESTARTS))
        print(f"ok - {false} reports in {RESTARTS} starts of both eras when nothing changed")
        return 1 if false else 0


sys.exit(main())
