# SPDX-License-Identifier: Apache-2.0
"""test_config.py BATON - baton.yaml: checked, shown, and obeyed by the commands."""
import json
import os
import pathlib
import sys

from program import claim, codes, equal, expect, finish, folder, report, run

DEEP = '{"a":[[[[1]]]]}'


@claim
def an_empty_file_is_a_configuration_of_defaults():
    with folder({"baton.yaml": ""}) as place:
        shown = report(expect(run("config", "check", "-f", "json", cwd=place), 0))
        equal(shown["documents"][0]["dialect"], "config")
        equal(shown["documents"][0]["path"], "baton.yaml")
        origins = report(expect(run("config", "show", "-f", "json", cwd=place), 0))["origin"]
        equal(set(origins.values()), {"default"})


@claim
def every_leaf_key_has_an_origin_and_a_value():
    with folder({"c.yaml": "roots: {a: b}\nlog: {level: warn}\n"}) as place:
        shown = report(expect(run("config", "show", "--config", "c.yaml", "-f", "json", cwd=place), 0))
    for name, origin in shown["origin"].items():
        value = shown["config"]
        for part in name.split("."):
            value = value[part]
        equal(origin, "file" if name in ("roots", "log.level") else "default")


@claim
def what_is_shown_as_yaml_is_a_configuration_again():
    with folder({"c.yaml": "roots: {a: b}\nlog: {level: warn}\nlisten: [127.0.0.1:1, 'unix:/x']\n"}) as place:
        text = expect(run("config", "show", "--config", "c.yaml", cwd=place), 0).stdout
        pathlib.Path(place, "d.yaml").write_bytes(text)
        again = expect(run("config", "show", "--config", "d.yaml", cwd=place), 0).stdout
    equal(again, text)


@claim
def the_environment_names_the_store_and_is_told_as_its_origin():
    with folder({"c.yaml": "store: from-file.db\n"}) as place:
        def store(**env):
            shown = report(expect(run("config", "show", "--config", "c.yaml", "-f", "json", cwd=place, env=env), 0))
            return shown["config"]["store"], shown["origin"]["store"]
        equal(store(), ("from-file.db", "file"))
        equal(store(BATON_STORE="x.db"), ("x.db", "environment"))


@claim
def no_password_is_shown():
    for url in ("postgresql://u:s3cret@h/db", "postgresql://h/db?user=u&password=s3cret&sslmode=require",
                "postgresql://u:s3c@s3cret@h/db", "postgresql://h/db?sslpassword=s3cret", "postgresql://h/db?sslpassword=s3c&password=s3cret&sslmode=require",
                "postgresql://h/db?pass%77ord=s3cret", "postgresql://h/db?oauth_client_secret=s3c;s3cret", "host=h password='s3c s3cret' dbname=d",
                "host=h sslpassword = s3cret"):
        with folder({"c.yaml": f"store: {json.dumps(url)}\n"}) as place:
            for form in ([], ["-f", "json"]):
                out = expect(run("config", "show", "--config", "c.yaml", *form, cwd=place), 0, "***").stdout
                equal(b"s3c" in out, False)


@claim
def no_password_is_told_by_a_store_that_cannot_be_opened():
    """Signs in a password that should have been escaped make a host or a port of its rest."""
    for url in ("postgresql://u:s3cret@127.0.0.1:1/db", "postgresql://u:s3c@s3cret@127.0.0.1:1/db", "postgresql://u:s3c/s3cret@127.0.0.1:1/db",
                "postgresql://u:s3c?s3cret@127.0.0.1:1/db", "postgresql://u:s3c:s3cret@127.0.0.1:1/db", "postgresql://127.0.0.1:1/db?password=s3cret&sslpassword=s3cret",
                "postgresql://127.0.0.1:1/db?sslpassword=s3cret&schema=S3"):
        with folder({"c.yaml": f"store: {json.dumps(url)}\n"}) as place:
            for flags in (("--store", url), ("--config", "c.yaml")):
                for words in (("ledger", "tail"), ("store", "info"), ("mcp",), ("serve",)):
                    result = run(*words, *flags, cwd=place)
                    equal((url, words, result.returncode, b"s3c" in result.stdout + result.stderr), (url, words, 2, False))


