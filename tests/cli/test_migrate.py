# SPDX-License-Identifier: Apache-2.0
"""test_migrate.py BATON - the commands of docs/migrate/contract.md do what the page says, in its order, in an empty folder."""
import pathlib
import re
import subprocess

from program import BATON, ROOT, claim, environment, equal, finish, folder

PAGE = ROOT / "docs/migrate/contract.md"


def scripts(text):
    """The blocks of commands. One may hold a fence of its own in a here-document."""
    found, lines = [], iter(text.split("\n"))
    for line in lines:
        if line != "```sh":
            continue
        script, inside = [], False
        for line in lines:
            if line == "```" and not inside:
                break
            inside = line.startswith("cat > ") or (inside and line != "EOF")
            script.append(line)
        found.append("\n".join(script) + "\n")
    return found


@claim
def the_page_runs_from_top_to_bottom():
    with folder({}) as place:
        made = pathlib.Path(place) / "bin"
        made.mkdir()
        (made / "baton").symlink_to(BATON)
        env = environment()
        env["PATH"] = f"{made}:{env['PATH']}"
        blocks = scripts(PAGE.read_text(encoding="utf-8"))
        equal(len(blocks), 7)
        for block in blocks:
            done = subprocess.run(["sh", "-eu", "-c", block], cwd=place, env=env, capture_output=True, text=True, timeout=60, check=False)
            if done.returncode != 0:
                raise AssertionError(f"{block}\nexit {done.returncode}\n{done.stdout}{done.stderr}")


@claim
def every_flag_and_command_of_the_page_exists():
    helps = subprocess.run([BATON, "help", "contract", "submit"], capture_output=True, text=True, check=True).stdout
    for flag in re.findall(r"`(--(?:transitions|off-list|approval-ids))", PAGE.read_text(encoding="utf-8")):
        equal((flag, flag in helps), (flag, True))


finish()
