# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the package. None of them is ever an acceptance."""
import errno
import re

_EINVAL, _ENOENT, _EDENIED = 5, 6, 7  # of enum bt_status
_FINDING = re.compile(r"(?P<code>[A-Z][A-Z0-9_]{1,63}) at (?P<pointer>\S*): (?P<message>.*)", re.DOTALL)


class BatonError(Exception):
    """The base of all exceptions of this package. They can be pickled and compared."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._arguments = arguments  # what a copy is made from

    def __reduce__(self):
        return type(self), self._arguments

    def __eq__(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return self._arguments == other._arguments

    def __hash__(self):
        return hash((type(self), str(self)))


class Problem(BatonError):
    """A request that cannot be used. `code`, `status` and `findings` say why."""

    def __init__(self, code, status, detail="", findings=()):
        super().__init__(code, status, detail, list(findings))
        self.code = code
        self.status = status
        self.detail = detail
        self.findings = list(findings)

    def __str__(self):
        text = f"{self.code}: {self.detail}" if self.detail else self.code
        for finding in self.findings:
            text += f"\n{finding}"
        return text


class Rejected(BatonError):
    """A document that was judged and rejected. `report` has the findings."""

    def __init__(self, report, record=None):
        super().__init__(report, record)
        self.report = report
        self.record = record

    def __str__(self):
        hard = [finding for finding in self.report.findings if finding.severity == "HARD"]
        return "\n".join(str(finding) for finding in hard or self.report.findings) or "rejected"


class NotJSON(BatonError, TypeError):
    """A value that JSON cannot hold. `pointer` is its place as a JSON Pointer."""

    def __init__(self, message, pointer=""):
        super().__init__(message, pointer)
        self.message = message
        self.pointer = pointer

    def __str__(self):
        return f"{self.message}, at {self.pointer or 'the whole document'}"


class Unavailable(BatonError):
    """Nothing was judged: no memory, no server, no store or no answer in time.

    `outcome` is "none" when nothing was recorded, and "unknown" when that is not known.
    """

    def __init__(self, message, outcome="none"):
        super().__init__(message, outcome)
        self.outcome = outcome

    def __str__(self):
        return str(self.args[0])


class _Found(BatonError):
    """An error with findings."""

    def __init__(self, findings):
        super().__init__(list(findings))
        self.findings = list(findings)

    def __str__(self):
        return "\n".join(str(finding) for finding in self.findings)


class SchemaError(_Found, ValueError):
    """A JSON Schema that is refused. `findings` say why."""


class ValidationError(_Found, ValueError):
    """A value that is not valid by its JSON Schema. `findings` say why."""


class BudgetSpent(BatonError):
    """A value that could not be judged within `limit`: "work", "time" or "memory". It is neither valid nor invalid."""

    def __init__(self, limit):
        super().__init__(limit)
        self.limit = limit

    def __str__(self):
        return f"the value was not judged: the limit of {self.limit} was reached"


class Incompatible(BatonError):
    """The extension and the package, or the package and a server, do not fit together."""


def from_status(status, name, text):
    """The exception for a status of the library. Called by the extension."""
    if status == _EINVAL:
        return _problem_of(text or name)
    if status == _ENOENT:
        return FileNotFoundError(errno.ENOENT, text or name)
    if status == _EDENIED:
        return PermissionError(errno.EACCES, text or name)
    return Unavailable(f"{name}: {text}" if text else name)


def _problem_of(text):
    """A Problem from a text of the library that begins with a finding, or does not."""
    from baton._types import Finding

    found = _FINDING.fullmatch(text)
    if not found:
        return Problem("PARAMETER_INVALID", 400, text)
    finding = Finding(found["code"], "HARD", "read", found["pointer"], found["message"])
    return Problem(found["code"], 400, found["message"], [finding])