@claim
def a_configuration_that_is_off_stops_every_command_that_reads_one():
    with folder({"baton.yaml": "limits: {nestin: 5}\n", "a.json": "{}"}) as place:
        expect(run("check", "--as", "json", "a.json", cwd=place), 2, out="baton.yaml: not judged: line 1: CONFIG_KEY_UNKNOWN",
               err="baton.yaml:1: CONFIG_KEY_UNKNOWN")
        for words in (["json", "fmt", "a.json"], ["config", "show"],
                      ["ledger", "tail"], ["approvals", "list"]):
            equal(expect(run(*words, cwd=place), 2, err="baton.yaml:1: CONFIG_KEY_UNKNOWN").stdout, b"")
        for words in (["explain", "JSON_SYNTAX"], ["rules"], ["schema", "print", "report"]):
            expect(run(*words, cwd=place), 0)
        expect(run("config", "check", cwd=place), 1)


@claim
def every_mistake_names_its_key_and_no_value():
    with folder({"c.yaml": "foo: 1\nlimits: {body_byts: 5}\nrate: {check: -1}\nlog: 5\nstore: mysql://u:secret@h/d\n"}) as place:
        shown = expect(run("config", "check", "c.yaml", "-f", "concise", cwd=place), 1).stdout.decode()
    for words in ('unknown key "foo"', 'unknown key "body_byts"; did you mean "body_bytes"?', '"rate.check" must be 0', '"log" must be', '"store" must be'):
        equal((words, words in shown), (words, True))
    equal("secret" in shown, False)


@claim
def a_named_file_must_be_there_and_the_usual_one_need_not():
    with folder({"a.json": "{}"}) as place:
        expect(run("check", "--as", "json", "a.json", cwd=place), 0)
        expect(run("check", "--as", "json", "a.json", "--config", "none.yaml", cwd=place), 2, err="none.yaml")
        expect(run("config", "check", cwd=place), 2, err="baton.yaml")


@claim
def limits_of_the_file_hold_and_flags_only_lower_them():
    with folder({"a.json": DEEP, "low.yaml": "limits: {nesting: 4}\n", "high.yaml": "limits: {nesting: 500}\n"}) as place:
        check = ["check", "--as", "json", "a.json", "-f", "json", "--config"]
        equal(codes(expect(run(*check, "low.yaml", cwd=place), 1)), ["JSON_TOO_DEEP"])
        expect(run(*check, "low.yaml", "--limit", "depth=5", cwd=place), 2, err="depth")
        expect(run(*check, "high.yaml", "--limit", "depth=300", cwd=place), 0)
        expect(run(*check, "high.yaml", "--limit", "depth=501", cwd=place), 2, err="depth")


@claim
def the_fail_level_of_the_file_decides_unless_a_flag_does():
    with folder({"a.json": '"\\ud800"', "c.yaml": "check: {fail_level: WARN}\n"}) as place:
        check = ["check", "--as", "json", "a.json", "-f", "json"]
        expect(run(*check, cwd=place), 0)
        expect(run(*check, "--config", "c.yaml", cwd=place), 1)
        expect(run(*check, "--config", "c.yaml", "--fail-level", "HARD", cwd=place), 0)


@claim
def the_store_of_the_file_starts_at_its_folder_and_loses_to_the_environment_and_the_flag():
    with folder({"etc/c.yaml": "store: s.db\n"}) as place:
        where = ["--config", "etc/c.yaml"]
        expect(run("ledger", "init", "--origin", "a.example/log", *where, cwd=place), 0)
        equal(pathlib.Path(place, "etc/s.db").exists(), True)
        equal(report(expect(run("ledger", "tail", *where, "-f", "json", cwd=place), 0))["size"], 0)
        expect(run("ledger", "tail", *where, cwd=place, env={"BATON_STORE": "none.db"}), 2, err="none.db")
        expect(run("ledger", "tail", *where, "--store", "etc/s.db", cwd=place, env={"BATON_STORE": "none.db"}), 0, err="No entries.")


