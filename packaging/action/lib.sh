# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# lib.sh - what the steps of the action share. Inputs come as environment variables and nothing is evaluated.
set -eu
set -f # names are never patterns

# shellcheck disable=SC2034 # for the scripts that read this
action=$(dirname "$0")

# fail MESSAGE...: end the step with an annotation.
fail()
{
    printf '::error title=baton::%s\n' "$*"
    exit 2
}

# output NAME VALUE: an output of the step; the value has one line.
output()
{
    printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# is_true NAME VALUE: an input that is true or false.
is_true()
{
    case $2 in
        true) return 0 ;;
        false) return 1 ;;
        *) fail "the input $1 is true or false, not $2" ;;
    esac
}

# The folder of this run, which the runner removes after the job.
# shellcheck disable=SC2034
work=${RUNNER_TEMP:?}/baton
