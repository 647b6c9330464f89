# SPDX-License-Identifier: Apache-2.0
"""test_a2a.py BATON - /a2a of a live server: both bindings, messages, tasks and their states, lists, streams, extensions."""
import base64
import concurrent.futures
import datetime
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import REQUEST, envelope, fenced  # noqa: E402
from catalogues import Catalogue  # noqa: E402
from handoffs import handoff  # noqa: E402
from program import claim, equal, expect, finish, run  # noqa: E402
from server import Server, bearer, serving  # noqa: E402

JSON = {"Content-Type": "application/json"}
VERSION = {"A2A-Version": "1.0"}
WISH = "urn:baton:a2a:handoff:v1"
CONSENT = "urn:baton:a2a:approval:v1"
ENVELOPE = "urn:baton:a2a:governed-envelope:v1"
METHODS = {"SendMessage": ("POST", "/message:send"), "SendStreamingMessage": ("POST", "/message:stream"), "GetTask": ("GET", "/tasks/{id}"),
           "ListTasks": ("GET", "/tasks"), "CancelTask": ("POST", "/tasks/{id}:cancel"), "SubscribeToTask": ("POST", "/tasks/{id}:subscribe")}


def rpc(server, method, params, **headers):
    """What JSON-RPC says: the result, or the error."""
    answer = server.ask("POST", "/a2a", {"jsonrpc": "2.0", "id": "n1", "method": method, "params": params}, {**JSON, **VERSION, **headers})
    equal((answer.status, answer.json()["id"]), (200, "n1"))
    return answer.json()


def http(server, method, params, **headers):
    """The same through HTTP+JSON."""
    verb, path = METHODS[method]
    params = dict(params)
    path = "/a2a" + path.replace("{id}", str(params.pop("id", "")))
    if verb == "GET" and params:
        path += "?" + "&".join(f"{name}={value}" for name, value in params.items())
    body = params if verb == "POST" and params else None
    answer = server.ask(verb, path, body, {"Content-Type": "application/a2a+json", **VERSION, **headers})
    equal(answer.headers["content-type"], "application/a2a+json")
    said = answer.json()
    return {"error": {**said["error"], "data": said["error"]["details"]}} if answer.status >= 400 else {"result": said}


def message(number, text=None, wish=None, **more):
    metadata = {**({WISH: wish} if wish else {}), **more.pop("metadata", {})}
    parts = more.pop("parts", [{"text": text}])
    return {"messageId": number, "role": "ROLE_USER", "parts": parts, **({"metadata": metadata} if metadata else {}), **more}


def send(server, number, text=None, how=rpc, headers=None, configuration=None, **more):
    params = {"message": message(number, text, **more), **({"configuration": configuration} if configuration else {})}
    return how(server, "SendMessage", params, **(headers or {}))


def task(said):
    if "result" not in said:
        raise AssertionError(f"an error: {said}")
    return said["result"].get("task", said["result"])


def state(said):
    return task(said)["status"]["state"].removeprefix("TASK_STATE_")


def reason(said):
    info = said["error"]["data"][0]
    equal((info["@type"], info["domain"]), ("type.googleapis.com/google.rpc.ErrorInfo", "a2a-protocol.org"))
    return info["reason"]


def report(said, artifact="report"):
    found = [item for item in task(said)["artifacts"] if item["artifactId"] == artifact]
    return found[0]["parts"][0]["data"] if found else None


def universal(number=1, source="intake-clerk", target="tax-writer"):
    return json.dumps(handoff(source={"skill": source}, target={"skill": target}, context={"summary": f"number {number}"}))


def contract(status, **more):
    body = envelope(status=status, **({"changes": more["changes"]} if "changes" in more else {}))
    return fenced({**body, **({"approval_request": REQUEST} if status == "APPROVAL_REQUEST" else {})})


