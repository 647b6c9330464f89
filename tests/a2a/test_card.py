# SPDX-License-Identifier: Apache-2.0
"""test_card.py BATON FAIL_SIGN - the signatures of the agent card: openssl verifies them, by what the vkey says."""
import base64
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import claim, equal, expect, finish, run  # noqa: E402
from server import ORIGIN, Server, serving  # noqa: E402

FAIL_SIGN = str(pathlib.Path(sys.argv[2]).resolve())
PATH = "/.well-known/agent-card.json"
PUBLIC_DER = bytes.fromhex("302a300506032b6570032100")  # what stands before an Ed25519 key in its DER form


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def canonical(card):
    """RFC 8785 of a card, whose names are ASCII and whose numbers are none."""
    return json.dumps(card, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def cleaned(value):
    """Without what is empty or a default, which A2A 1.0 wants left out of what is signed: None when nothing is left."""
    if isinstance(value, dict):
        kept = {name: cleaned(item) for name, item in value.items() if not (name == "required" and item is False)}
        value = {name: item for name, item in kept.items() if item is not None}
    elif isinstance(value, list):
        value = [item for item in map(cleaned, value) if item is not None]
    return None if value in ("", [], {}) else value


def is_signed(signature, payload, vkey):
    """Whether openssl says that the signature of this key fits."""
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        (place / "key").write_bytes(PUBLIC_DER + base64.b64decode(vkey.split("+", 2)[2])[1:])
        (place / "text").write_text(f"{signature['protected']}.{encode(payload)}")
        (place / "signature").write_bytes(decode(signature["signature"]))
        said = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", place / "key", "-keyform", "DER", "-rawin", "-in", place / "text",
                               "-sigfile", place / "signature"], capture_output=True, check=False)
    equal((said.returncode == 0), b"Signature Verified Successfully" in said.stdout)
    return said.returncode == 0


def shown(server):
    """The card without its signatures, and these."""
    card = server.ask("GET", PATH).json()
    return card, card.pop("signatures", None)


def vkeys(folder):
    return (folder / "s.db.vkey").read_text().split()


def kid(vkey):
    return "+".join(vkey.split("+", 2)[:2])


def header(signature):
    return json.loads(decode(signature["protected"]))


def put_key(path, text, mode=0o600):
    """Replace the file of a key, as a rotation does."""
    new = path.with_suffix(".new")
    new.write_bytes(text)
    new.chmod(mode)
    new.replace(path)


def check_signatures(server, keys):
    card, signatures = shown(server)
    equal([header(signature) for signature in signatures], [{"alg": "EdDSA", "kid": kid(vkey), "typ": "JOSE"} for vkey in keys * 2])
    forms = [canonical(cleaned(card))] * len(keys) + [canonical(card)] * len(keys)
    equal([is_signed(*row) for row in zip(signatures, forms, keys * 2)], [True] * 2 * len(keys))
    return card, signatures


@claim
def the_card_is_signed_by_the_key_of_the_ledger():
    for tokens in ({}, {"a": "check"}):
        with serving(tokens=tokens) as server:
            key, = vkeys(server.folder)
            equal(kid(key).split("+")[0], ORIGIN)
            check_signatures(server, [key])


@claim
def a_card_with_one_byte_changed_is_not_signed():
    with serving(tokens={"a": "check"}) as server:
        key, = vkeys(server.folder)
        card, (lean, whole) = check_signatures(server, [key])
        for signature, payload in ((lean, canonical(cleaned(card))), (whole, canonical(card))):
            changed = payload.replace(b"Baton", b"Baron", 1)
            equal((changed != payload, is_signed(signature, changed, key)), (True, False))
            other = decode(signature["signature"])
            other = {**signature, "signature": encode(other[:40] + bytes([other[40] ^ 1]) + other[41:])}
            equal(is_signed(other, payload, key), False)
        equal(is_signed(whole, canonical({**card, "securityRequirements": []}), key), False)


@claim
def the_tag_of_a_card_stays_and_follows_what_the_card_says():
    with serving() as server:
        first, again = (server.ask("GET", PATH) for _ in range(2))
        equal((first.body, first.headers["etag"]), (again.body, again.headers["etag"]))
        equal(server.ask("GET", PATH, headers={"If-None-Match": first.headers["etag"]}).status, 304)
        other = server.ask("GET", PATH, headers={"Host": f"localhost:{server.port}"})
        equal((other.status, other.headers["etag"] == first.headers["etag"]), (200, False))
        card = other.json()
        signatures = card.pop("signatures")
        equal(is_signed(signatures[1], canonical(card), vkeys(server.folder)[0]), True)
        equal(server.ask("GET", PATH).body, first.body)


@claim
def a_name_in_any_script_is_signed():
    name = "Stafette \u00e9\U0001F3C3 <&/>"
    with serving(config=f"a2a:\n  name: '{name}'\n") as server:
        equal(check_signatures(server, vkeys(server.folder))[0]["name"], name)


@claim
def both_keys_sign_while_they_are_rotated_and_then_the_new_one():
    with serving() as first:
        check_signatures(first, vkeys(first.folder))
        words = ("ledger", "rotate-key", "--store", "s.db")
        for flags, signing in (((), slice(0, 2)), (("--end",), slice(1, 2))):
            expect(run(*words, *flags, cwd=first.folder), 0)
            second = Server(first.folder, "--store", "s.db")
            try:
                for server in (first, second):  # one that runs for long, and one that has just begun
                    check_signatures(server, vkeys(first.folder)[signing])
            finally:
                second.stop()


@claim
def a_card_that_cannot_be_signed_is_not_shown():
    with serving() as server:
        path = server.folder / "s.db.key"
        key = path.read_bytes()
        before = server.ask("GET", PATH)
        for wrong, mode in ((b"no key", 0o600), (key, 0o644), (key.replace(b"live", b"dead"), 0o600)):
            put_key(path, wrong, mode)
            answer = server.ask("GET", PATH)
            equal((answer.status, answer.json()["code"], "retry-after" in answer.headers), (503, "STORE_UNAVAILABLE", True))
            put_key(path, key)
            equal(server.ask("GET", PATH).body, before.body)


@claim
def a_card_whose_signatures_cannot_be_made_is_a_failure_and_never_goes_without_them():
    # A sanitizer wants to be loaded first, and does not need to be.
    with serving(env={"LD_PRELOAD": FAIL_SIGN, "ASAN_OPTIONS": "verify_asan_link_order=0"}) as server:
        known = server.ask("GET", PATH)
        other = {"Host": f"localhost:{server.port}"}
        for fault, said in (("no-signature", (503, "STORE_UNAVAILABLE")), ("no-memory", (500, "INTERNAL"))):
            (server.folder / fault).write_text("")
            for _ in range(2):
                answer = server.ask("GET", PATH, headers=other)
                equal((answer.status, answer.json()["code"], "etag" in answer.headers, "skills" in answer.json()), (*said, False, False))
            (server.folder / fault).unlink()
            equal(server.ask("GET", PATH).body, known.body)
        card = server.ask("GET", PATH, headers=other).json()
        signatures = card.pop("signatures")
        equal(is_signed(signatures[1], canonical(card), vkeys(server.folder)[0]), True)


@claim
def without_a_key_there_is_no_signature():
    with serving(store=False) as server:
        equal(shown(server)[1], None)
    with serving() as first:
        second = Server(first.folder, "--store", "s.db", "--read-only")
        try:
            equal(shown(second)[1], None)
        finally:
            second.stop()


sys.exit(finish())
