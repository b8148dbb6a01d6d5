#!/bin/sh
# Installs gemtrail @VERSION@ for the current user. It needs no root and writes one file.
#
#   GEMTRAIL_INSTALL_DIR   where to put the program (~/.local/bin)
#   GEMTRAIL_DOWNLOAD_URL  where to download from, for mirrors
#
# The checksums of the release are in this script: an archive that differs is not installed.
set -eu

version='@VERSION@'
downloads=${GEMTRAIL_DOWNLOAD_URL:-'@DOWNLOADS@'}
directory=${GEMTRAIL_INSTALL_DIR:-$HOME/.local/bin}

fail() {
  printf 'gemtrail: %s\n' "$*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# The target triple of this machine.
target() {
  case "$(uname -m)" in
    x86_64 | amd64) cpu=x86_64 ;;
    aarch64 | arm64) cpu=aarch64 ;;
    *) fail "there is no build for $(uname -m); see https://github.com/gemtrail/gemtrail" ;;
  esac
  case "$(uname -s)" in
    Linux)
      # The static build runs everywhere; glibc has the allocator for several threads.
      if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then libc=gnu; else libc=musl; fi
      echo "$cpu-unknown-linux-$libc"
      ;;
    Darwin) echo "$cpu-apple-darwin" ;;
    *) fail "there is no build for $(uname -s); see https://github.com/gemtrail/gemtrail" ;;
  esac
}

fetch() {
  if have curl; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif have wget; then
    wget --quiet --output-document="$2" "$1"
  else
    fail "curl or wget is needed to download"
  fi || fail "could not download $1"
}

sha256() {
  if have sha256sum; then
    sha256sum "$1"
  elif have shasum; then
    shasum -a 256 "$1"
  elif have openssl; then
    openssl dgst -sha256 -r "$1"
  else
    fail "sha256sum, shasum or openssl is needed to check the download"
  fi
}

# A function, so that a download of this script that is cut off does nothing.
main() {
  triple=$(target)
  case $triple in
    # @ARCHIVES@
    *) fail "there is no build for $triple" ;;
  esac
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  fetch "$downloads/$file" "$work/$file"
  found=$(sha256 "$work/$file" | cut -d ' ' -f 1)
  [ "$found" = "$sum" ] || fail "$file has the checksum $found instead of $sum; nothing was installed"
  tar -xzf "$work/$file" -C "$work"
  mkdir -p "$directory"
  # Put in place by renaming: a program that is running is not disturbed.
  cp "$work/gemtrail-$version-$triple/gemtrail" "$directory/.gemtrail.new"
  chmod 755 "$directory/.gemtrail.new"
  mv -f "$directory/.gemtrail.new" "$directory/gemtrail"
  printf 'gemtrail %s is now %s\n' "$version" "$directory/gemtrail"
  # shellcheck disable=SC2016 # `$PATH` is for the reader's shell
  case ":$PATH:" in
    *":$directory:"*) ;;
    *) printf 'Add it to your PATH:  export PATH="%s:$PATH"\n' "$directory" ;;
  esac
}

main