@claim
def the_card_is_public_and_says_what_is_spoken():
    with serving(tokens={"a": "check"}) as server:
        answer = server.ask("GET", "/.well-known/agent-card.json")
        card = answer.json()
        equal((answer.status, answer.headers["cache-control"]), (200, "max-age=300"))
        equal([(i["protocolBinding"], i["protocolVersion"], i["url"]) for i in card["supportedInterfaces"]],
              [(binding, "1.0", f"http://127.0.0.1:{server.port}/a2a") for binding in ("JSONRPC", "HTTP+JSON")])
        capabilities = card["capabilities"]
        equal((capabilities["streaming"], capabilities["pushNotifications"], capabilities["extendedAgentCard"]), (True, False, False))
        equal({extension["required"] for extension in capabilities["extensions"]}, {False})
        equal([skill["id"] for skill in card["skills"]], ["check-handoff", "repair-handoff", "submit-handoff"])
        equal(card["securitySchemes"], {"bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}})
        equal(server.ask("GET", "/.well-known/agent-card.json", headers={"If-None-Match": answer.headers["etag"]}).status, 304)
        equal(server.ask("POST", "/a2a", "{}", {**JSON, **VERSION, **bearer("bt_nothing")}).status, 401)
    with serving(store=False) as open_server:
        equal("securitySchemes" in open_server.ask("GET", "/.well-known/agent-card.json").json(), False)


@claim
def only_version_one_is_spoken():
    with serving(store=False) as server:
        for headers, path in ((JSON, "/a2a"), ({**JSON, "A2A-Version": ""}, "/a2a"), ({**JSON, "A2A-Version": "0.3"}, "/a2a")):
            answer = server.ask("POST", path, {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "x"}}, headers)
            equal((answer.status, answer.json()["error"]["code"]), (200, -32009))
        equal(server.ask("GET", "/a2a/tasks").status, 400)
        equal(server.ask("GET", "/a2a/tasks").json()["error"]["details"][0]["reason"], "VERSION_NOT_SUPPORTED")
        equal(server.ask("GET", "/a2a/tasks?A2A-Version=1.0").status, 200)
        equal(server.ask("GET", "/a2a/tasks", headers=VERSION).status, 200)


@claim
def bad_requests_are_told_apart():
    with serving(store=False) as server:
        for body, code in (("{", -32700), ('{"id":1,"id":2}', -32700), ("[]", -32600), ('{"jsonrpc":"2.0","method":"GetTask"}', -32600),
                           ('{"jsonrpc":"2.0","id":1,"method":"Nothing","params":{}}', -32601), ('{"jsonrpc":"2.0","id":1,"method":"GetTask"}', -32602)):
            answer = server.ask("POST", "/a2a", body, {**JSON, **VERSION})
            equal((body, answer.status, answer.json()["error"]["code"]), (body, 200, code))
        equal(server.ask("POST", "/a2a", "{}", {"Content-Type": "text/plain", **VERSION}).status, 415)
        equal(server.ask("POST", "/a2a/message:send", "{}", {"Content-Type": "text/plain", **VERSION}).status, 415)
        equal(server.ask("POST", "/a2a/message:send", "{", {**JSON, **VERSION}).status, 400)
        for method, code, why in (("GetTask", -32001, "TASK_NOT_FOUND"), ("CancelTask", -32001, "TASK_NOT_FOUND"), ("SubscribeToTask", -32001, "TASK_NOT_FOUND"),
                                  ("CreateTaskPushNotificationConfig", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
                                  ("ListTaskPushNotificationConfigs", -32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
                                  ("GetExtendedAgentCard", -32004, "UNSUPPORTED_OPERATION")):
            said = rpc(server, method, {"id": "0b9ba4f4-5f5b-4e9b-8f4e-2f3f0d0c0b0a"})
            equal((method, said["error"]["code"], reason(said)), (method, code, why))
        for method in ("GetTask", "CancelTask", "SubscribeToTask"):
            for params in ({}, {"id": 5}, {"id": ""}):
                error = rpc(server, method, params)["error"]
                equal((method, params, error["code"], error["data"][1]["fieldViolations"][0]["field"]), (method, params, -32602, "id"))
        # A list wants nothing, so its parameters may be left out.
        equal(server.ask("POST", "/a2a", '{"jsonrpc":"2.0","id":1,"method":"ListTasks"}', {**JSON, **VERSION}).json()["result"]["tasks"], [])
        equal(server.ask("GET", "/a2a/tasks/x", headers=VERSION).status, 404)
        for verb, path in (("POST", "/a2a/tasks/x/pushNotificationConfigs"), ("GET", "/a2a/tasks/x/pushNotificationConfigs/y"), ("GET", "/a2a/extendedAgentCard")):
            answer = server.ask(verb, path, headers=VERSION)
            equal((path, answer.status, answer.json()["error"]["code"]), (path, 400, 400))


@claim
def a_message_that_is_not_well_formed_is_refused_with_its_field():
    fine = message("m", "{}")
    cases = (("message", None), ("message", {**fine, "messageId": ""}), ("message", {**fine, "messageId": 5}), ("message", {**fine, "role": "ROLE_AGENT"}),
             ("message", {**fine, "parts": []}), ("message", {**fine, "parts": [{}]}), ("message", {**fine, "parts": [{"text": "a"}, {"text": "b"}]}),
             ("message", {**fine, "parts": [{"text": "a", "data": 1}]}), ("message", {**fine, "parts": [{"raw": "!"}]}),
             ("message", {**fine, "contextId": "a b"}), ("message", {**fine, "metadata": {WISH: {"operation": "burn"}}}),
             ("message", {**fine, "metadata": {WISH: {"operation": "check", "dialekt": "plan"}}}),
             ("message", {**fine, "metadata": {WISH: {"dialect": "nothing"}}}), ("message", {**fine, "metadata": {WISH: {"options": {"nothing": 1}}}}))
    with serving() as server:
        for name, value in cases:
            for how in (rpc, http):
                said = how(server, "SendMessage", {name: value} if value else {"x": 1})
                if "error" not in said:
                    raise AssertionError(f"accepted: {value}")
                equal((value, reason(said)), (value, "INVALID_PARAMS"))
                violations = said["error"]["data"][1]["fieldViolations"]
                equal(violations[0]["field"].startswith("message"), True)
        for how in (rpc, http):
            equal(reason(how(server, "SendMessage", {"message": {**fine, "parts": [{"url": "http://127.0.0.1/x"}]}})), "CONTENT_TYPE_NOT_SUPPORTED")
        equal(task(rpc(server, "ListTasks", {}))["totalSize"], 0)  # nothing was recorded


@claim
def checking_and_repairing_are_done_whatever_the_verdict():
    for how in (rpc, http):
        with serving() as server:
            good = send(server, "1", universal(), how, wish={"operation": "check"})
            bad = send(server, "2", "{}", how, wish={"operation": "check", "dialect": "universal"})
            mended = send(server, "3", universal(), how, wish={"operation": "repair"})
            equal([state(said) for said in (good, bad, mended)], ["COMPLETED"] * 3)
            equal([report(said)["documents"][0]["verdict"] for said in (good, bad)], ["accepted", "rejected"])
            equal(state(how(server, "GetTask", {"id": task(bad)["id"]})), "COMPLETED")
            head = json.loads(expect(run("ledger", "checkpoint", "--store", "s.db", "-f", "json", cwd=server.folder), 0).stdout)
            equal(head["size"], 0)


@claim
def the_document_is_what_was_sent_byte_for_byte():
    spaced = '{ "handoff" : ' + json.dumps(handoff()["handoff"]) + " }"
    with serving() as server:
        parts = ({"text": spaced}, {"raw": base64.b64encode(spaced.encode()).decode()})
        for number, part in enumerate(parts):
            said = send(server, str(number), parts=[part], wish={"operation": "check"})
            equal(report(said)["documents"][0]["facts"]["tokens"]["bytes"], len(spaced))
        body = '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"d","role":"ROLE_USER","parts":[{"data":' + spaced + '}],"metadata":{"' + WISH + '":{"operation":"check"}}}}}'
        said = server.ask("POST", "/a2a", body, {**JSON, **VERSION}).json()
        equal(report(said)["documents"][0]["facts"]["tokens"]["bytes"], len(spaced))


@claim
def a_submission_goes_the_way_of_its_inbox():
    for how in (rpc, http):
        with serving(tokens={"a": "check,submit"}) as server:
            me = bearer(server.tokens["a"])

            def now(said):
                return state(how(server, "GetTask", {"id": task(said)["id"]}, **me))

            def inbox(verb, body):
                return server.ask("POST", f"/v1/inbox/tax-writer/{verb}", body, {**JSON, **me}).json()["items"]
            first = send(server, "1", universal(1), how, headers=me)
            equal((state(first), report(first)["documents"][0]["record"]["seq"]), ("SUBMITTED", 0))
            second = send(server, "2", universal(2), how, headers=me)
            taken = inbox("take", {"max": 1})[0]
            equal((now(first), now(second)), ("WORKING", "SUBMITTED"))
            inbox("finish", {"items": [{"message": taken["message"], "lease": taken["lease"], "outcome": "delivered"}]})
            equal(now(first), "COMPLETED")
            equal(state(how(server, "CancelTask", {"id": task(second)["id"]}, **me)), "CANCELED")
            equal((now(second), inbox("take", {"max": 1})), ("CANCELED", []))
            for said in (first, second):  # what has ended cannot be cancelled
                equal(reason(how(server, "CancelTask", {"id": task(said)["id"]}, **me)), "TASK_NOT_CANCELABLE")
            refused = send(server, "3", "{}", how, headers=me, wish={"dialect": "universal"})
            equal((state(refused), "SCHEMA_REQUIRED" in task(refused)["status"]["message"]["parts"][0]["text"]), ("REJECTED", True))


@claim
def what_was_taken_cannot_be_cancelled():
    with serving() as server:
        said = send(server, "1", universal())
        equal(len(server.ask("POST", "/v1/inbox/tax-writer/take", {"max": 1}, JSON).json()["items"]), 1)
        equal(reason(rpc(server, "CancelTask", {"id": task(said)["id"]})), "TASK_NOT_CANCELABLE")


@claim
def a_message_is_one_task_however_often_it_comes():
    with serving(tokens={"a": "check,submit", "b": "check,submit"}) as server:
        a, b = bearer(server.tokens["a"]), bearer(server.tokens["b"])
        first = send(server, "m", universal(), headers=a)
        equal(task(send(server, "m", universal(), http, headers=a))["id"], task(first)["id"])
        equal(reason(send(server, "m", universal(2, target="else"), headers=a)), "INVALID_PARAMS")
        other = send(server, "m", universal(3), headers=b)
        equal(task(other)["id"] != task(first)["id"], True)
        check = send(server, "c", universal(4), headers=a, wish={"operation": "check"})
        equal(task(send(server, "c", universal(4), headers=a, wish={"operation": "check"}))["id"], task(check)["id"])
        equal(task(rpc(server, "ListTasks", {}, **a))["totalSize"], 2)
        for how in (rpc, http):  # what is not yours is not there
            for method in ("GetTask", "CancelTask", "SubscribeToTask"):
                equal(reason(how(server, method, {"id": task(first)["id"]}, **b)), "TASK_NOT_FOUND")
        equal(reason(send(server, "x", universal(), headers=b, taskId=task(first)["id"])), "TASK_NOT_FOUND")


@claim
def the_same_message_from_many_at_once_is_one_decision():
    with serving() as server, concurrent.futures.ThreadPoolExecutor(12) as pool:
        for number, wish, expected in (("same", None, 1), (None, None, 12), ("checked", {"operation": "check"}, 1)):
            answers = list(pool.map(lambda i, n=number, w=wish: send(server, n or f"m{i}", universal(i if not n else 0), wish=w), range(12)))
            equal((number, len({task(said)["id"] for said in answers})), (number, expected))
        head = json.loads(expect(run("ledger", "checkpoint", "--store", "s.db", "-f", "json", cwd=server.folder), 0).stdout)
        equal(head["size"], 13)


@claim
def any_node_tells_of_a_task():
    with serving() as first:
        said = send(first, "1", universal())
        second = Server(first.folder, "--store", "s.db")
        try:
            equal(state(rpc(second, "GetTask", {"id": task(said)["id"]})), "SUBMITTED")
            equal(task(send(second, "1", universal()))["id"], task(said)["id"])
            second.ask("POST", "/v1/inbox/tax-writer/take", {"max": 1}, JSON)
            equal(state(rpc(first, "GetTask", {"id": task(said)["id"]})), "WORKING")
            token = task(rpc(first, "ListTasks", {"pageSize": 1}))["nextPageToken"]
            equal(token, "")
        finally:
            second.stop()


@claim
def a_contract_goes_on_in_its_task():
    with serving() as server:
        first = send(server, "1", contract("IN_PROGRESS"), wish={"dialect": "contract"})
        equal(state(first), "WORKING")
        same = {"taskId": task(first)["id"], "contextId": task(first)["contextId"]}
        equal(report(first)["documents"][0]["submit"]["session"], task(first)["contextId"])
        asks = send(server, "2", contract("NEEDS_INPUT"), wish={"dialect": "contract"}, **same)
        equal((state(asks), task(asks)["id"]), ("INPUT_REQUIRED", task(first)["id"]))
        equal(reason(send(server, "3", contract("COMPLETE"), wish={"dialect": "contract"}, taskId=same["taskId"], contextId="other")), "INVALID_PARAMS")
        equal(state(send(server, "3b", contract("IN_PROGRESS"), wish={"dialect": "contract"}, **same)), "WORKING")
        done = send(server, "4", contract("COMPLETE"), wish={"dialect": "contract"}, taskId=same["taskId"])
        equal((state(done), [item["messageId"] for item in task(done)["history"]]), ("COMPLETED", ["1", "2", "3b", "4"]))
        equal(reason(send(server, "5", contract("IN_PROGRESS"), wish={"dialect": "contract"}, **same)), "UNSUPPORTED_OPERATION")
        blocked = send(server, "6", contract("BLOCKED"), wish={"dialect": "contract"}, contextId="another")
        equal((state(blocked), task(blocked)["contextId"]), ("FAILED", "another"))
        short = rpc(server, "GetTask", {"id": same["taskId"], "historyLength": 1})
        equal([item["messageId"] for item in task(short)["history"]], ["4"])
        equal(task(rpc(server, "GetTask", {"id": same["taskId"], "historyLength": 0}))["history"], [])


@claim
def consent_is_given_by_who_may_and_for_what_was_shown():
    for how, decision, end in ((rpc, "approve", "WORKING"), (http, "deny", "REJECTED")):
        with serving(tokens={"agent": "check,submit", "chief": "check,submit,approve"}) as server:
            agent, chief = bearer(server.tokens["agent"]), bearer(server.tokens["chief"])
            asked = send(server, "1", contract("APPROVAL_REQUEST"), how, headers=agent, wish={"dialect": "contract"})
            equal(state(asked), "AUTH_REQUIRED")
            text, shown = (part.get("text") or part["data"]["approval"] for part in task(asked)["status"]["message"]["parts"])
            equal((shown["commands"], "  1. terraform apply\n" in text, "rollback: terraform apply old\n" in text, shown["fingerprint"] in text),
                  ([REQUEST["exact_content"]], True, True, True))
            same = {"taskId": task(asked)["id"]}

            def decide(number, who, fingerprint=shown["fingerprint"], word=decision):
                answer = {CONSENT: {"decision": word, "fingerprint": fingerprint}}
                params = {"message": message(number, "decided", metadata=answer, taskId=same["taskId"])}
                return server.ask("POST", "/a2a", {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params}, {**JSON, **VERSION, **who})
            equal(decide("2", agent).status, 403)
            equal(reason(decide("3", chief, "f" * 64).json()), "INVALID_PARAMS")
            equal(reason(decide("4", chief, word="maybe").json()), "INVALID_PARAMS")
            equal(state(how(server, "GetTask", {"id": same["taskId"]}, **agent)), "AUTH_REQUIRED")
            equal(state(decide("5", chief).json()), end)
            equal(state(how(server, "GetTask", {"id": same["taskId"]}, **agent)), end)
            own = send(server, "6", contract("APPROVAL_REQUEST"), how, headers=chief, wish={"dialect": "contract"}, contextId="s2")
            equal(state(own), "INPUT_REQUIRED")
            equal(state(how(server, "CancelTask", {"id": task(own)["id"]}, **chief)), "CANCELED")


@claim
def a_governed_handoff_stands_as_its_answers_say():
    for how, ends in ((rpc, (("success", "COMPLETED"), ("error", "FAILED"))), (http, (("refused", "REJECTED"),))):
        with tempfile.TemporaryDirectory(prefix="baton-a2a-") as root:
            catalogue = Catalogue()
            catalogue.write(root)
            config = pathlib.Path(root) / "baton.yaml"
            config.write_text(f"governed:\n  root: {root}\n")
            with serving("--config", str(config)) as server:
                def stamp():
                    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

                def respond(number, status):
                    data = {"refusal_reason": "OUT_OF_SCOPE", "explanation": "e", "governance_rule": "g", "suggested_agent": None} if status == "refused" else {"error_code": "X", "error_message": "m", "error_details": [], "recovery_suggestion": ""}
                    content = {} if status in ("success", "partial") else {"response__content": {"type": "structured", "format": "json", "data": data}, "response__confidence": "not_applicable"}
                    made = catalogue.response(number=number, answers=number // 10, timestamp=stamp(), response__status=status, **content)
                    answer = server.ask("POST", "/v1/govern/respond", made, JSON)
                    if answer.status >= 300:
                        raise AssertionError(f"{status}: {answer.body!r}")

                for number, (status, end) in enumerate(ends, 1):
                    said = send(server, f"g{number}", json.dumps(catalogue.handoff(number=number, timestamp=stamp())), how, wish={"dialect": "governed"})
                    equal((state(said), report(said, "response")), ("WORKING", None))
                    respond(number * 10, "partial")
                    part = how(server, "GetTask", {"id": task(said)["id"]})
                    equal((state(part), report(part, "response")["response"]["status"]), ("WORKING", "partial"))
                    respond(number * 10 + 1, status)
                    done = how(server, "GetTask", {"id": task(said)["id"]})
                    equal((state(done), report(done, "response")["response"]["status"]), (end, status))
                    equal(reason(how(server, "CancelTask", {"id": task(said)["id"]})), "TASK_NOT_CANCELABLE")
                back = send(server, "back", json.dumps(catalogue.handoff(number=9, timestamp=stamp())), how, wish={"dialect": "governed"})
                equal(state(how(server, "CancelTask", {"id": task(back)["id"]})), "CANCELED")


@claim
def a_plan_is_done_when_recorded_and_a_dead_item_has_failed():
    with serving() as server:
        plan = {"text": "step,agent,action,inputs,outputs,status,notes\n1,@a,do,,,,\n", "filename": "p.steps.csv"}
        equal(state(send(server, "p", parts=[plan])), "COMPLETED")
        first = send(server, "1", universal())
        for _ in range(5):
            item = server.ask("POST", "/v1/inbox/tax-writer/take", {"max": 1}, JSON).json()["items"][0]
            server.ask("POST", "/v1/inbox/tax-writer/finish", {"items": [{"message": item["message"], "lease": item["lease"], "outcome": "failed"}]}, JSON)
        equal(state(rpc(server, "GetTask", {"id": task(first)["id"]})), "FAILED")


@claim
def scopes_and_bindings_hold_here_too():
    with serving(tokens={"reader": "check", "bound": ("submit", "--agent", "intake-clerk")}) as server:
        reader, bound = bearer(server.tokens["reader"]), bearer(server.tokens["bound"])
        params = {"message": message("1", universal())}
        answer = server.ask("POST", "/a2a", {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params}, {**JSON, **VERSION, **reader})
        equal((answer.status, answer.json()["code"], answer.json()["scope"]), (403, "SCOPE_MISSING", "submit"))
        equal(state(send(server, "2", universal(), headers=bound)), "SUBMITTED")
        stranger = send(server, "3", universal(2, source="somebody-else"), headers=bound)
        equal((state(stranger), task(stranger)["status"]["message"]["parts"][0]["text"]), ("REJECTED", "AGENT_BINDING_MISMATCH"))


@claim
def lists_come_page_by_page_and_tokens_are_for_one_list():
    for how in (rpc, http):
        with serving(tokens={"a": "check,submit", "b": "check,submit"}) as server:
            a, b = bearer(server.tokens["a"]), bearer(server.tokens["b"])
            made = [task(send(server, str(i), universal(i), how, headers=a, contextId="even" if i % 2 == 0 else "odd"))["id"] for i in range(5)]
            seen, token = [], ""
            while True:
                page = how(server, "ListTasks", {"pageSize": 2, **({"pageToken": token} if token else {})}, **a)["result"]
                seen += [item["id"] for item in page["tasks"]]
                equal((page["totalSize"], page["pageSize"], "artifacts" in page["tasks"][0]), (5, 2, False))
                token = page["nextPageToken"]
                if not token:
                    break
                last = token
            equal(sorted(seen), sorted(made))
            times = [task(how(server, "GetTask", {"id": number}, **a))["status"]["timestamp"] for number in seen]
            equal(times, sorted(times, reverse=True))
            equal(how(server, "ListTasks", {"contextId": "even"}, **a)["result"]["totalSize"], 3)
            equal(how(server, "ListTasks", {"status": "TASK_STATE_SUBMITTED"}, **a)["result"]["totalSize"], 5)
            equal(how(server, "ListTasks", {"status": "TASK_STATE_FAILED"}, **a)["result"]["totalSize"], 0)
            equal(how(server, "ListTasks", {"statusTimestampAfter": times[0]}, **a)["result"]["totalSize"], sum(t > times[0] for t in times))
            equal(len(how(server, "ListTasks", {"includeArtifacts": "true" if how is http else True}, **a)["result"]["tasks"][0]["artifacts"]), 1)
            equal(how(server, "ListTasks", {}, **b)["result"]["totalSize"], 0)
            for params, who in (({"pageToken": last + "x"}, a), ({"pageToken": last}, b), ({"pageToken": last, "contextId": "even"}, a), ({"pageSize": 0}, a),
                                ({"pageSize": 101}, a), ({"status": "DONE"}, a), ({"statusTimestampAfter": "yesterday"}, a)):
                equal((params, reason(how(server, "ListTasks", params, **who))), (params, "INVALID_PARAMS"))


def events(server, how, method, params):
    if how is rpc:
        return server.stream("POST", "/a2a", {"jsonrpc": "2.0", "id": 9, "method": method, "params": params}, {**JSON, **VERSION})
    verb, path = METHODS[method]
    params = dict(params)
    path = "/a2a" + path.replace("{id}", params.pop("id", ""))
    return server.stream(verb, path, params or None, {**JSON, **VERSION})


@claim
def a_stream_tells_until_the_task_ends():
    for how in (rpc, http):
        with serving() as server:
            def open_one(event):
                return event["result"] if how is rpc else event
            stream = events(server, how, "SendStreamingMessage", {"message": message("1", universal())})
            equal((stream.status, stream.headers["content-type"]), (200, "text/event-stream"))
            first = open_one(stream.event())["task"]
            equal(first["status"]["state"], "TASK_STATE_SUBMITTED")
            second = events(server, how, "SubscribeToTask", {"id": first["id"]})
            equal(open_one(second.event())["task"]["id"], first["id"])
            taken = server.ask("POST", "/v1/inbox/tax-writer/take", {"max": 1}, JSON).json()["items"][0]
            for each in (stream, second):
                update = open_one(each.event())["statusUpdate"]
                equal((update["taskId"], update["status"]["state"]), (first["id"], "TASK_STATE_WORKING"))
            server.ask("POST", "/v1/inbox/tax-writer/finish", {"items": [{"message": taken["message"], "lease": taken["lease"], "outcome": "delivered"}]}, JSON)
            for each in (stream, second):
                equal(open_one(each.event())["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED")
                equal(each.event(), None)
                each.close()
            equal(reason(how(server, "SubscribeToTask", {"id": first["id"]})), "UNSUPPORTED_OPERATION")
            done = events(server, how, "SendStreamingMessage", {"message": message("2", universal(2), wish={"operation": "check"})})
            equal((open_one(done.event())["task"]["status"]["state"], done.event()), ("TASK_STATE_COMPLETED", None))
            done.close()


@claim
def who_has_enough_streams_is_told_once():
    with serving(config="limits:\n  streams_per_principal: 1\n") as server:
        first = events(server, rpc, "SendStreamingMessage", {"message": message("1", universal())})
        number = first.event()["result"]["task"]["id"]
        second = events(server, http, "SendStreamingMessage", {"message": message("2", universal(2))})
        equal((second.event()["task"]["status"]["state"], second.event()), ("TASK_STATE_SUBMITTED", None))
        for how in (rpc, http):
            third = events(server, how, "SubscribeToTask", {"id": number})
            equal((third.status, third.headers["retry-after"]), (429, "1"))
            third.close()
        first.close()
        second.close()


@claim
def extensions_are_used_when_asked_for_and_named():
    names = ["schema-contract", "receipt", "actor-chain", "trace-context"]
    uris = [f"urn:baton:a2a:{name}:v1" for name in names]
    with serving() as server:
        params = {"message": message("1", universal())}
        body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params}
        answer = server.ask("POST", "/a2a", body, {**JSON, **VERSION, "A2A-Extensions": ", ".join(uris) + ", urn:else"})
        said = answer.json()
        equal(answer.headers["a2a-extensions"].split(", "), uris)
        metadata = task(said)["artifacts"][0]["metadata"]
        equal(metadata[uris[0]], {"schema": "/v1/schemas/universal", "verdict": "accepted", "codes": []})
        equal([(hop["seq"], hop["source"], hop["target"]) for hop in metadata[uris[2]]["hops"]], [(0, "intake-clerk", "tax-writer")])
        equal(metadata[uris[3]]["traceparent"][:35], answer.headers["traceresponse"][:35])
        (server.folder / "r.json").write_text(json.dumps(report(said, "receipt")))
        expect(run("ledger", "verify-receipt", "r.json", "--vkey", (server.folder / "s.db.vkey").read_text().strip(), cwd=server.folder), 0)
        plain = send(server, "1", universal())
        equal(([item["artifactId"] for item in task(plain)["artifacts"]], task(plain)["artifacts"][0]["metadata"]), (["report"], {}))


@claim
def an_envelope_has_an_end_and_an_id():
    with serving() as server:
        late = send(server, "1", universal(), metadata={ENVELOPE: {"expires_at": "2020-01-01T00:00:00Z"}})
        equal((state(late), task(late)["status"]["message"]["parts"][0]["text"]), ("REJECTED", "ENVELOPE_EXPIRED"))
        equal(report(late)["documents"][0]["record"]["seq"], 0)
        equal(state(send(server, "2", universal(), metadata={ENVELOPE: {"expires_at": "2999-01-01T00:00:00Z"}})), "SUBMITTED")
        equal(reason(send(server, "3", universal(), metadata={ENVELOPE: {"expires_at": "soon"}})), "INVALID_PARAMS")
        for dialect in ("config", "json", "organism", "receipt"):  # what is never submitted is not refused for being late
            stray = send(server, f"3-{dialect}", "{}", wish={"dialect": dialect}, metadata={ENVELOPE: {"expires_at": "2020-01-01T00:00:00Z"}})
            equal((dialect, reason(stray)), (dialect, "INVALID_PARAMS"))
        plan = "order_id,task\n"
        equal(reason(send(server, "4", plan, metadata={ENVELOPE: {"id": "a b"}})), "INVALID_PARAMS")
        block = contract("IN_PROGRESS")
        equal(state(send(server, "5", block, wish={"dialect": "contract"}, metadata={ENVELOPE: {"id": "e-1"}})), "WORKING")
        again = send(server, "6", block, wish={"dialect": "contract"}, contextId="else", metadata={ENVELOPE: {"id": "e-1"}})
        equal((state(again), task(again)["status"]["message"]["parts"][0]["text"]), ("REJECTED", "REPLAYED_ID"))


@claim
def without_a_store_what_is_checked_is_answered_and_forgotten():
    with serving(store=False) as server:
        said = send(server, "1", universal(), wish={"operation": "check"})
        equal(state(said), "COMPLETED")
        equal(reason(rpc(server, "GetTask", {"id": task(said)["id"]})), "TASK_NOT_FOUND")
        equal(send(server, "2", universal())["error"]["data"][0]["reason"], "STORE_UNAVAILABLE")
        equal(http(server, "SendMessage", {"message": message("3", universal())})["error"]["code"], 503)


@claim
def what_is_read_only_records_nothing():
    with serving() as first:
        said = send(first, "1", contract("APPROVAL_REQUEST"), wish={"dialect": "contract"})
        second = Server(first.folder, "--store", "s.db", "--read-only")
        try:
            equal(state(rpc(second, "GetTask", {"id": task(said)["id"]})), "AUTH_REQUIRED")
            equal(send(second, "2", universal())["error"]["data"][0]["reason"], "LEDGER_READ_ONLY")
            equal(reason(rpc(second, "CancelTask", {"id": task(said)["id"]})), "TASK_NOT_CANCELABLE")
            equal(state(send(second, "3", universal(), wish={"operation": "check"})), "COMPLETED")
        finally:
            second.stop()


sys.exit(finish())
