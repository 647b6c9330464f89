# SPDX-License-Identifier: Apache-2.0
"""test_console.py BATON - the web console as the server hands it out; what it does in a browser is for script/interop console."""
import contextlib
import gzip
import http.client
import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import BATON, ROOT, claim, environment, equal, finish  # noqa: E402

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types judge")
# The worker of the playground has its own: it alone may compile WebAssembly.
WORKER_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
EMBED = ROOT / "tools/embed_console.py"
BUNDLE = ROOT / "console/bundle"
HAS_CONSOLE = "-no-console" not in sys.argv[2:]


@contextlib.contextmanager
def server(*args, has_store=False):
    process = subprocess.Popen([BATON, "serve", *([] if has_store else ["--no-store"]), "--listen", "127.0.0.1:0", "-f", "json", *args], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=environment())
    try:
        ready = json.loads(process.stdout.readline())
        yield int(ready["listen"][0].rsplit(":", 1)[1])
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        if process.returncode != 0:
            raise AssertionError(f"exit {process.returncode}: {errors[-2000:]!r}")


def ask(port, path, method="GET", body=None, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, headers={name.replace("_", "-"): value for name, value in fields.items()})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def assets(page):
    return re.findall(rb'(?:src|href)="(/assets/[^"]+)"', page)


def parts(port, page):
    """All files that the page names, and those that its scripts load later."""
    found, waiting = set(), assets(page)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            body = ask(port, path.decode())[2] if path.endswith(b".js") else b""
            waiting += [b"/assets/" + name for name in re.findall(rb'["/`]([\w.-]+-[\w-]{8}\.(?:js|css))["`]', body)]
    return sorted(found)


def numbers(source, index):
    """The bytes of a file, from one of its forms."""
    for coding, unpack in (("identity", bytes), ("gzip", gzip.decompress)):
        found = re.search(rf"file_{index}_{coding}\[\] = {{(.*?)}};", source, re.S)
        if found:
            return unpack(bytes(int(word) for word in found.group(1).replace(",", " ").split()))
    return None


def embed(*args):
    with tempfile.TemporaryDirectory() as place:
        out = pathlib.Path(place) / "out.c"
        done = subprocess.run([sys.executable, "-B", str(EMBED), str(out), *args], capture_output=True, text=True, check=False)
        return done, out.read_text() if out.exists() else ""


@claim
def the_page_carries_the_policy_and_is_asked_for_again_each_time():
    with server() as port:
        status, fields, body = ask(port, "/")
        equal((status, fields["content-type"], fields["cache-control"]), (200, "text/html; charset=utf-8", "no-cache"))
        equal(fields["content-security-policy"], POLICY)
        equal(ask(port, "/", If_None_Match=fields["etag"])[0], 304)
        equal(ask(port, "/", method="HEAD")[0::2], (200, b""))
        equal(ask(port, "/", method="POST", Content_Length="0")[0], 405)
        equal((b"-Dconsole=disabled" in body, len(assets(body)) > 0), (not HAS_CONSOLE, HAS_CONSOLE))


@claim
def the_page_and_all_that_it_names_are_the_files_of_the_bundle():
    with server() as port:
        page = ask(port, "/")[2]
        equal(page == (BUNDLE / "index.html").read_bytes(), HAS_CONSOLE)
        for path in parts(port, page):
            equal((path, ask(port, path.decode())[2] == (BUNDLE / path.decode()[1:]).read_bytes()), (path, True))
        wanted = sorted(f"/assets/{path.name}".encode() for path in (BUNDLE / "assets").iterdir())
        equal(parts(port, page), wanted if HAS_CONSOLE else [])


@claim
def what_the_page_is_made_of_is_kept_for_ever():
    with server() as port:
        for path in parts(port, ask(port, "/")[2]):
            status, fields, body = ask(port, path.decode())
            equal((status, fields["cache-control"]), (200, "max-age=31536000, immutable"))
            equal(re.fullmatch(r'"[0-9a-f]{32}"', fields["etag"]) is not None, True)
            equal((len(body) > 0, fields["content-type"].split("/")[0] in ("text", "image")), (True, True))
            equal(ask(port, path.decode(), If_None_Match=fields["etag"])[0::2], (304, b""))


def unpacked(coding, body):
    return gzip.decompress(body) if coding == "gzip" else subprocess.run([{"br": "brotli", "zstd": "zstd"}[coding], "-dc"], input=body, capture_output=True, check=True).stdout


def has_programs():
    return bool(shutil.which("brotli") and shutil.which("zstd"))


