# SPDX-License-Identifier: Apache-2.0
"""test_agent.py BATON - the key of a ledger in an SSH agent: the same signatures, and nothing recorded without them."""
import base64
import contextlib
import json
import pathlib
import stat
import tempfile

from handoffs import handoff, text_of
from ledger_tools import NOW, ORIGIN, OTHER_VKEY, VKEY, do, sign_bytes, told, verify
from program import claim, equal, expect, finish, run
from server import Server, bearer, make_token
from ssh_agents import lying_agent, public_file, signed, ssh_agent

PRIVATE = "PRIVATE+KEY+ledger.example/team+9789251b+AW/43THBwGy2x1zWX47AG8sG7DiDV13vmumv2BsOrPKa\n"
LINE = f"AGENT+KEY+{VKEY}\n"
PUBLIC = base64.b64decode(VKEY.split("+", 2)[2])[1:]
SEED = base64.b64decode(PRIVATE.strip().split("+", 4)[4])[1:]
OTHER_PUBLIC = base64.b64decode(OTHER_VKEY.split("+", 2)[2])[1:]


@contextlib.contextmanager
def ledger(line=LINE):
    """The ledger of the published example, whose key file has been replaced by `line`."""
    with tempfile.TemporaryDirectory(prefix="baton-ledger-") as name:
        folder = pathlib.Path(name)
        do(folder, "ledger", "init", "--origin", ORIGIN, "--seed", "1")
        key = folder / ".baton/ledger.key"
        equal(key.read_text(), PRIVATE)
        key.unlink()
        key.write_text(line)
        key.chmod(0o644)  # it has no secret
        (folder / "a.txt").write_text("hello\n")
        (folder / "b.txt").write_text("world\n")
        yield folder


def append(folder, file, socket, code=0, flags=()):
    return do(folder, "ledger", "append", "--raw", file, *NOW, *flags, "-f", "json", code=code, env={"SSH_AUTH_SOCK": socket})


def size(folder):
    return json.loads(do(folder, "ledger", "tail", "-f", "json").stdout)["size"]


def checkpoint(folder):
    return do(folder, "ledger", "checkpoint").stdout


def other_seed(folder):
    """The private bytes of the test key of seed 2, as a ledger has it."""
    do(folder, "ledger", "init", "--origin", ORIGIN, "--seed", "2", "--store", "other/store.db")
    return base64.b64decode((folder / "other/ledger.key").read_text().strip().split("+", 4)[4])[1:]


@claim
def an_agent_gives_the_same_checkpoint_byte_for_byte():
    with ledger(PRIVATE) as plain, ledger() as folder, ssh_agent() as (socket, add):
        (plain / ".baton/ledger.key").chmod(0o600)
        add(SEED, PUBLIC)
        for file in ("a.txt", "b.txt"):
            append(plain, file, "")
            append(folder, file, socket)
            equal(checkpoint(folder), checkpoint(plain))
        for format_ in ("dsse", "cose"):
            made = [do(where, "ledger", "receipt", "0", "--format", format_, env={"SSH_AUTH_SOCK": socket}).stdout
                    for where in (plain, folder)]
            equal(made[0], made[1])
        equal(told(verify(folder, code=0)), [])
        equal((folder / ".baton/ledger.key").read_text(), LINE)


@claim
def with_another_key_in_the_agent_nothing_is_recorded():
    with ledger() as folder, ssh_agent() as (socket, add):
        result = append(folder, "a.txt", socket, code=2)
        expect(result, 2, err="the SSH agent refused")
        add(other_seed(folder), OTHER_PUBLIC)
        expect(append(folder, "a.txt", socket, code=2), 2, err="the SSH agent refused")
        equal(size(folder), 0)
        add(SEED, PUBLIC)
        append(folder, "a.txt", socket)
        equal(size(folder), 1)


@claim
def no_agent_records_nothing():
    with ledger() as folder:
        for socket, words in (("", "SSH_AUTH_SOCK or ledger.agent"), ("nowhere", "no SSH agent: nowhere")):
            expect(append(folder, "a.txt", socket, code=2), 2, err=words)
        equal(size(folder), 0)


