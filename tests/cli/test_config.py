# SPDX-License-Identifier: Apache-2.0
"""test_config.py BATON - baton.yaml: checked, shown, and obeyed by the commands."""
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
                "postgresql://u:s3c@s3cret@h/db"):
        with folder({"c.yaml": f"store: {url}\n"}) as place:
            for form in ([], ["-f", "json"]):
                out = expect(run("config", "show", "--config", "c.yaml", *form, cwd=place), 0, "***").stdout
                equal(b"s3c" in out, False)


@claim
def a_configuration_that_is_off_stops_every_command_that_reads_one():
    with folder({"baton.yaml": "limits: {nestin: 5}\n", "a.json": "{}"}) as place:
        for words in (["check", "--as", "json", "a.json"], ["json", "fmt", "a.json"], ["config", "show"],
                      ["ledger", "tail"], ["approvals", "list"]):
            equal(expect(run(*words, cwd=place), 2, err="baton.yaml:1: CONFIG_KEY_UNKNOWN").stdout, b"")
        for words in (["explain", "JSON_SYNTAX"], ["rules"], ["schema", "print", "report"]):
            expect(run(*words, cwd=place), 0)
        expect(run("config", "check", cwd=place), 1)


@claim
def every_mistake_names_its_key_and_no_value():
    with folder({"c.yaml": "foo: 1\nlimits: {body_byts: 5}\nrate: {check: -1}\nlog: 5\nstore: mysql://u:secret@h/d\n"}) as place:
        shown = expect(run("config", "check", "c.yaml", "-f", "concise", cwd=place), 1).stdout.decode()
    for words in ('no key "foo"', 'no key "body_byts" here; "body_bytes" is one', '"rate.check" must be 0', '"log" must be', '"store" must be'):
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
        expect(run("ledger", "tail", *where, "--store", "etc/s.db", cwd=place, env={"BATON_STORE": "none.db"}), 0)


@claim
def the_file_in_the_folder_under_judgement_does_not_configure_its_judge():
    with folder({"baton.yaml": "limits: {nesting: 4}\n", "a.json": DEEP}) as place:
        expect(run("check", "--as", "json", "a.json", cwd=place), 1, "JSON_TOO_DEEP")
        expect(run("check", "--as", "json", "a.json", "--root", ".", cwd=place), 0)


sys.exit(finish())
