# SPDX-License-Identifier: Apache-2.0
"""test_auth.py BATON - who may call a server: pages, names, tokens, certificates, scopes, rates; sockets of every kind."""
import contextlib
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, TIMEOUT_S, claim, claim_if, equal, expect, finish, run  # noqa: E402
from raw_server import CHECK, Server, make_certificate, serving, trusting  # noqa: E402

EVIL = "https://evil.example"
LISTED = "https://pages.example"
CORS = f"cors:\n  origins: ['{LISTED}']\nhosts: ['baton.test:9', 'plain.test']\npublic_url: https://public.example/base\n"


def token(folder, name, scopes, *more):
    """A new entry of the file of tokens; its text."""
    return expect(run("token", "new", "--tokens", f"{folder}/tokens.json", "--name", name, "--scopes", scopes, *more), 0).stdout.decode().strip()


@contextlib.contextmanager
def with_tokens(*args, **more):
    """A server with a file of tokens, and the texts of its tokens by name."""
    with tempfile.TemporaryDirectory(prefix="baton-tokens-") as folder:
        texts = {name: token(folder, name, scopes) for name, scopes in (("checker", "check"), ("submitter", "submit"), ("boss", "admin"))}
        with serving("--tokens", f"{folder}/tokens.json", *args, **more) as server:
            yield server, texts, pathlib.Path(folder)


def reload(server):
    """Send SIGHUP and wait until the log tells what came of it: whether it was done."""
    before = len(server.events())
    server.signal(signal.SIGHUP)
    ended = time.monotonic() + TIMEOUT_S
    while time.monotonic() < ended:
        for event in server.events()[before:]:
            if event["event"] in ("reloaded", "reload-refused"):
                return event["event"] == "reloaded"
        time.sleep(0.02)
    raise AssertionError(server.log()[-2000:])


@claim
def pages_of_other_origins_reach_no_handler():
    with serving(files={"baton.yaml": CORS}) as server:
        own = server.url
        for origin, status in ((EVIL, 403), ("null", 403), (own + "x", 403), (own.replace("http", "https"), 403), (own.rsplit(":", 1)[0], 403), ("", 403),
                               (own, 200), (own.replace("127.0.0.1", "localhost"), 200), ("https://public.example", 200), (LISTED, 200)):
            answer = server.ask("POST", "/v1/check?as=universal", CHECK, origin=origin)
            equal((origin, answer.status), (origin, status))
            equal((origin, answer.fields.get("access-control-allow-origin")), (origin, LISTED if origin == LISTED else None))
        # A page cannot choose Sec-Fetch-Site; only the reading methods may cross.
        for method, site, origin, status in (("POST", "cross-site", None, 403), ("POST", "same-origin", None, 200), ("GET", "cross-site", None, 200),
                                             ("POST", "cross-site", LISTED, 200)):
            path, body = ("/healthz", None) if method == "GET" else ("/v1/check?as=universal", CHECK)
            equal((method, site, server.ask(method, path, body, sec_fetch_site=site, origin=origin).status), (method, site, status))


@claim
def preflights_are_answered_for_listed_origins_only():
    with serving(files={"baton.yaml": CORS}) as server:
        asked = {"access_control_request_method": "POST", "access_control_request_headers": "authorization"}
        answer = server.ask("OPTIONS", "/v1/check", origin=LISTED, **asked)
        equal((answer.status, answer.fields["access-control-allow-origin"], "POST" in answer.fields["access-control-allow-methods"]), (204, LISTED, True))
        equal("access-control-allow-credentials" in answer.fields, False)
        equal(server.ask("OPTIONS", "/v1/check", origin=EVIL, **asked).code, "ORIGIN_NOT_ALLOWED")
        equal(server.ask("OPTIONS", "/v1/check", origin=server.url, **asked).code, "METHOD_NOT_ALLOWED")


@claim
def a_rebound_name_is_not_ours():
    with serving(files={"baton.yaml": CORS}) as server:
        port = server.place[1]
        for host, status in ((f"127.0.0.1:{port}", 200), (f"LOCALHOST:{port}", 200), (f"[::1]:{port}", 200), ("baton.test:9", 200), ("plain.test", 200),
                             ("public.example", 200), ("localhost", 421), (f"localhost:{port + 1}", 421), (f"evil.example:{port}", 421), ("", 421),
                             (f"127.0.0.1.evil.example:{port}", 421), (f"127.0.0.2:{port}", 421), ("baton.test", 421)):
            answer = server.ask("GET", "/healthz", host=host)
            equal((host, answer.status), (host, status))
        # Origin is tested first.
        equal(server.ask("GET", "/healthz", host="evil.example", origin=EVIL).code, "ORIGIN_NOT_ALLOWED")