# What a caller says it takes, and what it gets of a file that is stored in all forms.
ACCEPTED = {"gzip": "gzip", "GZIP;q=0.5, identity": "gzip", "identity;q=0, gzip;q=1.0": "gzip", "deflate,gzip": "gzip", "gzip, br": "br", "gzip, deflate, br, zstd": "br",
            "zstd, gzip": "zstd", "br;q=0.1, zstd;q=0.9, gzip;q=0.5": "zstd", "br;q=0, gzip;q=0.001": "gzip", "gzip;q=0": None, "gzip;q=0.000, br;q=0.0": None, "gzipped": None,
            "x;gzip": None, "*": None, "": None}


@claim
def who_takes_a_coding_gets_the_best_one_and_others_none():
    with server() as port:
        for path in [b"/", *parts(port, ask(port, "/")[2])]:
            _, fields, plain = ask(port, path.decode())
            equal((path, "content-encoding" in fields), (path, False))
            if len(plain) < 500:
                continue
            equal((path, "Accept-Encoding" in fields["vary"]), (path, True))
            tags = {fields["etag"]}
            for accepted, wanted in ACCEPTED.items() if has_programs() else {"gzip": "gzip", "gzip;q=0": None}.items():
                _, packed, body = ask(port, path.decode(), Accept_Encoding=accepted)
                equal((path, accepted, packed.get("content-encoding")), (path, accepted, wanted))
                equal((path, accepted, (unpacked(wanted, body) if wanted else body) == plain), (path, accepted, True))
                equal((path, accepted, packed["vary"]), (path, accepted, fields["vary"]))
                tags.add(packed["etag"])
                equal(ask(port, path.decode(), Accept_Encoding=accepted, If_None_Match=packed["etag"])[0], 304)
            equal((path, len(tags)), (path, 4 if has_programs() else 2))


@claim
def only_the_worker_of_the_playground_may_compile_webassembly():
    with server() as port:
        found = {path: ask(port, path.decode())[1]["content-security-policy"] for path in [b"/", *parts(port, ask(port, "/")[2])]}
        workers = [path for path, policy in found.items() if policy == WORKER_POLICY]
        equal((len(workers), all(path.startswith(b"/assets/judge-") for path in workers)), (1 if HAS_CONSOLE else 0, True))
        equal({policy for path, policy in found.items() if path not in workers}, {POLICY})


@claim
def the_module_is_served_as_it_was_built_where_the_program_has_it():
    with server() as port:
        status, fields, body = ask(port, "/assets/baton.wasm")
        if status == 404:
            return
        equal((fields["content-type"], fields["cache-control"], body[:4]), ("application/wasm", "no-cache", b"\0asm"))
        _, packed, small = ask(port, "/assets/baton.wasm", Accept_Encoding="zstd")
        equal((packed["content-encoding"], unpacked("zstd", small) == body), ("zstd", True))
        equal(ask(port, "/assets/baton.wasm", If_None_Match=fields["etag"])[0], 304)


@claim
def the_merge_list_is_made_from_the_tables_byte_for_byte():
    with server() as port:
        status, fields, body = ask(port, "/assets/o200k_base.merges")
        equal((status, fields["content-type"], fields["cache-control"]), (200, "application/octet-stream", "no-cache"))
        equal(body == (ROOT / "src/token/data/o200k_base.merges").read_bytes(), True)
        equal(ask(port, "/assets/o200k_base.merges", If_None_Match=fields["etag"])[0], 304)
        equal(ask(port, "/assets/cl100k_base.merges")[0], 404)