@claim
def what_a_hostile_agent_answers_is_never_used():
    right = signed(bytes(64))
    note = b"ledger.example/other\n0\n" + base64.b64encode(bytes(32)) + b"\n"
    with ledger() as folder:
        (folder / "private").write_text(PRIVATE)
        answers = {
            "a signature of other bytes": signed(sign_bytes(note, folder / "private")),
            "zeros": right,
            "a short signature": signed(bytes(63)),
            "a long signature": signed(bytes(65)),
            "another algorithm": signed(bytes(64), "ssh-rsa"),
            "bytes behind the signature": text_with_rest(right),
            "a length that is too long": b"\xff\xff\xff\xff" + right[4:],
            "an empty answer": b"\0\0\0\0",
            "a success without a signature": b"\0\0\0\1\6",
            "half an answer": right[:20],
            "nothing": b"",
        }
        for name, answer in answers.items():
            with lying_agent(answer) as (socket, requests):
                result = append(folder, "a.txt", socket, code=2)
                equal(b"cannot sign" in result.stderr and len(requests) == 1, True)
            equal((name, size(folder)), (name, 0))


def text_with_rest(answer):
    return (len(answer) - 4 + 1).to_bytes(4, "big") + answer[4:] + b"x"


@claim
def an_agent_that_never_answers_is_late():
    with ledger() as folder, lying_agent(None) as (socket, requests):
        expect(append(folder, "a.txt", socket, code=2, flags=("--deadline", "200")), 2, err="did not answer in time")
        equal((size(folder), len(requests)), (0, 1))


@claim
def only_what_is_to_be_signed_is_sent_and_no_secret():
    with ledger() as folder, lying_agent(b"\0\0\0\1\5") as (socket, requests):
        append(folder, "a.txt", socket, code=2)
        request = requests[0]
        equal(int.from_bytes(request[:4], "big"), len(request) - 4)
        equal((request[4], PUBLIC in request, b"ledger.example/team\n1\n" in request, request[-4:]), (13, True, True, bytes(4)))


@claim
def a_line_of_another_key_or_origin_is_refused():
    name, id_, key = VKEY.split("+", 2)
    for line, words in ((f"AGENT+KEY+{name}+00000000+{key}\n", "its id should be"), (f"AGENT+KEY+{OTHER_VKEY}\n", "not that of this ledger"),
                        (LINE.rstrip(), "one line"), (LINE + LINE[:20], ""), ("AGENT+KEY+\n", "NAME+ID+BASE64")):
        with ledger(line) as folder, ssh_agent() as (socket, add):
            add(SEED, PUBLIC)
            expect(append(folder, "a.txt", socket, code=2), 2, err=words)
            equal(size(folder), 0)


@claim
def a_private_key_beside_the_line_must_still_be_private():
    with ledger(PRIVATE) as folder:
        expect(append(folder, "a.txt", "", code=2), 2, err="chmod 600")


@claim
def init_writes_the_line_and_records_with_the_agent():
    with tempfile.TemporaryDirectory() as name, ssh_agent() as (socket, add):
        folder = pathlib.Path(name)
        (folder / "key.pub").write_text(public_file(PUBLIC))
        words = ["ledger", "init", "--origin", ORIGIN, "--agent", "key.pub"]
        expect(run(*words, cwd=folder, env={"SSH_AUTH_SOCK": socket}), 2, err="the SSH agent refused")
        equal(sorted(path.name for path in folder.iterdir()), ["key.pub"])
        add(SEED, PUBLIC)
        made = json.loads(do(folder, *words, "-f", "json", env={"SSH_AUTH_SOCK": socket}).stdout)
        equal((made["vkey"], made["test_key"]), (VKEY, False))
        equal((folder / ".baton/ledger.key").read_text(), LINE)
        (folder / "a.txt").write_text("hello\n")
        do(folder, "ledger", "append", "--raw", "a.txt", env={"SSH_AUTH_SOCK": socket})
        equal(told(verify(folder, code=0)), [])


