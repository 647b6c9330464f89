#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# check.sh - run `baton check`, keep its reports, and say how it ended.
#
# In: INPUT_PATHS (one per line), INPUT_ARGS (separated by white space), INPUT_CONFIG, INPUT_FAIL_LEVEL, INPUT_STRICT,
#     INPUT_SUMMARY, BASE_SHA (of a pull request), RUNNER_TEMP, GITHUB_STEP_SUMMARY.
# Out: the outputs of the action and `code`. The step itself succeeds, so that the SARIF file is uploaded after a failure too.
. "$(dirname "$0")/lib.sh"

mkdir -p "$work"
sarif=$work/baton.sarif
summary=$work/summary.md
totals=$work/report.jsonl
rm -f "$sarif" "$summary" "$totals"
newline='
'

# restore: put back what `config: base` replaced.
restore()
{
    for file in baton.yaml baton-baseline.json; do
        rm -f "$file"
        [ ! -e "$work/head/$file" ] || cp -p "$work/head/$file" "$file"
    done
}

# use_base: take the configuration and the baseline of the base commit for this run. Their paths and patterns start at the folder
# of the file, so they must stand there.
use_base()
{
    case ${BASE_SHA:-} in
        '') fail "config: base needs a pull request; this event has no base commit" ;;
        *[!0-9a-f]*) fail "the base commit is not a commit id" ;;
    esac
    git cat-file -e "$BASE_SHA^{commit}" 2>/dev/null || git fetch --quiet --no-tags --depth=1 origin "$BASE_SHA" ||
        fail "cannot fetch the base commit $BASE_SHA"
    rm -rf "$work/head"
    mkdir -p "$work/head"
    for file in baton.yaml baton-baseline.json; do
        [ ! -e "$file" ] || cp -p "$file" "$work/head/$file"
    done
    trap restore EXIT
    for file in baton.yaml baton-baseline.json; do
        rm -f "$file"
        git cat-file -e "$BASE_SHA:$file" 2>/dev/null && git show "$BASE_SHA:$file" >"$file"
    done
    return 0
}

# The words of --config and --strict come first, then the further arguments, then the paths.
set -- check --fail-level "${INPUT_FAIL_LEVEL:-error}"
if is_true strict "${INPUT_STRICT:-false}"; then
    set -- "$@" --strict
fi
case ${INPUT_CONFIG:-} in
    '') ;;
    base) use_base ;;
    *) set -- "$@" --config "$INPUT_CONFIG" ;;
esac
set -- "$@" -f github -f sarif -o "$sarif" -f markdown -o "$summary" -f jsonl -o "$totals"
for word in ${INPUT_ARGS:-}; do
    set -- "$@" "$word"
done
set -- "$@" --
IFS=$newline
for path in ${INPUT_PATHS:-.}; do
    set -- "$@" "$path"
done
unset IFS

code=0
baton "$@" || code=$?
case $code in
    0) verdict=accepted ;;
    1) verdict=rejected ;;
    *) verdict=failed ;;
esac

# total NAME: a number of the summary; 0 when there is no report.
total()
{
    number=
    if [ -f "$totals" ]; then
        number=$(tail -n 1 "$totals" | sed -n "s/.*\"summary\":{[^{}]*\"$1\":\\([0-9]*\\).*/\\1/p")
    fi
    printf '%s' "${number:-0}"
}

output code "$code"
output verdict "$verdict"
output documents "$(total documents)"
output rejected "$(total rejected)"
output failures "$(total failures)"
if [ -f "$sarif" ]; then
    output sarif "$sarif"
fi
if is_true summary "${INPUT_SUMMARY:-true}" && [ -f "$summary" ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    # The service refuses a summary of more than 1 MiB.
    head -c 1000000 "$summary" >>"$GITHUB_STEP_SUMMARY"
fi
