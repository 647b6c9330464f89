# SPDX-License-Identifier: Apache-2.0
"""test_token.py BATON - baton token: made once, kept as a digest, listed without it, taken back."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from program import claim, claim_if, equal, expect, finish, folder, report, run

NEW = ["token", "new", "--tokens", "t.json"]
NOW = ["--now", "2026-05-04T08:00:00Z"]


def entries(place):
    return json.loads(pathlib.Path(place, "t.json").read_text())["tokens"]


@claim
def a_token_is_printed_once_and_kept_as_a_digest():
    with folder({}) as place:
        text = expect(run(*NEW, "--name", "ci", "--scopes", "check", *NOW, cwd=place), 0).stdout.decode()
        equal(bool(re.fullmatch(r"bt_[A-Za-z0-9_-]{43}\n", text)), True)
        equal(entries(place), [{
            "name": "ci", "sha256": hashlib.sha256(text.strip().encode()).hexdigest(), "spki_sha256": None,
            "scopes": ["check"], "agents": [], "pump_client": None, "created": "2026-05-04T08:00:00Z", "expires": None}])
        equal(oct(os.stat(f"{place}/t.json").st_mode & 0o777), "0o600")


@claim
def scopes_are_kept_in_their_order_without_repeats():
    with folder({}) as place:
        shown = report(expect(run(*NEW, "--name", "x", "--scopes", "admin,check,submit,check", "-f", "json", cwd=place), 0))
        equal(shown["scopes"], ["check", "submit", "admin"])
        equal(entries(place)[0]["scopes"], ["check", "submit", "admin"])


@claim
def words_that_make_no_sense_leave_the_file_untouched():
    good = ["--name", "x", "--scopes", "check"]
    with folder({}) as place:
        expect(run(*NEW, *good, cwd=place), 0)
        before = pathlib.Path(place, "t.json").read_bytes()
        for words in (good, ["--name", "y", "--scopes", "check,fly"], ["--name", "y", "--scopes", ""], ["--name", "y"],
                      ["--scopes", "check"], ["--name", "-y", "--scopes", "check"], ["--name", "y" * 65, "--scopes", "check"],
                      ["--name", "local", "--scopes", "check"], ["--name", "console", "--scopes", "check"],
                      ["--name", "witness", "--scopes", "check"], ["--name", "y z", "--scopes", "check"],
                      ["--name", "y", "--scopes", "check", "--expires", "2026-05-04T08:00:00Z", *NOW],
                      ["--name", "y", "--scopes", "check", "--expires", "tomorrow"],
                      ["--name", "y", "--scopes", "submit", "--agent", "a b"],
                      ["--name", "y", "--scopes", "approve", "--agent", "a"],
                      ["--name", "y", "--scopes", "check,operate", "--agent", "a"],
                      ["--name", "y", "--scopes", "admin", "--agent", "a"],
                      ["--name", "y", "--scopes", "check", "--cert", "none.pem"],
                      ["--name", "y", "--scopes", "check", "--cert", "t.json"]):
            equal(expect(run(*NEW, *words, cwd=place), 2, err="").stdout, b"")
            equal(pathlib.Path(place, "t.json").read_bytes(), before)


@claim
def a_file_that_is_not_of_the_form_is_used_by_nobody():
    entry = {"name": "a", "sha256": "0" * 64, "spki_sha256": None, "scopes": ["check"], "agents": [],
             "pump_client": None, "created": "2026-05-04T08:00:00Z", "expires": None}
    good = {"baton_tokens": 1, "tokens": [entry]}
    with folder({"t.json": json.dumps(good)}) as place:
        expect(run("token", "list", "--tokens", "t.json", cwd=place), 0, "a     token  check   -       -\n")

    def changed(**changes):
        return {"baton_tokens": 1, "tokens": [{**entry, **changes}]}
    for bad in ("", "[]", {"baton_tokens": 3, "tokens": []}, {"tokens": []}, changed(logs=["a"]), {**good, "more": 1}, changed(more=1),
                changed(sha256="0" * 63), changed(sha256=None), changed(spki_sha256="0" * 64), changed(scopes=["fly"]),
                changed(scopes=[]), changed(scopes="check"), changed(agents=["a b"]), changed(name="local"),
                changed(created="today"), changed(expires="never"), changed(scopes=["approve"], agents=["a"]),
                {"baton_tokens": 1, "tokens": [entry, entry]},
                '{"baton_tokens":1,"baton_tokens":1,"tokens":[]}'):
        with folder({"t.json": bad if isinstance(bad, str) else json.dumps(bad)}) as place:
            for words in (["list"], ["revoke", "a"], ["new", "--name", "b", "--scopes", "check"]):
                expect(run("token", *words, "--tokens", "t.json", cwd=place), 2, err="t.json")


@claim
def an_expired_token_is_listed_as_such():
    with folder({}) as place:
        expect(run(*NEW, "--name", "x", "--scopes", "submit", "--agent", "clerk", "--expires", "2026-06-01T02:00:00+02:00", *NOW,
                   cwd=place), 0)
        for now, expired in (("2026-05-31T23:59:59Z", False), ("2026-06-01T00:00:00Z", True)):
            item = report(expect(run("token", "list", "--tokens", "t.json", "--now", now, "-f", "json", cwd=place), 0))["tokens"][0]
            equal((item["expires"], item["expired"], item["agents"]), ("2026-06-01T00:00:00Z", expired, ["clerk"]))
        expect(run("token", "list", "--tokens", "t.json", *NOW, cwd=place), 0, "x     token  submit  clerk   2026-06-01T00:00:00Z\n")


@claim_if(shutil.which("openssl"), "there is no openssl")
def a_certificate_is_bound_by_its_key():
    with folder({}) as place:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=a", "-keyout", "k.pem",
                        "-out", "c.pem"], cwd=place, check=True, capture_output=True)
        key = subprocess.run(["openssl", "x509", "-in", "c.pem", "-noout", "-pubkey"], cwd=place, check=True,
                             capture_output=True).stdout
        der = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "DER"], input=key, check=True, capture_output=True).stdout
        shown = report(expect(run(*NEW, "--name", "x", "--scopes", "check", "--cert", "c.pem", "-f", "json", cwd=place), 0))
        equal(shown["token"], None)
        equal((entries(place)[0]["sha256"], entries(place)[0]["spki_sha256"]), (None, hashlib.sha256(der).hexdigest()))
        item = report(expect(run("token", "list", "--tokens", "t.json", "-f", "json", cwd=place), 0))["tokens"][0]
        equal(item["kind"], "certificate")


@claim
def of_many_at_once_none_is_lost():
    with folder({}) as place:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for result in pool.map(lambda i: run(*NEW, "--name", f"n{i}", "--scopes", "check", cwd=place), range(24)):
                expect(result, 0)
        equal(sorted(item["name"] for item in entries(place)), sorted(f"n{i}" for i in range(24)))


sys.exit(finish())