@claim
def programs_of_this_machine_may_check_unless_a_proxy_speaks_for_them():
    with serving() as server:
        equal(server.ask("POST", "/v1/check?as=universal", CHECK).status, 200)
        for mark in ("forwarded", "via", "x_forwarded_for", "x_forwarded_anything"):
            answer = server.ask("POST", "/v1/check?as=universal", CHECK, **{mark: "for=1.2.3.4"})
            equal((mark, answer.status, answer.code, answer.fields["www-authenticate"]), (mark, 401, "UNAUTHENTICATED", 'Bearer realm="baton"'))
        equal(server.as_admin("POST", "/v1/check?as=universal", CHECK, via="1.1 proxy").status, 200)
    with serving(files={"baton.yaml": "auth: {anonymous: []}\n"}) as server:
        equal(server.ask("POST", "/v1/check?as=universal", CHECK).status, 401)
        equal(server.ask("GET", "/healthz").status, 200)


@claim
def tokens_open_what_their_scopes_hold():
    with with_tokens() as (server, texts, folder):
        equal(server.token, None)
        ask = lambda path, text, body=None: server.ask("POST" if body else "GET", path, body, authorization=text)
        equal(ask("/v1/check?as=universal", f"Bearer {texts['checker']}", CHECK).status, 200)
        equal(ask("/v1/check?as=universal", f"bEARER {texts['boss']}", CHECK).status, 200)
        answer = ask("/v1/check?as=universal", f"Bearer {texts['submitter']}", CHECK)
        equal((answer.status, answer.code, answer.json["scope"], "findings" in answer.json), (403, "SCOPE_MISSING", "check", False))
        equal([ask("/metrics", f"Bearer {texts[name]}").status for name in ("checker", "boss")], [403, 200])
        bodies = set()
        for text in ("", "Bearer", "Bearer ", f"Basic {texts['boss']}", f"Bearer {texts['boss']}x", f"Bearer {texts['boss'][:-1]}", "Bearer bt_" + "A" * 43):
            answer = server.ask("POST", "/v1/check?as=universal", CHECK, authorization=text, x_request_id="same")
            bodies.add((answer.status, answer.body))
        equal(len(bodies), 1)
        # What is revoked is out when the server has read the file again.
        expect(run("token", "revoke", "checker", "--tokens", str(folder / "tokens.json")), 0)
        equal(ask("/v1/check?as=universal", f"Bearer {texts['checker']}", CHECK).status, 200)
        equal(reload(server), True)
        equal(ask("/v1/check?as=universal", f"Bearer {texts['checker']}", CHECK).status, 401)


def follow(server, text):
    """A stream of entries, opened with a token."""
    connection = server.connect().send(f"GET /v1/handoffs/stream HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {text}\r\n\r\n".encode())
    equal(connection.answer().status, 200)
    return connection


def ends_within(connection, seconds):
    """Whether the server ends the response and closes the connection."""
    connection.socket.settimeout(seconds)
    said = b""
    try:
        for piece in iter(lambda: connection.socket.recv(4096), b""):
            said += piece
    except TimeoutError:
        return False
    return said.endswith(b"0\r\n\r\n")


@claim
def a_stream_ends_when_its_token_expires_or_is_revoked():
    """One stream with a token that expires, one whose token is revoked, one whose token stays: that one goes on."""
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 4))
    with tempfile.TemporaryDirectory(prefix="baton-tokens-") as folder:
        texts = {name: token(folder, name, "submit", *flags) for name, flags in (("short", ("--expires", soon)), ("fired", ()), ("stays", ()))}
        with serving("--tokens", f"{folder}/tokens.json", store=True) as server:
            with contextlib.ExitStack() as stack:
                streams = {name: stack.enter_context(follow(server, text)) for name, text in texts.items()}
                equal(ends_within(streams["short"], TIMEOUT_S), True)
                equal(server.ask("GET", "/v1/handoffs", authorization=f"Bearer {texts['short']}").status, 401)
                equal(ends_within(streams["fired"], 0.1), False)
                expect(run("token", "revoke", "fired", "--tokens", f"{folder}/tokens.json"), 0)
                equal(reload(server), True)
                equal(ends_within(streams["fired"], TIMEOUT_S), True)
                equal(ends_within(streams["stays"], 3), False)


