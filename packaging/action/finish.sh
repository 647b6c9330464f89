#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# finish.sh - end the action with the exit code of `baton check`.
#
# In: CODE, an output of check.sh; empty when it did not get that far.
. "$(dirname "$0")/lib.sh"

case ${CODE:-} in
    0 | 1 | 2) exit "$CODE" ;;
    *) fail "baton check did not run" ;;
esac