@claim
def init_refuses_what_is_no_public_key_and_two_sources_of_a_key():
    weak = public_file(bytes(32))
    good = public_file(PUBLIC)
    rows = {"ssh-rsa AAAA x\n": "begins with ssh-ed25519", "ssh-ed25519 AAAA x\n": "not base64 of an Ed25519 key", "": "is empty",
            good + good: "one line", weak: "anyone can sign", good.replace("AAAAC3", "AAAAD3"): "not base64 of an Ed25519 key", PRIVATE: "one line"}
    with tempfile.TemporaryDirectory() as name, ssh_agent() as (socket, add):
        folder = pathlib.Path(name)
        add(SEED, PUBLIC)
        for content, words in rows.items():
            (folder / "key.pub").write_text(content)
            expect(run("ledger", "init", "--origin", ORIGIN, "--agent", "key.pub", cwd=folder, env={"SSH_AUTH_SOCK": socket}), 2, err=words)
        (folder / "key.pub").write_text(good)
        expect(run("ledger", "init", "--origin", ORIGIN, "--agent", "key.pub", "--seed", "1", cwd=folder), 2, err="exclude each other")
        equal(sorted(path.name for path in folder.iterdir()), ["key.pub"])


@claim
def the_configuration_names_the_agent():
    with ledger() as folder, ssh_agent() as (socket, add):
        add(SEED, PUBLIC)
        (folder / "baton.yaml").write_text(f"ledger: {{agent: {socket}}}\n")
        do(folder, "ledger", "append", "--raw", "a.txt", *NOW, "--config", "baton.yaml", env={"SSH_AUTH_SOCK": "nowhere"})
        equal(size(folder), 1)


@claim
def a_key_moves_into_an_agent_and_what_the_agent_refuses_changes_no_file():
    with ledger(PRIVATE) as folder, ssh_agent() as (socket, add):
        key, vkeys = folder / ".baton/ledger.key", folder / ".baton/ledger.vkey"
        key.chmod(0o600)
        (folder / "other.pub").write_text(public_file(OTHER_PUBLIC))
        words = ["ledger", "rotate-key", "--agent", "other.pub", *NOW]
        before = key.read_text(), vkeys.read_text()
        expect(run(*words, cwd=folder, env={"SSH_AUTH_SOCK": socket}), 2, err="the SSH agent refused")
        equal((key.read_text(), vkeys.read_text()), before)
        append(folder, "a.txt", "")
        add(other_seed(folder), OTHER_PUBLIC)
        do(folder, *words, env={"SSH_AUTH_SOCK": socket})
        equal(key.read_text(), PRIVATE + f"AGENT+KEY+{OTHER_VKEY}\n")
        equal(stat.S_IMODE(key.stat().st_mode), 0o600)
        expect(append(folder, "b.txt", "", code=2), 2, err="cannot sign")
        append(folder, "b.txt", socket)
        do(folder, "ledger", "rotate-key", "--end", *NOW, env={"SSH_AUTH_SOCK": socket})
        equal(key.read_text(), f"AGENT+KEY+{OTHER_VKEY}\n")
        append(folder, "b.txt", socket)
        equal(told(verify(folder, "--vkey", OTHER_VKEY, code=0)), [])
        for flags in (("--end",), ("--seed", "3")):
            expect(run("ledger", "rotate-key", "--agent", "other.pub", *flags, cwd=folder), 2, err="--agent takes neither")


@claim
def a_server_answers_503_while_the_agent_is_away_and_goes_on_when_it_is_back():
    with ssh_agent() as (socket, add), tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        here = folder / "agent"
        here.symlink_to(socket)
        add(SEED, PUBLIC)
        (folder / "key.pub").write_text(public_file(PUBLIC))
        token = make_token(folder, "ana", "submit")
        do(folder, "ledger", "init", "--origin", ORIGIN, "--store", "s.db", "--agent", "key.pub", env={"SSH_AUTH_SOCK": socket})
        server = Server(folder, "--store", "s.db", "--tokens", "tokens.json", env={"SSH_AUTH_SOCK": str(here)})

        def submit(number):
            return server.ask("POST", "/v1/handoffs", text_of(handoff(context={"summary": f"Number {number}"})),
                              {**bearer(token), "Content-Type": "application/json"}).status
        try:
            equal(submit(1), 201)
            here.unlink()
            equal(submit(2), 503)
            here.symlink_to(socket)
            equal(submit(3), 201)
            here.unlink()
            with lying_agent(b"\0\0\0\1\5") as (liar, requests):
                here.symlink_to(liar)
                server.ask("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {**bearer(token), "Content-Type": "application/json"})
                equal([b"baton derive v1 mcp-state" in request for request in requests], [True])
        finally:
            server.stop()
        equal(json.loads(do(folder, "ledger", "tail", "--store", "s.db", "-f", "json").stdout)["size"], 2)


finish()