@claim
def who_has_no_name_is_nobody_once_there_are_names_unless_that_is_said_aloud():
    for config, check, submit in (("", 401, 401), ("auth: {anonymous: []}\n", 401, 401), ("auth: {anonymous: [check]}\n", 200, 403),
                                  ("auth: {anonymous: [check, submit]}\n", 200, 503)):
        with with_tokens(files={"baton.yaml": config or "{}\n"}) as (server, texts, _):
            equal((config, server.ask("POST", "/v1/check?as=universal", CHECK).status), (config, check))
            equal((config, server.ask("POST", "/v1/handoffs", CHECK).status), (config, submit))
            equal(server.ask("POST", "/v1/check?as=universal", CHECK, authorization=f"Bearer {texts['checker']}").status, 200)
            for path in ("/", "/healthz", "/readyz", "/openapi.json", "/problems/NOT_FOUND", "/.well-known/agent-card.json"):
                equal((path, server.ask("GET", path).status), (path, 200))


@claim
def who_fails_too_often_is_told_to_wait():
    with with_tokens(files={"baton.yaml": "rate: {auth_failures: 3}\n"}) as (server, texts, _):
        answers = [server.ask("GET", "/metrics", authorization="Bearer bt_wrong") for _ in range(5)]
        equal([answer.status for answer in answers], [401, 401, 401, 429, 429])
        equal((answers[-1].code, answers[-1].fields["retry-after"]), ("RATE_LIMITED", "60"))
        equal(server.ask("GET", "/metrics", authorization=f"Bearer {texts['boss']}").status, 200)


@claim
def rates_are_buckets_of_each_principal():
    with with_tokens(files={"baton.yaml": "rate: {check: 1}\nauth: {anonymous: [check]}\n"}) as (server, texts, _):
        # The burst is twice the rate; a machine that is slow may have earned some more.
        statuses = [server.ask("POST", "/v1/check?as=universal", CHECK, authorization=f"Bearer {texts['checker']}").status for _ in range(200)]
        equal((statuses[:2], set(statuses), statuses.count(429) > 0), ([200, 200], {200, 429}, True))
        # Those who may not are counted as well.
        statuses = [server.ask("POST", "/v1/check?as=universal", CHECK, authorization=f"Bearer {texts['submitter']}").status for _ in range(200)]
        equal((statuses[:2], set(statuses), statuses.count(429) > 0), ([403, 403], {403, 429}, True))
        equal(server.ask("POST", "/v1/check?as=universal", CHECK, authorization=f"Bearer {texts['boss']}").status, 200)
        for _ in range(5):
            equal(server.ask("POST", "/v1/check?as=universal", CHECK).status, 200)  # of this machine, without a name


@claim
def tls_is_spoken_and_clients_are_known_by_their_certificates():
    with tempfile.TemporaryDirectory(prefix="baton-tls-") as folder:
        for name in ("cert", "known", "stranger"):
            make_certificate(folder, name)
        pathlib.Path(f"{folder}/ca.pem").write_bytes(pathlib.Path(f"{folder}/known.pem").read_bytes() + pathlib.Path(f"{folder}/stranger.pem").read_bytes())
        expect(run("token", "new", "--tokens", f"{folder}/tokens.json", "--name", "machine", "--scopes", "operate", "--cert", f"{folder}/known.pem"), 0)
        with serving("--tls-cert", f"{folder}/cert.pem", "--tls-key", f"{folder}/cert.key", "--client-ca", f"{folder}/ca.pem", "--tokens",
                     f"{folder}/tokens.json") as server:
            equal(server.url.startswith("https://127.0.0.1:"), True)
            answer = server.ask("GET", "/healthz", tls=trusting(folder))
            equal((answer.status, answer.fields["strict-transport-security"]), (200, "max-age=31536000"))
            for name, status in (("known", 200), ("stranger", 401), (None, 401)):
                context = trusting(folder)
                if name:
                    context.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
                equal((name, server.ask("GET", "/metrics", tls=context).status), (name, status))
            with server.connect() as clear:
                equal(clear.send(b"GET /healthz HTTP/1.1\r\n\r\n").is_closed_after_alert(), True)
            with server.connect(trusting(folder)) as connection:
                one = b"GET /healthz HTTP/1.1\r\nHost: " + server.host.encode() + b"\r\n\r\n"
                connection.send(one + one)
                equal([connection.answer().status for _ in range(2)], [200, 200])
                equal(connection.send(one).answer().status, 200)


