# SPDX-License-Identifier: Apache-2.0
"""Count the tokens of a text exactly."""
import base64
import json

from baton._judge import request_raw, dumps


def _count(text, encoding):
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogatepass")
    request = {"base64": base64.b64encode(text).decode(), "encoding": encoding}
    return json.loads(request_raw(None, "countTokens", dumps(None, request)))["tokens"]


def count(text, encoding="o200k_base"):
    """The number of tokens; for "chars4" an estimate."""
    tokens = _count(text, encoding)
    return tokens["estimate"] if tokens["exact"] is None else tokens["exact"]


def within(text, budget, encoding="o200k_base"):
    """True when the text has at most `budget` tokens."""
    return count(text, encoding) <= budget
