#!/usr/bin/env bash
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fetch_qemu.sh <folder>: puts qemu-aarch64 and qemu-riscv64 of 10.1 or newer into <folder>, unless that folder or the
# PATH has them. Debian 12's own, 7.2, has neither SME2 nor a correct 8-bit SMOPA, nor RISC-V's Zvfh. They come from Debian's
# backports for the next release, through apt and its keys, but from lists of its own: the system's packages and sources
# stay as they are. They are linked statically, so that they run on any x86-64 Linux.

set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 <folder>" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
suite=trixie-backports
die() { echo "fetch_qemu: $*" >&2; exit 1; }

programs="qemu-aarch64 qemu-riscv64"

is_new() {
  local version
  version=$("$1" --version 2>/dev/null | sed -n 's/^qemu-[a-z0-9]* version \([0-9]*\.[0-9]*\).*/\1/p')
  [ -n "$version" ] && [ "$(printf '%s\n10.1\n' "$version" | sort -V | head -1)" = 10.1 ]
}

missing=""
for program in $programs; do
  is_new "$folder/$program" && continue
  command -v "$program" >/dev/null && is_new "$program" && continue
  missing="$missing $program"
done
[ -n "$missing" ] || exit 0
command -v apt-get >/dev/null || die "no apt-get: install$missing 10.1 or newer by hand, anywhere on the PATH"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || die "$keys is missing: install debian-archive-keyring"
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Identifier: Packages' |
  sed -n 's/^Debian \([^ ]*\)$/\1/p' | head -1)
[ -n "$mirror" ] || die "apt has no Debian archive among its sources (run apt-get update), so there is none to ask for $suite"

echo "fetching$missing from Debian's $suite (70 MB) into $folder"
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists,archives,state}
touch "$work/state/status"
echo "deb [signed-by=$keys arch=amd64] $mirror $suite main" >"$work/sources.list"
apt_get() {
  apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State="$work/state" -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/state/status" \
    -o Dir::Cache="$work" -o Dir::Cache::archives="$work/archives" -o APT::Architecture=amd64 \
    -o APT::Sandbox::User="$(id -un)" -o APT::Default-Release="$suite" "$@"
}
apt_get update || die "cannot read the lists of $suite from apt's Debian archive"
(cd "$work" && apt_get download qemu-user) || die "cannot fetch qemu-user of $suite"
for program in $missing; do
  dpkg-deb --fsys-tarfile "$work"/qemu-user_*.deb | tar -x -C "$work" "./usr/bin/$program"
  is_new "$work/usr/bin/$program" || die "qemu-user of $suite is older than 10.1, or does not run here"
  mv "$work/usr/bin/$program" "$folder/$program"
done
