#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# upload.sh - send the SARIF file to code scanning. A repository without code scanning, or a token that may not write there, as in
# a pull request from a fork, is a warning: the verdict does not depend on the upload.
#
# In: SARIF, GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SHA, GITHUB_REF, RUNNER_TEMP.
. "$(dirname "$0")/lib.sh"

case ${GITHUB_SHA:?}${GITHUB_REF:?} in
    *[\"\\]*) fail "the name of the commit or branch cannot be written as JSON" ;;
esac
mkdir -p "$work"
body=$work/upload.json
{
    printf '{"commit_sha":"%s","ref":"%s","tool_name":"baton","sarif":"' "$GITHUB_SHA" "$GITHUB_REF"
    gzip -9 -n -c "${SARIF:?}" | base64 -w 0
    printf '"}'
} >"$body"
# The token is read from standard input, so that it is in no list of processes.
printf 'header = "Authorization: Bearer %s"\n' "${GITHUB_TOKEN:?}" |
    curl --silent --show-error --fail --config - --request POST --retry 2 --max-time 120 --output "$work/upload.answer" \
        --header 'Accept: application/vnd.github+json' --header 'Content-Type: application/json' --data-binary "@$body" \
        "${GITHUB_API_URL:?}/repos/${GITHUB_REPOSITORY:?}/code-scanning/sarifs" ||
    printf '::warning title=baton::the SARIF file could not be uploaded; is code scanning on, and may the job write security-events?\n'
