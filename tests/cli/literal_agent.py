# SPDX-License-Identifier: Apache-2.0
"""literal_agent.py - an agent that knows JSON and nothing of contracts: it changes its message as the `fix:` lines of a
repair prompt say, and in no other way. It has done no check, so where a line offers another status, it takes that."""
import json
import re

FENCE = "```agent_contract_handoff"
ERROR = re.compile(r"^\d+\. [A-Z_]+ at (.*?): .*$")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)


def fixes(prompt):
    """(pointer, text of the fix line) of every error."""
    at, found = "", []
    for line in prompt.split("\n"):
        if ERROR.match(line):
            at = ERROR.match(line)[1]
        elif line.startswith("   fix: "):
            found.append(("" if at == "the whole block" else at, line[len("   fix: "):]))
    return found


def filled(value):
    """The value with every mark replaced by the first thing that its words offer."""
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        return {name: filled(item) for name, item in value.items()}
    if not isinstance(value, str) or "<FILL:" not in value:
        return value
    words = value.split("<FILL:", 1)[1].rsplit(">", 1)[0].strip()
    return "a0123456789abcdef" if "agent_id" in words else re.split(r",| or ", words)[0].strip()


def whole_block(prompt):
    lines = prompt.split("\n")
    begin = lines.index(FENCE, lines.index("A whole block looks like this:"))
    return filled(json.loads("\n".join(lines[begin + 1:lines.index("```", begin)])))


def body_of(message):
    """The text before the last block, its body, and the text after it."""
    begin = message.rindex(FENCE + "\n") + len(FENCE) + 1
    end = re.compile(r"^```[ \t]*$", re.M).search(message, begin)
    return (message[:begin], message[begin:end.start()], message[end.start():]) if end else (message[:begin], message[begin:], "")


def outside_strings(text, change):
    """Change what stands between strings."""
    done, at = "", 0
    for string in STRING.finditer(text):
        done += change(text[at:string.start()]) + string[0]
        at = string.end()
    return done + change(text[at:])


def without_comments(text):
    done, at = "", 0
    for part in re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|#[^\n]*', re.S).finditer(text):
        done += text[at:part.start()] + (part[0] if part[0].startswith('"') else "")
        at = part.end()
    return done + text[at:]


def once(pairs):
    made = {}
    for name, value in pairs:
        made.setdefault(name, value)
    return made


def first_object(text):
    return json.JSONDecoder().raw_decode(text[text.index("{"):])[0]


TEXT_FIXES = (
    ("put the line " + FENCE, lambda message: f"{FENCE}\n{json.dumps(first_object(message))}\n```\n"),
    ("put a line of three backticks after the object", lambda message: message.rstrip("\n") + "\n```\n"),
)
BODY_FIXES = (
    ("remove every comment", without_comments),
    ("remove the comma before the closing bracket", lambda body: outside_strings(body, lambda text: re.sub(r",(\s*[}\]])", r"\1", text))),
    ("write member names in double quotes", lambda body: outside_strings(body, lambda text: re.sub(r"([{,]\s*)([A-Za-z_$][\w$]*)(\s*:)", r'\1"\2"\3', text))),
    ("in double quotes, not in single ones", lambda body: re.sub(r"'((?:[^'\\]|\\.)*)'", lambda word: json.dumps(word[1]), body)),
    ("write null or a string instead of NaN", lambda body: outside_strings(body, lambda text: re.sub(r"-?Infinity|NaN", "null", text))),
    ("control characters in strings as escapes", lambda body: STRING.sub(lambda word: re.sub(r"[\x00-\x1f]", lambda byte: json.dumps(byte[0])[1:-1], word[0]), body)),
    ("remove what follows the object", lambda body: json.dumps(first_object(body)) + "\n"),
    ("remove the second member of that name", lambda body: json.dumps(json.loads(body, object_pairs_hook=once)) + "\n"),
)


def parent_of(document, pointer):
    *path, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    at = document
    for part in path:
        at = at[int(part)] if isinstance(at, list) else at[part]
    return at, int(last) if isinstance(at, list) else last


