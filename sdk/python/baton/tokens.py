# SPDX-License-Identifier: Apache-2.0
"""Count the tokens of a text exactly."""
from baton._judge import _core

_BUDGET_MAX = (1 << 64) - 1


def count(text, encoding="o200k_base"):
    """The number of tokens of a str or of UTF-8 bytes; for "chars4" an estimate."""
    return _core.count_tokens(text, encoding)


def within(text, budget, encoding="o200k_base"):
    """True when the text has at most `budget` tokens; often found out without counting all of them."""
    return budget >= 0 and _core.fit_tokens(text, min(budget, _BUDGET_MAX), encoding)