@claim
def answers_in_words_of_the_program_are_compressed_and_others_never():
    """What is compressed together tells by its length what it has in common: nothing of an agent is among it."""
    with tempfile.TemporaryDirectory() as place:
        store = ("--store", f"{place}/store.db")
        subprocess.run([BATON, "ledger", "init", "--origin", "ledger.example/coding", *store], check=True, capture_output=True, env=environment())
        tokens = ("--tokens", f"{place}/tokens.json")
        made = subprocess.run([BATON, "token", "new", *tokens, "--name", "one", "--scopes", "admin"], check=True, capture_output=True, text=True, env=environment())
        mine = {"Authorization": f"Bearer {made.stdout.strip()}"}
        with server(*store, *tokens, has_store=True) as port:
            document = json.dumps({"handoff": {"context": {"summary": "x" * 4000}}}).encode()
            for _ in range(3):
                equal(ask(port, "/v1/handoffs?as=universal", method="POST", body=document, Content_Type="application/json", **mine)[0] < 500, True)
            compressed = {}
            for path in ("/openapi.json", "/v1/rules", "/v1/handoffs", "/v1/handoffs/1/document", "/v1/handoffs/1/report", "/v1/stats?by=agent", "/v1/stats?by=edge", "/metrics"):
                status, fields, body = ask(port, path, Accept_Encoding="zstd, br, gzip", **mine)
                plain = ask(port, path, **mine)
                compressed[path] = fields.get("content-encoding")
                equal((path, status, "content-encoding" in plain[1]), (path, 200, False))
                if compressed[path]:
                    equal((path, len(body) < len(plain[2]), unpacked("zstd", body) == plain[2]), (path, True, True))
                    equal((path, "Accept-Encoding" in plain[1]["vary"], fields["etag"] != plain[1]["etag"]), (path, True, True))
                    equal(ask(port, path, Accept_Encoding="zstd", If_None_Match=fields["etag"], **mine)[0], 304)
            equal({path for path, coding in compressed.items() if coding}, {"/openapi.json", "/v1/rules"})
            equal(ask(port, "/v1/rules/NOT_JSON", Accept_Encoding="zstd", **mine)[1].get("content-encoding"), None)


@claim
def a_request_that_is_compressed_is_refused():
    bomb = gzip.compress(bytes(1 << 20))
    with server() as port:
        for coding in ("gzip", "br", "zstd", "deflate", "gzip, gzip", "identity, gzip"):
            status, _, body = ask(port, "/v1/check?as=universal", method="POST", body=bomb, Content_Type="application/json", Content_Encoding=coding)
            equal((coding, status, b"UNSUPPORTED_MEDIA_TYPE" in body), (coding, 415, True))


@claim
def what_is_loaded_first_is_small():
    """The scripts and styles that the page itself names, as a browser gets them: at most 60 KB."""
    with server() as port:
        first = assets(ask(port, "/")[2])
        sizes = [len(ask(port, path.decode(), Accept_Encoding="gzip")[2]) for path in first if path.endswith(b".js")]
        equal(sum(sizes) <= 60 * 1024, True)


@claim
def nothing_of_the_page_is_inline_or_elsewhere():
    with server() as port:
        body = ask(port, "/")[2]
        equal(re.findall(rb"<script[^>]*>[^<]|<style|style=|https?://|\son\w+=", body), [])
        for path in assets(body):
            if path.endswith(b".css"):
                equal(re.findall(rb"@import|url\(", ask(port, path.decode())[2]), [])


@claim
def other_paths_are_not_found():
    with server() as port:
        for path in ("/assets/none.js", "/assets", "/index.html", "/assets/index.html", "/assets/a/b"):
            equal((path, ask(port, path)[0]), (path, 404))


@claim
def a_configuration_can_switch_it_off():
    with tempfile.TemporaryDirectory() as place:
        config = pathlib.Path(place) / "baton.yaml"
        config.write_text("console: {enabled: false}\n")
        with server("--config", str(config)) as port:
            equal(ask(port, "/")[0], 404)


@claim
def a_program_without_the_console_says_how_to_build_it():
    done, source = embed()
    equal(done.returncode, 0)
    equal(b"-Dconsole=disabled" in numbers(source, 0), True)


@claim
def a_bundle_that_is_missing_is_an_error_and_not_a_program_without_a_console():
    done, source = embed(str(ROOT / "none"), str(ROOT / "build/none.d"))
    equal((done.returncode, "script/console" in done.stderr, source), (1, True, ""))


@claim
def the_files_are_taken_in_byte_for_byte():
    with tempfile.TemporaryDirectory() as place:
        bundle = pathlib.Path(place)
        (bundle / "assets").mkdir()
        (bundle / "index.html").write_bytes(b"<!doctype html>\n")
        (bundle / "assets/a-1.js").write_bytes(bytes(range(256)))
        done, source = embed(str(bundle), str(bundle / "depfile"))
        equal((done.returncode, numbers(source, 0), numbers(source, 1)), (0, b"<!doctype html>\n", bytes(range(256))))
        equal(str(bundle / "assets/a-1.js") in (bundle / "depfile").read_text(), True)


@claim
def the_receipts_that_the_browser_is_tested_with_are_what_baton_makes():
    with tempfile.TemporaryDirectory() as place:
        made = pathlib.Path(place) / "made.json"
        subprocess.run([sys.executable, "-B", str(ROOT / "console/test/make.py"), BATON, str(made)], check=True)
        equal(made.read_text() == (ROOT / "console/test/made.json").read_text(), True)


finish()