@claim
def the_file_in_the_folder_under_judgement_does_not_configure_its_judge():
    with folder({"baton.yaml": "limits: {nesting: 4}\n", "a.json": DEEP}) as place:
        expect(run("check", "--as", "json", "a.json", cwd=place), 1, "JSON_TOO_DEEP")
        expect(run("check", "--as", "json", "a.json", "--root", ".", cwd=place), 0)
        expect(run("check", "--as", "json", "a.json", "--root", ".", "--config", "baton.yaml", cwd=place), 1, "JSON_TOO_DEEP")


# ---- Which files count ----


def shown(place, *flags, at=".", **env):
    """What config show says, with a home of its own."""
    return report(run("config", "show", "-f", "json", *flags, cwd=pathlib.Path(place, at),
                      env={"HOME": str(place), "XDG_CONFIG_HOME": "", **env}))


def kinds(place, *flags, at=".", **env):
    return [file["kind"] for file in shown(place, *flags, at=at, **env)["files"]]


MINE = ".config/baton/config.yaml"


@claim
def a_flag_beats_the_project_the_project_the_user_and_a_named_file_replaces_them():
    with folder({".git/HEAD": "", "baton.yaml": "check: {budget: 50}\n", MINE: "check: {budget: 60, tokens: chars4}\nstore: ../../mine.db\n",
                 "other.yaml": "check: {budget: 70}\n"}) as place:
        said = shown(place)
        equal([said["config"]["check"][key] for key in ("budget", "tokens", "fail_level")], [50, "chars4", "HARD"])
        equal([said["origin"][key] for key in ("check.budget", "check.tokens", "check.fail_level", "store")], ["project", "user", "default", "user"])
        equal([(file["kind"], file["path"]) for file in said["files"]], [("project", "baton.yaml"), ("user", MINE)])
        for flags, env in ((("--config", "other.yaml"), {}), ((), {"BATON_CONFIG": "other.yaml"}), (("--config", "other.yaml"), {"BATON_CONFIG": "none.yaml"})):
            said = shown(place, *flags, **env)
            equal((flags, said["config"]["check"]["budget"], said["config"]["check"]["tokens"], kinds(place, *flags, **env)), (flags, 70, "o200k_base", ["file"]))
        equal(kinds(place, "--no-config", BATON_CONFIG="other.yaml"), [])
        expect(run("config", "show", "--no-config", "--config", "other.yaml", cwd=place), 2, err="exclude each other")
        expect(run("config", "show", cwd=place, env={"BATON_CONFIG": "none.yaml"}), 2, err="none.yaml")
        equal(shown(place, BATON_CONFIG="")["config"]["check"]["budget"], 50)


@claim
def the_project_s_file_is_found_upwards_to_the_repository_root_and_no_further():
    for mark in (".git/HEAD", ".hg/store", ".jj/repo", ".git"):
        with folder({"baton.yaml": "check: {budget: 1}\n", f"repo/{mark}": "", "repo/a/b/x": ""}) as place:
            equal((mark, kinds(place, at="repo/a/b")), (mark, []))
            pathlib.Path(place, "repo/baton.yaml").write_text("check: {budget: 2}\n")
            said = shown(place, at="repo/a/b")
            equal((mark, said["config"]["check"]["budget"], said["files"][0]["path"]), (mark, 2, f"{pathlib.Path(place).resolve()}/repo/baton.yaml"))
            pathlib.Path(place, "repo/a/baton.yaml").write_text("check: {budget: 3}\n")
            equal((mark, shown(place, at="repo/a/b")["config"]["check"]["budget"]), (mark, 3))
    with folder({"baton.yaml": "check: {budget: 1}\n", "a/x": ""}) as place:
        equal((kinds(place, at="a"), kinds(place)), ([], ["project"]))