def value_at(document, pointer):
    at, last = parent_of(document, pointer)
    return at[last]


def put(document, pointer, value):
    at, last = parent_of(document, pointer)
    at[last] = value


def an_id(text):
    """An id of the form that the line demands."""
    return "researcher-1" if "[A-Za-z0-9]" in text else "a0123456789abcdef"


def set_member(document, text):
    """Do what `"name":VALUE inside OBJECT` says."""
    snippet = re.search(r'"(\w+)":', text)
    rest = re.sub(r'^ID\b|(?<=:)ID\b', json.dumps(an_id(text)), text[snippet.end():])
    value, _ = json.JSONDecoder().raw_decode(rest)
    place = re.search(r"inside (\w+)", rest)
    (document[place[1]] if place and place[1] != snippet[1] else document)[snippet[1]] = value


def portable(value):
    if isinstance(value, dict):
        return {name: portable(item) for name, item in value.items()}
    if isinstance(value, list):
        return [portable(item) for item in value]
    if isinstance(value, int) and abs(value) > 2 ** 53 - 1:
        return str(value)
    return re.sub("[\ud800-\udfff]", "?", value) if isinstance(value, str) else value


def apply(document, pointer, text, gone):
    """One fix of an envelope that could be read. Entries to remove are put into `gone`."""
    entry = re.match(r"/update_contracts/(\d+)", pointer)
    instead = re.search(r'otherwise report "plan_status":"(\w+)"', text)
    if instead and "add \"evidence_report\"" in text:
        set_member(document, text)
    if instead or text.startswith(("go on, and report", "the last status was")):
        word = instead or re.search(r'report "plan_status":"(\w+)"', text)
        document["agent_status"]["plan_status"] = word[1]
    elif "use one of" in text:
        word = re.search(r"demands, write (\w+)$", text) or re.search(r"is probably (\w+)$", text) or re.search(r"use one of (\w+)", text)
        put(document, pointer, word[1])
    elif text.startswith("replace every mark"):
        put(document, pointer, filled(value_at(document, pointer)))
    elif text.startswith("remove the user part"):
        put(document, pointer, re.sub(r"//[^/@\s]*@", "//", value_at(document, pointer)))
    elif text.startswith("remove the entry from update_contracts"):
        gone.add(int(entry[1]))
    elif text.startswith("write the entry as"):
        old = document["update_contracts"][int(entry[1])]
        payload = old.get("payload") if isinstance(old, dict) else None
        document["update_contracts"][int(entry[1])] = {"contract": "name", "payload": payload if isinstance(payload, dict) else {}}
    elif text.startswith("write whole numbers beyond"):
        document["approval_request"] = portable(document["approval_request"])
    elif text.startswith('remove "'):
        name, place = re.match(r'remove "(\w+)" from (\w+)', text).groups()
        del document[place][name]
    else:
        set_member(document, text)


def follow(message, prompt):
    """The message (bytes) that the agent sends after reading the prompt."""
    message = message.decode("utf-8", "replace")
    todo = fixes(prompt)
    if any("fill in a whole block" in text for _, text in todo):
        return f"{FENCE}\n{json.dumps(whole_block(prompt))}\n```\n".encode()
    for _, text in todo:
        for words, change in TEXT_FIXES:
            if words in text:
                return change(message).encode()
    if not todo or FENCE not in message:
        return message.encode()
    before, body, after = body_of(message)
    for _, text in todo:
        for words, change in BODY_FIXES:
            if words in text:
                return (before + change(body) + after).encode()
    if any("send the whole message as UTF-8" in text for _, text in todo):
        return message.encode()
    document, gone = json.loads(body), set()
    for pointer, text in todo:
        apply(document, pointer, text, gone)
    if gone:
        document["update_contracts"] = [item for i, item in enumerate(document["update_contracts"]) if i not in gone]
    return (before + json.dumps(document) + "\n" + after).encode()
