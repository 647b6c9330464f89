# SPDX-License-Identifier: Apache-2.0
"""test_action.py ROOT BATON - the steps of the action, outside the service: the runner's environment, a local archive, a local service."""
import base64
import contextlib
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import re
import sys
import tarfile
import threading

from place import BATON, GOOD, LATE, LOOP, ROOT, equal, expect, folder, run, tap

STEPS = ROOT / "packaging/action"
ACTION = (ROOT / "action.yml").read_text()


class Runner:
    """The files and variables that a runner gives to a step."""

    def __init__(self, place):
        self.place = place
        self.work = place / "work"
        self.temp = place / "temp"
        self.work.mkdir()
        self.temp.mkdir()
        self.files = {name: place / name for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        for path in self.files.values():
            path.write_text("")

    def step(self, name, **inputs):
        env = {"PATH": f"{self.files['GITHUB_PATH'].read_text().strip()}:{os.environ['PATH']}", "HOME": str(self.place), "RUNNER_TEMP": str(self.temp),
               "GITHUB_ACTION_PATH": str(ROOT), **{key: str(path) for key, path in self.files.items()}, **inputs}
        return run(STEPS / f"{name}.sh", cwd=self.work, env=env)

    def outputs(self):
        return dict(line.split("=", 1) for line in self.files["GITHUB_OUTPUT"].read_text().splitlines())


@contextlib.contextmanager
def runner(files=None, has_program=True):
    with folder() as place:
        made = Runner(place)
        for name, text in (files or {}).items():
            (made.work / name).parent.mkdir(parents=True, exist_ok=True)
            (made.work / name).write_text(text)
        if has_program:
            (place / "bin").mkdir()
            os.symlink(BATON, place / "bin/baton")
            made.files["GITHUB_PATH"].write_text(f"{place / 'bin'}\n")
        yield made


def publish(place, version, content=b"#!/bin/sh\necho baton of the archive\n"):
    """A release archive below a folder that stands for the server; returns its SHA-256."""
    name = f"baton-{version}-linux-x64.tar.xz"
    release = place / "server/owner/baton/releases/download" / f"v{version}"
    release.mkdir(parents=True)
    program = place / "program"
    program.write_bytes(content)
    program.chmod(0o755)
    with tarfile.open(release / name, "w:xz") as archive:
        archive.add(program, f"baton-{version}/bin/baton")
    return hashlib.sha256((release / name).read_bytes()).hexdigest()


def fetch(made, **inputs):
    server = {"GITHUB_SERVER_URL": f"file://{made.place}/server", "GITHUB_ACTION_REPOSITORY": "owner/baton"}
    return made.step("fetch", **{**server, **inputs})


@tap.claim
def the_archive_is_fetched_verified_and_put_on_the_path():
    with runner(has_program=False) as made:
        digest = publish(made.place, "9.8.7")
        expect(fetch(made, BATON_VERSION="9.8.7", BATON_SHA256=digest), 0, "baton of the archive")
        program = pathlib.Path(made.files["GITHUB_PATH"].read_text().strip()) / "baton"
        equal(expect(run(program), 0).stdout, "baton of the archive\n")


@tap.claim
def an_archive_with_another_digest_is_not_unpacked():
    with runner(has_program=False) as made:
        digest = publish(made.place, "9.8.7")
        wrong = digest[:-1] + ("0" if digest[-1] != "0" else "1")
        expect(fetch(made, BATON_VERSION="9.8.7", BATON_SHA256=wrong), 2, "SHA-256 differs")
        equal((made.files["GITHUB_PATH"].read_text(), list(made.temp.rglob("bin"))), ("", []))


@tap.claim
def another_version_needs_its_digest_and_bad_inputs_are_refused():
    with runner(has_program=False) as made:
        digest = publish(made.place, "9.8.7")
        expect(fetch(made, BATON_VERSION="9.8.7"), 2, "give its SHA-256 as the input sha256")
        expect(fetch(made, BATON_VERSION="9.8.6", BATON_SHA256=digest), 2, "cannot fetch")
        for version in ("../9.8.7", "9.8.7;id", "$(id)", "9.8.7\nx"):
            expect(fetch(made, BATON_VERSION=version, BATON_SHA256=digest), 2, "the input version")
        for wrong in (digest[:-1], digest.upper().replace("0", "A"), digest[:-1] + "g", "x" * 64):
            expect(fetch(made, BATON_VERSION="9.8.7", BATON_SHA256=wrong), 2, "64 hexadecimal digits")


@tap.claim
def the_action_names_the_version_of_the_tree():
    found = re.search(r"version: '([0-9.]+)'", (ROOT / "meson.build").read_text()).group(1)
    equal((STEPS / "release.txt").read_text().split("\n")[0], f"version {found}")


@tap.claim
def accepted_rejected_and_failed_runs_have_their_outputs_and_their_code():
    rows = (("accepted", "0", {"a.handoff.json": GOOD, "b.handoff.json": LATE}, ".", ("2", "0", "0")),
            ("rejected", "1", {"a.handoff.json": GOOD, "l.handoff.json": LOOP}, ".", ("2", "1", "0")),
            ("failed", "2", {"a.handoff.json": GOOD}, "a.handoff.json\ngone.json", ("1", "0", "1")))
    for verdict, code, files, paths, numbers in rows:
        with runner(files) as made:
            expect(made.step("check", INPUT_PATHS=paths), 0)
            found = made.outputs()
            equal((found["verdict"], found["code"]), (verdict, code))
            equal(tuple(found[name] for name in ("documents", "rejected", "failures")), numbers)
            equal(json.loads(pathlib.Path(found["sarif"]).read_text())["version"], "2.1.0")
            equal(len(made.files["GITHUB_STEP_SUMMARY"].read_text()) > 10, True)
            expect(made.step("finish", CODE=found["code"]), int(code))


@tap.claim
def findings_become_annotations():
    with runner({"l.handoff.json": LOOP}) as made:
        expect(made.step("check", INPUT_PATHS="l.handoff.json"), 0, "::error file=l.handoff.json")


@tap.claim
def inputs_are_words_and_never_evaluated():
    with runner({"a b.handoff.json": GOOD, "-x.handoff.json": GOOD, "$(touch hit).handoff.json": GOOD}) as made:
        paths = "a b.handoff.json\n-x.handoff.json\n$(touch hit).handoff.json"
        expect(made.step("check", INPUT_PATHS=paths, INPUT_ARGS="--no-refs  --fail-level\nwarning", INPUT_SUMMARY="false"), 0)
        equal((made.outputs()["documents"], made.files["GITHUB_STEP_SUMMARY"].read_text()), ("3", ""))
        made.files["GITHUB_OUTPUT"].write_text("")
        expect(made.step("check", INPUT_PATHS=".", INPUT_ARGS="`touch hit` ; touch hit *"), 0)
        equal((made.outputs()["code"], (made.work / "hit").exists()), ("2", False))


@tap.claim
def fail_level_strict_and_config_reach_the_program():
    files = {"b.handoff.json": LATE, "l.handoff.json": LOOP, "baton.yaml": 'exclude: ["l.handoff.json"]\n', "other.yaml": "check:\n  budget: 1000\n"}
    rows = (({}, "0"), ({"INPUT_FAIL_LEVEL": "warning"}, "1"),
            ({"INPUT_CONFIG": "other.yaml"}, "1"), ({"INPUT_CONFIG": "gone.yaml"}, "2"))
    for inputs, code in rows:
        with runner(files) as made:
            expect(made.step("check", INPUT_PATHS=".", **inputs), 0)
            equal((inputs, made.outputs()["code"]), (inputs, code))
    with runner(files) as made:
        expect(made.step("check", INPUT_PATHS=".", INPUT_STRICT="yes"), 2, "true or false")


@tap.claim
def the_command_line_is_that_of_the_inputs():
    with runner() as made:
        (made.place / "bin/baton").unlink()
        (made.place / "bin/baton").write_text('#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done >words\n')
        (made.place / "bin/baton").chmod(0o755)
        expect(made.step("check", INPUT_PATHS="a\nb c", INPUT_STRICT="true", INPUT_FAIL_LEVEL="info", INPUT_CONFIG="c.yaml", INPUT_ARGS="-x y"), 0)
        out = [f"{made.temp}/baton/{name}" for name in ("baton.sarif", "summary.md", "report.jsonl")]
        equal((made.work / "words").read_text().split("\n")[:-1],
              ["check", "--fail-level", "info", "--strict", "--config", "c.yaml", "-f", "github", "-f", "sarif", "-o", out[0], "-f", "markdown",
               "-o", out[1], "-f", "jsonl", "-o", out[2], "-x", "y", "--", "a", "b c"])


@tap.claim
def the_configuration_of_the_base_commit_is_used_and_put_back():
    nobody = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a",
              "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_CONFIG_GLOBAL": "/dev/null"}
    with runner({"l.handoff.json": LOOP, "b.handoff.json": GOOD, "baton.yaml": "check:\n  budget: 1000\n"}) as made:
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
            expect(run("git", *words, cwd=made.work, env=nobody), 0)
        base = expect(run("git", "rev-parse", "HEAD", cwd=made.work), 0).stdout.strip()
        hiding = 'exclude: ["l.handoff.json"]\n'
        (made.work / "baton.yaml").write_text(hiding)
        expect(made.step("check", INPUT_PATHS="."), 0)
        equal(made.outputs()["code"], "0")
        made.files["GITHUB_OUTPUT"].write_text("")
        expect(made.step("check", INPUT_PATHS=".", INPUT_CONFIG="base", BASE_SHA=base), 0)
        equal(made.outputs()["code"], "1")
        equal((made.work / "baton.yaml").read_text(), hiding)
        expect(made.step("check", INPUT_PATHS=".", INPUT_CONFIG="base"), 2, "needs a pull request")
        expect(made.step("check", INPUT_PATHS=".", INPUT_CONFIG="base", BASE_SHA="x; id"), 2, "not a commit id")