@claim
def a_project_s_file_that_is_no_file_of_the_repository_is_a_failure():
    def fifo(path, _):
        os.mkfifo(path)

    def outwards(path, place):
        path.symlink_to(pathlib.Path(place, "outside.yaml"))

    def nowhere(path, _):
        path.symlink_to("none.yaml")

    def itself(path, _):
        path.symlink_to("baton.yaml")

    for make in (fifo, outwards, nowhere, itself, lambda path, _: path.mkdir()):
        with folder({"repo/.git": "", "repo/a/a.json": "{}", "outside.yaml": ""}) as place:
            make(pathlib.Path(place, "repo/baton.yaml"), place)
            expect(run("check", "--as", "json", "a.json", cwd=pathlib.Path(place, "repo/a")), 2, err="../baton.yaml")
            expect(run("check", "--no-config", "--as", "json", "a.json", cwd=pathlib.Path(place, "repo/a")), 0)
    with folder({"repo/.git": "", "repo/etc/real.yaml": "check: {budget: 2}\n"}) as place:
        pathlib.Path(place, "repo/baton.yaml").symlink_to("etc/real.yaml")
        equal(shown(place, at="repo")["config"]["check"]["budget"], 2)


@claim
def the_search_passes_over_the_governance_root_and_goes_on_above_it():
    with folder({".git": "", "baton.yaml": "limits: {nesting: 4}\n", "root/baton.yaml": "garbage: 1\n", "root/domains/a.json": DEEP}) as place:
        expect(run("check", "--as", "json", "--root", "..", "a.json", cwd=pathlib.Path(place, "root/domains")), 1, "JSON_TOO_DEEP")
        expect(run("check", "--as", "json", "a.json", cwd=pathlib.Path(place, "root/domains")), 2, err="garbage")
        pathlib.Path(place, MINE).parent.mkdir(parents=True)
        pathlib.Path(place, MINE).write_text(f"governed: {{root: {place}/root}}\n")
        expect(run("check", "--as", "json", "a.json", cwd=pathlib.Path(place, "root/domains"), env={"HOME": str(place), "XDG_CONFIG_HOME": ""}), 1, "JSON_TOO_DEEP")


@claim
def a_project_s_file_tightens_and_never_loosens():
    with folder({"a.json": "[" * 140 + "]" * 140, "baton.yaml": "limits: {nesting: 500}\n"}) as place:
        equal(codes(expect(run("check", "--as", "json", "-f", "json", "a.json", cwd=place), 1, err="limits.nesting is not used")), ["JSON_TOO_DEEP"])
        equal((shown(place)["config"]["limits"]["nesting"], shown(place)["files"][0]["not_used"]), (128, ["limits.nesting"]))
        expect(run("check", "--as", "json", "--config", "baton.yaml", "a.json", cwd=place), 0)
        found = report(expect(run("config", "check", "-f", "json", cwd=place), 0))["documents"][0]["findings"][0]
        equal((found["code"], found["pointer"], found["params"]), ("CONFIG_NOT_FROM_PROJECT", "/limits/nesting", {"key": "limits.nesting", "reason": "looser"}))
        expect(run("config", "check", "baton.yaml", cwd=place), 0, "ok baton.yaml")
        pathlib.Path(place, "baton.yaml").write_text("limits: {nesting: 50}\n")
        expect(run("check", "--as", "json", "a.json", cwd=place), 1, "JSON_TOO_DEEP")
        pathlib.Path(place, "baton.yaml").write_text("listen: 127.0.0.1:1\nlog: {level: warn}\n")  # for a server that runs here
        expect(run("json", "min", "-", stdin="{}", cwd=place), 0)


