# SPDX-License-Identifier: Apache-2.0
"""test_node.py WASM - the npm packages in Node: installed, imported and required, and their types. Skipped, with the reason, where a tool is missing."""
import pathlib
import re
import subprocess
import sys
import tempfile

import install

TYPES = """
import { load, Report, Problem } from "baton-handoff";
import type { Baton, Validator, Doc, Finding, Reply, Settings } from "baton-handoff";
import { BatonClient } from "baton-handoff/client";
import { load as loadSchemas } from "baton-handoff/schema";
import { Gate } from "baton-handoff/adapters/mastra";
import { guardedHandoff, Gate as HandoffGate } from "baton-handoff/adapters/openai-agents";
import { BatonState, handoffTool } from "baton-handoff/adapters/langgraph";
import { HandoffRefused } from "baton-handoff/adapters/ai-sdk";
async function use(): Promise<string> {
  const baton: Baton = await load({ settings: { now: "2026-02-11T00:45:02Z" } as Settings });
  const document: Doc = { handoff: {} };
  const report: Report = baton.check(document, { dialect: "universal", fail_level: "WARN" });
  const findings: Finding[] = report.findings;
  const reply: Reply = baton.call("version");
  const validator: Validator<{ n: number }> = baton.validator<{ n: number }>({ type: "object" });
  const value: unknown = reply.value;
  const verified: Report = await baton.verifyReceipt("x", ["key"], new Uint8Array());
  const client = new BatonClient({});
  const small: Validator<number> = (await loadSchemas()).validator<number>({ type: "number" }, { formats: true });
  const gate = new Gate({ baton, client, mode: "observe", onReport: (told) => void told });
  const handoff: object = guardedHandoff({ name: "a" }, { name: "b" }, new HandoffGate({ baton }));
  const rendered: string = report.render("sarif") + String(small.isValid(1)) + String(gate.limit) + String(handoff) + String([BatonState, handoffTool, HandoffRefused]);
  if (rendered === "") return rendered;
  if (validator.isValid(value)) return value.n.toFixed() + findings.length + verified.verdict + String(client);
  %s
  return baton.retryText(report) + new Problem("A", 1).code;
}
void use;
"""
WRONG = "const wrong: number = baton.check(5); void wrong;"


def check_types(work, options):
    """Whether a right use of the types holds, whether a wrong one is an error, and what the compiler says. Both are compiled together, since reading its own
    library takes it most of the time."""
    (work / "types.ts").write_text(TYPES % "")
    (work / "wrong.ts").write_text(TYPES % WRONG)
    command = [*install.make_typescript.find_compiler(), "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", *options, "types.ts", "wrong.ts"]
    told = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    complaints = [line for line in told.stdout.splitlines() if line and not line.startswith(" ")]
    wrong = [line for line in complaints if line.startswith("wrong.ts(")]
    return complaints == wrong, told.returncode != 0 and bool(wrong), told.stdout


def check_program(package, work):
    """What is wrong with bin/call.mjs: exit codes, roots with links, bytes that are not UTF-8."""
    root = work / "root"
    schema = root / "schemas/handoff-payloads/a.v1.schema.json"
    schema.parent.mkdir(parents=True)
    schema.write_text('{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"a/v1.schema.json","type":"object",'
                      '"properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}')
    (root / "loop").symlink_to(root)
    (root / "nowhere").symlink_to("nothing")
    validate = b'{"schema":"schemas/handoff-payloads/a.v1.schema.json","root":"r","payload":{"n":1}}'
    rows = [(["--root", f"r={root}", "planValidate"], validate, 0, '"outcome":"conforms"'), (["version"], b"{}", 0, '{"baton":1,"version":'), (["nope"], b"{}", 1, "NOT_FOUND"),
            (["version"], b'{"\xff":1}', 1, "JSON_UTF8"), ([], b"{}", 2, ""), (["--root", "version"], b"{}", 2, ""), (["--root", f"r={root}/none", "version"], b"{}", 2, "")]
    complaints = []
    for words, request, code, told in rows:
        done = subprocess.run(["node", package / "bin/call.mjs", *words], input=request, capture_output=True, timeout=60, check=False)
        reply = done.stdout.decode()
        if done.returncode != code or told not in reply or reply.count("\n") != (code < 2):
            complaints.append(f"{words}: exit {done.returncode}, {reply[:300]!r} {done.stderr.decode()[:300]!r}")
    return "\n".join(complaints)


def main(wasm):
    lacking = install.missing()
    if lacking:
        print(f"1..0 # SKIP missing: {', '.join(lacking)}; script/bootstrap wasm sdk installs it")
        return 0
    with tempfile.TemporaryDirectory(prefix="baton-wasm-") as name:
        work = pathlib.Path(name)
        package = install.install(pathlib.Path(wasm), work)
        place = package.parent.parent
        (place / "api.mjs").write_text((pathlib.Path(__file__).parent / "api.mjs").read_text(encoding="utf-8"))
        ran = subprocess.run(["node", "api.mjs"], cwd=place, capture_output=True, text=True, check=False, timeout=300)
        lines = ran.stdout.splitlines()
        count = int(re.fullmatch(r"1\.\.(\d+)", lines[0])[1]) if lines else 0
        (place / "package.json").write_text('{"name": "empty", "version": "1.0.0", "private": true, "type": "module"}\n')
        holds, refuses, told = check_types(place, ["--module", "node16", "--moduleResolution", "node16"])
        wrong = check_program(package, work)
        extra = [("the program answers as its manual says", not wrong, wrong),
                 ("the API in Node ends well", ran.returncode == 0, ran.stderr),
                 ("the types hold with tsc --strict", holds, told),
                 ("a wrong use is an error", refuses, told),
                 ("no package has a dependency or an install script", "ependencies" not in (package / "package.json").read_text() and '"scripts"' not in (package / "package.json").read_text(), "")]
        print(f"1..{count + len(extra)}")
        print("\n".join(lines[1:]))
        for number, (title, is_right, why) in enumerate(extra, count + 1):
            print(f"{'ok' if is_right else 'not ok'} {number} - {title}")
            if not is_right:
                print(re.sub("^", "# ", why, flags=re.M))
        return 0 if ran.returncode == 0 and all(is_right for _, is_right, _ in extra) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
