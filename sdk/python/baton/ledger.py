# SPDX-License-Identifier: Apache-2.0
"""ledger.py - a ledger without a server, by running the program with `-f json`."""
from __future__ import annotations

import os
import re
import subprocess
from typing import Any

from ._errors import Rejected, Unavailable
from ._types import Report
from ._wire import Document, Submission, document_bytes, is_report, parse_json

__all__ = ["Ledger"]

# The command that submits a document of a dialect; the others are appended.
_COMMANDS = {"contract": ("contract", "submit"), "governed": ("govern", "submit"), "response": ("govern", "respond")}
_FLAG = re.compile(r"[a-z][a-z0-9_]*")
_REF = re.compile(r"\S#[0-9]+\b")


def _flags(options: dict[str, Any]) -> list[str]:
    """Options by name as flags: True is a flag without a value, a list repeats it."""
    words = []
    for name, value in options.items():
        if not _FLAG.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a flag")
        flag = "--" + name.replace("_", "-")
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                words.append(flag)
            elif item is not None and item is not False:
                words.append(f"{flag}={item}")
    return words


def _parse(output: bytes) -> Any:
    """The JSON that the program printed; None when it is not JSON."""
    try:
        return parse_json(output)
    except (ValueError, RecursionError):
        return None


def _read_report(output: bytes, outcome: str) -> Report:
    if not is_report(_parse(output)):
        raise Unavailable("the program did not print a report", outcome)
    return Report(output.rstrip(b"\n"))


class Ledger:
    """The ledger of a store, or of the folder `root`. Further keyword arguments of its methods are flags of the command, `-` written `_`.

    Unavailable: the program could not do its work; its message says why. `outcome` is "unknown" when it names an entry that it recorded
    nevertheless, or did not end in time.
    """

    def __init__(self, store: str | None = None, *, root: str | os.PathLike[str] | None = None, program: str | os.PathLike[str] = "baton",
                 timeout: float = 120.0):
        self._place = _flags({"store": store, "root": None if root is None else os.fspath(root)})
        self._program = os.fspath(program)
        self._timeout = timeout

    def _run(self, words: list[str], stdin: bytes = b"", records: bool = False) -> tuple[int, bytes]:
        """Run a command; the exit status, 0 or 1, and what it printed."""
        doubt = "unknown" if records else "none"
        try:
            done = subprocess.run([self._program, *words, *self._place], input=stdin, capture_output=True, timeout=self._timeout, check=False)
        except subprocess.TimeoutExpired as why:
            raise Unavailable(f"{words[0]} {words[1]} did not end in {self._timeout:g} s", doubt) from why
        except (OSError, ValueError) as why:
            raise Unavailable(f"the program {self._program!r} cannot be run: {why}") from why
        if done.returncode in (0, 1):
            return done.returncode, done.stdout
        message = done.stderr.decode("utf-8", "replace").strip() or f"exit {done.returncode}"
        is_named = records and (_REF.search(message) or done.returncode != 2)
        raise Unavailable(message.removeprefix("baton: "), "unknown" if is_named else "none")

    def _report(self, words: list[str], stdin: bytes = b"", records: bool = False) -> Report:
        code, output = self._run([*words, "-f", "json"], stdin, records)
        report = _read_report(output, "unknown" if records else "none")
        if report.accepted != (code == 0):
            raise Unavailable(f"the program printed {report.verdict} and ended with {code}", "unknown" if records else "none")
        return report

    def _value(self, words: list[str]) -> Any:
        """What a command that reads prints. Rejected: it found that the record was changed."""
        code, output = self._run([*words, "-f", "json"])
        if code == 1:
            raise Rejected(_read_report(output, "none"))
        value = _parse(output)
        if not isinstance(value, dict):
            raise Unavailable("the program did not print an object of JSON")
        return value

    def append(self, document: Document, /, dialect: str | None = None, *, raw: bool = False, **flags: Any) -> Report:
        """Check a document and record the verdict; `raw` records bytes without a check. A refusal is a report that is not accepted."""
        words = ["ledger", "append", *_flags({"as": dialect, **flags}), *(["--raw", "-"] if raw else ["-"])]
        return self._report(words, document_bytes(document), records=True)

    def submit(self, document: Document, /, dialect: str | None = None, **flags: Any) -> Submission:
        """Judge and record a handoff. Rejected: it was refused, which is recorded, too."""
        command = _COMMANDS.get(dialect or "")
        words = [*command, *_flags(flags), "-"] if command else ["ledger", "append", *_flags({"as": dialect, **flags}), "-"]
        report = self._report(words, document_bytes(document), records=True)
        value = report.value
        record = value["documents"][0].get("record")
        if not report.accepted:
            raise Rejected(report, record)
        return Submission(record, self.receipt(record["seq"]) if record else None, value.get("delivery"), report, value)

    def tail(self, n: int = 10, **flags: Any) -> list[dict[str, Any]]:
        """The last entries, oldest first: `seq`, `leaf_hash` and `entry` of each."""
        entries = self._value(["ledger", "tail", "-n", str(int(n)), *_flags(flags)]).get("entries")
        if not isinstance(entries, list):
            raise Unavailable("the program did not print entries")
        return entries

    def show(self, seq: int | str) -> dict[str, Any]:
        """One entry, by its number or its ref."""
        shown: dict[str, Any] = self._value(["ledger", "show", _place(seq)])
        return shown

    def document(self, seq: int | str) -> bytes:
        """The bytes of an entry's document. Unavailable: they are not kept, or were deleted."""
        code, output = self._run(["ledger", "show", _place(seq), "--document"])
        if code == 1:
            raise Unavailable("the bytes of this document are not kept")
        return output

    def receipt(self, seq: int) -> dict[str, Any]:
        """The receipt of an entry, in its JSON form."""
        made: dict[str, Any] = self._value(["ledger", "prove", "inclusion", _place(seq)])
        return made

    def verify(self, **flags: Any) -> Report:
        """Check the whole ledger: `vkey`, `against`, `witness_key` and so on are flags."""
        return self._report(["ledger", "verify", *_flags(flags)])


def _place(seq: int | str) -> str:
    text = str(seq)
    if isinstance(seq, bool) or not text or text.startswith("-"):
        raise ValueError(f"{seq!r} is neither the number of an entry nor its ref")
    return text
