# SPDX-License-Identifier: Apache-2.0
"""test_dash.py BATON [COUNT] - commands without substitutions are read into the words that a POSIX shell gives to programs.

The programs p and q are functions that write their words down: what dash hands to them must be what the reader of the command gate
lists. With COUNT so many commands are tried instead of a few.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tree"))

import tap  # noqa: E402

BATON = str(pathlib.Path(sys.argv[1]).resolve())
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 100
# Each call is one write to descriptor 3, so that those of a pipeline do not mix.
FUNCTIONS = """
p() { printf '%s' "$(printf 'p'; for word do printf '\\037%s' "$word"; done; printf '\\036x')" >&3; }
q() { printf '%s' "$(printf 'q'; for word do printf '\\037%s' "$word"; done; printf '\\036x')" >&3; return 1; }
"""
LETTERS = "ab1_-.=/:,@%+ \t;|&()<>#'\"\\{}!\n~é"


def made_word(rng):
    """A word of parts in every kind of quotes; nothing that a shell would expand."""
    parts = []
    for _ in range(rng.randrange(1, 4)):
        text = "".join(rng.choice(LETTERS) for _ in range(rng.randrange(0, 5)))
        kind = rng.randrange(4)
        if kind == 0:
            parts.append("'" + text.replace("'", "") + "'")
        elif kind == 1:
            parts.append('"' + "".join("\\" + letter if letter in '"\\' else letter for letter in text) + '"')
        elif kind == 2:
            parts.append("".join("\\" + letter for letter in text if letter != "\n"))
        else:
            plain = "".join(letter for letter in text if letter in "ab1_-.=/:,@%+é")
            parts.append(plain + rng.choice(("", "\\\n", "#" if plain else "")))
    return "".join(parts)


def made_command(rng, name):
    words = [rng.choice(("", "", "X=1 ", "Y='a b' ")) + name]
    for _ in range(rng.randrange(0, 4)):
        words.append(rng.choice((made_word(rng), made_word(rng), made_word(rng), "2>&1", ">/dev/null", "< /dev/null", "2>>/dev/null", "if", "}", "done")))
    return rng.choice((" ", "  ", "\t", " \\\n ")).join(words)


def made_list(rng, depth=0):
    kind = rng.randrange(10 if depth < 3 else 5)
    if kind < 5:
        return made_command(rng, "p")
    inner = made_list(rng, depth + 1)
    if kind == 5:
        return f"{inner}{rng.choice((';', ' && ', ' &&' + chr(10), chr(10), ' # it is' + chr(10)))}{made_list(rng, depth + 1)}"
    if kind == 6:
        return f"({inner})"
    if kind == 7:
        return f"{{ {inner}\n}}"
    if kind == 8:
        return f"if {inner}\nthen {made_list(rng, depth + 1)}\nfi"
    return f"{made_command(rng, 'q')} || {inner}"


def made_text(rng):
    text = made_list(rng)
    if rng.random() < 0.15:
        body = "".join(rng.choice("ab 'é\"#;|\n") for _ in range(12))
        text = f"{made_command(rng, 'p')} <<'END'\n{body}\nEND\n{text}"
    return text


def by_dash(text, place):
    """What dash gives to p and q, or None when it is not a program to dash."""
    script = pathlib.Path(place, "script")
    script.write_text(FUNCTIONS + text + "\n")
    with open(pathlib.Path(place, "out"), "wb+") as out:
        done = subprocess.run(["sh", "-c", 'exec 3>"$1"; exec dash script', "sh", "out"], cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        out.seek(0)
        written = out.read().decode()
    if b"yntax error" in done.stderr or b"nterminated" in done.stderr:
        return None
    return sorted(record.split("\x1f") for record in written.split("\x1ex") if record)


def by_baton(text, place):
    """The commands that the gate reads; None when the text is not understood."""
    script = pathlib.Path(place, "text")
    script.write_text(text)
    done = subprocess.run([BATON, "gate", "check", "-f", "json", "--command-file", str(script)], cwd=place, stdout=subprocess.PIPE, check=False,
                          env={"HOME": place, "PATH": "/usr/bin:/bin"})
    gate = json.loads(done.stdout)["gate"]
    return sorted(gate["commands"]) if gate["understood"] else None


@tap.claim
def words_are_those_of_a_shell():
    rng = random.Random(20)
    compared = 0
    with tempfile.TemporaryDirectory() as place:
        for number in range(COUNT):
            text = made_text(rng)
            wanted, found = by_dash(text, place), by_baton(text, place)
            if wanted is None:
                continue  # dash says that it is not a program; the reader may say anything
            if found != wanted:
                raise AssertionError(f"{number}: {text!r}\ndash:  {wanted}\nbaton: {found}")
            compared += 1
    print(f"# {compared} of {COUNT} commands compared")
    if compared < COUNT * 3 // 4:
        raise AssertionError(f"only {compared} of {COUNT} were programs to dash")


sys.exit(tap.run())