@claim
def a_project_s_store_is_below_its_folder():
    with folder({"p/.git": "", "p/data/x": "", "p/sub/x": "", "out/x": ""}) as place:
        project = pathlib.Path(place, "p")
        for store in ("p/data/s.db", "out/s.db"):
            expect(run("ledger", "init", "--origin", "a.example/log", "--store", store, cwd=place), 0)
        (project / "in").symlink_to("data")
        (project / "link").symlink_to("../out")
        for store, code in (("data/s.db", 0), ("sqlite:data/s.db", 0), (f"{project}/data/s.db", 0), ("sub/../data/s.db", 0), ("in/s.db", 0), ("../out/s.db", 2),
                            ("link/s.db", 2), (f"{place}/out/s.db", 2), ("sqlite:../out/s.db", 2), ("none/../../out/s.db", 2), ("data/../../out/s.db", 2)):
            (project / "baton.yaml").write_text(f"store: {store}\n")
            for at in (project, project / "sub"):
                result = run("ledger", "tail", cwd=at)
                equal((store, result.returncode, b"CONFIG_NOT_FROM_PROJECT store" in result.stderr), (store, code, code == 2))
            expect(run("ledger", "tail", "--store", "data/s.db", cwd=project), 0, err="" if code == 2 else "No entries.")
            expect(run("ledger", "tail", cwd=project, env={"BATON_STORE": "data/s.db"}), 0, err="No entries.")
            reason = [finding["params"]["reason"] for finding in report(run("config", "check", "-f", "json", cwd=project))["documents"][0]["findings"]]
            equal((store, reason), (store, ["outside"] if code == 2 else []))


@claim
def a_command_that_decides_takes_less_from_the_project():
    with folder({"baton.yaml": "contract: {workspace: evil, max_rejections: 50}\napprovals: {grant_ttl: 24h}\n"}) as place:
        result = run("contract", "submit", "--text", "x", "--store", "s.db", "-f", "json", cwd=place)
        for key in ("contract.workspace", "contract.max_rejections"):
            equal((key, f"{key} is not used".encode() in result.stderr), (key, True))
        agents = report(run("contract", "state", "-f", "json", "--store", "s.db", "--no-config", cwd=place))["agents"]
        equal([agent["workspace"] == "evil" for agent in agents], [False])
        pathlib.Path(place, "baton.yaml").write_text("contract: {max_rejections: 1}\n")
        run("contract", "submit", "--text", "x", "--store", "t.db", cwd=place)
        equal(b"CONTRACT_REJECTION_LIMIT" in run("contract", "submit", "--text", "x", "--store", "t.db", cwd=place).stdout, True)


@claim
def a_server_reads_the_file_of_its_folder_or_those_of_the_operator():
    with folder({MINE: "mine: 1\n", "other.yaml": "other: 1\n", "sub/x": "", ".git": ""}) as place:
        def refused(*flags, at=".", **env):
            env = {"HOME": str(place), "XDG_CONFIG_HOME": "", **env}
            return expect(run("serve", "--no-store", "--tls-cert", "x", *flags, cwd=pathlib.Path(place, at), env=env), 2, err="").stderr
        equal(b"config.yaml:1: CONFIG_KEY_UNKNOWN" in refused(), True)
        pathlib.Path(place, "baton.yaml").write_text("here: 1\n")
        for told, flags, at, env in ((b"baton.yaml:1:", (), ".", {}), (b"config.yaml:1:", (), "sub", {}), (b"other.yaml:1:", ("--config", "other.yaml"), ".", {}),
                                     (b"other.yaml:1:", (), ".", {"BATON_CONFIG": "other.yaml"}), (b"--tls-cert and --tls-key", ("--no-config",), ".", {})):
            said = refused(*flags, at=at, **env)
            equal((told, told in said, said.count(b"CONFIG_KEY_UNKNOWN")), (told, True, 0 if told.startswith(b"--") else 1))


@claim
def each_kind_of_file_is_checked_by_its_rules():
    with folder({"c.yaml": "listen: 127.0.0.1:1\nlimits: {document_bytes: 16777216}\n"}) as place:
        for kind, code in (("project", 0), ("user", 1), ("system", 1), ("file", 1)):
            expect(run("config", "check", "--kind", kind, "c.yaml", cwd=place), code)
        expect(run("config", "check", "--kind", "mine", "c.yaml", cwd=place), 2, err="mine")
        expect(run("config", "check", "--kind", "user", cwd=place), 2, err="FILE")


sys.exit(finish())