class Service(http.server.BaseHTTPRequestHandler):
    status = 202
    seen = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Service.seen.append((self.path, self.headers["Authorization"], json.loads(body)))
        self.send_response(Service.status)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *words):
        """Nothing is logged."""


@tap.claim
def the_sarif_file_is_uploaded_and_a_refusal_is_a_warning():
    server = http.server.HTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with runner({"l.handoff.json": LOOP}) as made:
            expect(made.step("check", INPUT_PATHS="l.handoff.json"), 0)
            sarif = made.outputs()["sarif"]
            env = {"SARIF": sarif, "GITHUB_TOKEN": "t0ken", "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}",
                   "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "a" * 40, "GITHUB_REF": "refs/pull/5/merge"}
            equal(expect(made.step("upload", **env), 0).stdout, "")
            path, token, body = Service.seen[0]
            equal((path, token, body["commit_sha"], body["ref"]), ("/repos/o/r/code-scanning/sarifs", "Bearer t0ken", "a" * 40, "refs/pull/5/merge"))
            equal(gzip.decompress(base64.b64decode(body["sarif"])), pathlib.Path(sarif).read_bytes())
            Service.status = 403
            done = expect(made.step("upload", **env), 0, "::warning")
            equal("t0ken" in done.stdout + done.stderr, False)
            expect(made.step("upload", **{**env, "GITHUB_REF": 'x"y'}), 2)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@tap.claim
def a_check_that_did_not_run_fails():
    with runner() as made:
        expect(made.step("finish"), 2, "did not run")
        expect(made.step("finish", CODE="0; exit 0"), 2)


@tap.claim
def every_step_is_a_script_and_no_input_is_put_into_one():
    runs = re.findall(r"\n      run: (.*)", ACTION)
    equal(runs, [f"'\"$GITHUB_ACTION_PATH/packaging/action/{name}.sh\"'" for name in ("fetch", "check", "upload", "finish")])
    equal([line for line in ACTION.splitlines() if "uses:" in line], [])
    inputs = re.findall(r"\n  ([a-z0-9-]+):\n    description", ACTION.split("\nruns:")[0])
    equal(inputs, ["paths", "version", "sha256", "args", "config", "fail-level", "strict", "upload-sarif", "summary",
                   "verdict", "documents", "rejected", "failures", "sarif"])


sys.exit(tap.run())
