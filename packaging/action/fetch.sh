#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fetch.sh - fetch the release archive, compare it with its SHA-256, and put the program on the path.
#
# In: BATON_VERSION, BATON_SHA256 (inputs, may be empty), GITHUB_SERVER_URL, GITHUB_ACTION_REPOSITORY, RUNNER_TEMP.
# Out: the folder of the program in GITHUB_PATH.
. "$(dirname "$0")/lib.sh"

own_version=$(sed -n 's/^version //p' "$action/release.txt")
own_sum=$(sed -n 's/^sha256 //p' "$action/release.txt")
version=${BATON_VERSION:-$own_version}
sum=${BATON_SHA256:-}

case $version in
    '' | *[!0-9.]*) fail "the input version is a version such as $own_version, not $version" ;;
esac
if [ -z "$sum" ] && [ "$version" = "$own_version" ]; then
    sum=$own_sum
fi
[ -n "$sum" ] || fail "version $version is not the version that this action was released with: give its SHA-256 as the input sha256"
case $sum in
    *[!0-9a-f]*) fail "the input sha256 is 64 hexadecimal digits in lower case" ;;
esac
[ ${#sum} -eq 64 ] || fail "the input sha256 is 64 hexadecimal digits in lower case"
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || fail "there is no archive for $(uname -s) on $(uname -m)"

name=baton-$version-linux-x64.tar.xz
url=${GITHUB_SERVER_URL:?}/${GITHUB_ACTION_REPOSITORY:?}/releases/download/v$version/$name
mkdir -p "$work"
# A file: URL is for mirrors on the machine of the runner, and for tests.
curl --silent --show-error --fail --location --proto '=https,file' --proto-redir '=https' --retry 3 \
    --max-time 300 --max-filesize 100000000 --output "$work/$name" "$url" || fail "cannot fetch $url"
printf '%s  %s\n' "$sum" "$work/$name" | sha256sum --check --quiet - ||
    fail "$url is not the file that was released: its SHA-256 differs. Do not use it"
tar -xJf "$work/$name" -C "$work" "baton-$version/bin/baton" || fail "$name holds no program"
printf '%s\n' "$work/baton-$version/bin" >>"$GITHUB_PATH"
"$work/baton-$version/bin/baton" version