@claim
def a_unix_socket_is_private_and_is_taken_over_from_the_dead():
    with tempfile.TemporaryDirectory(prefix="baton-unix-") as folder:
        path = f"{folder}/s"
        with serving(listen=f"unix:{path}") as server:
            equal((server.url, stat.S_IMODE(os.stat(path).st_mode)), (f"unix:{path}", 0o600))
            equal(server.ask("GET", "/healthz", host="localhost").status, 200)
            equal(server.ask("GET", "/healthz", host="evil.example").status, 421)
            refused = run("serve", "--no-store", "--listen", f"unix:{path}", cwd=folder)
            expect(refused, 2, err="cannot listen")
            server.process.kill()
            server.process.wait(TIMEOUT_S)
            server.process.returncode = 0
            equal(os.path.exists(path), True)
        with serving(listen=f"unix:{path}") as server:
            equal(server.ask("GET", "/healthz", host="localhost").status, 200)


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
            return True
    except OSError:
        return False


@claim_if(has_ipv6(), "this machine has no IPv6")
def ipv6_is_listened_at():
    with serving(listen="[::1]:0") as server:
        equal((server.url.startswith("http://[::1]:"), server.ask("GET", "/healthz").status), (True, 200))


BAD_STARTS = (
    (["--listen", "example.com:1"], "--listen wants"), (["--listen", "127.0.0.1"], "--listen wants"), (["--workers", "0"], "--workers wants"),
    (["--tls-cert", "c.pem"], "come together"), (["--client-ca", "c.pem"], "--client-ca needs"),
    (["--listen", "0.0.0.0:0"], "needs --tokens or --client-ca"), (["--listen", "0.0.0.0:0", "--tokens", "tokens.json"], "--plain-http"),
    (["--listen", "0.0.0.0:0", "--tokens", "tokens.json", "--plain-http", "--conformance-fixtures"], "--conformance-fixtures"),
    (["--tokens", "none.json"], "cannot use the tokens"), (["--tokens", "open.json"], "other accounts can read the token file"), (["--tokens", "bad.json"], "cannot use the tokens"),
    (["--tls-cert", "bad.json", "--tls-key", "tokens.json"], "no certificate"), (["--config", "none.yaml"], "none.yaml"),
)


@claim
def a_start_that_is_not_safe_opens_no_socket():
    with tempfile.TemporaryDirectory(prefix="baton-start-") as folder:
        place = pathlib.Path(folder)
        token(folder, "a", "check")
        (place / "open.json").write_bytes((place / "tokens.json").read_bytes())
        os.chmod(place / "open.json", 0o640)
        (place / "bad.json").write_text("{}")
        os.chmod(place / "bad.json", 0o600)
        for words, reason in BAD_STARTS:
            result = run("serve", "--no-store", *words, cwd=folder)
            equal((words, result.stdout), (words, b""))
            expect(result, 2, err=reason)
        (place / "baton.yaml").write_text("nonsense: 1\n")
        expect(run("serve", "--no-store", cwd=folder), 2, err="CONFIG_KEY_UNKNOWN")
        (place / "baton.yaml").unlink()
        expect(run("serve", cwd=folder), 2, err="")
        expect(run("serve", "--store", "missing.db", cwd=folder), 2, err="")
        equal(os.path.exists(place / "missing.db"), False)
        expect(run("ledger", "init", "--origin", "test.example/log", "--seed", "1", cwd=folder), 0, err="")
        expect(run("serve", cwd=folder), 2, err="--allow-test-key")


@claim
def ready_lines_are_for_people_and_for_programs():
    with tempfile.TemporaryDirectory(prefix="baton-ready-") as folder:
        with subprocess.Popen([BATON, "serve", "--no-store", "--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0"], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as process:
            lines = [process.stdout.readline().strip() for _ in range(3)]
            process.terminate()
            equal(process.wait(TIMEOUT_S), 0)
        urls = [line.split(" ")[2] for line in lines]
        equal([line.split(" ")[:2] for line in lines], [["baton:", "ready"]] * 2 + [["baton:", "console"]])
        equal((urls[2].split("/#token=bt_")[0], len(urls[2].split("token=")[1])), (urls[0], 46))
        server = Server(folder, "--no-store", "--listen", "127.0.0.1:0")
        equal((server.ready["baton"], server.ready["ready"], server.ready["pid"], server.stop()), (1, True, server.process.pid, 0))


sys.exit(finish())
