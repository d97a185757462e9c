#!/usr/bin/env bash
# Installs the release of this version on a runner of GitHub Actions: the step of action.yml. Downloads the archive of the runner's
# system, compares it with SHA256SUMS, puts the program on PATH, and registers the problem matcher.
#
# PDBLENS_URL names the folder of the archives, if it is not the release page.
set -euo pipefail
field() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1; }
version=$(field version)
url=${PDBLENS_URL:-$(field repository)/releases/download/v$version}
case $RUNNER_OS-$RUNNER_ARCH in
  Linux-X64) target=x86_64-unknown-linux-musl ;;
  Linux-ARM64) target=aarch64-unknown-linux-musl ;;
  macOS-X64) target=x86_64-apple-darwin ;;
  macOS-ARM64) target=aarch64-apple-darwin ;;
  Windows-X64) target=x86_64-pc-windows-msvc ;;
  Windows-ARM64) target=aarch64-pc-windows-msvc ;;
  *) echo "::error::pdblens has no program for $RUNNER_OS on $RUNNER_ARCH: build it with cargo install pdblens" >&2; exit 1 ;;
esac
name=pdblens-$version-$target
archive=$name.tar.gz
[[ $RUNNER_OS != Windows ]] || archive=$name.zip

folder=$RUNNER_TEMP/pdblens
mkdir -p "$folder"
cd "$folder"
for file in "$archive" SHA256SUMS; do
  curl --fail --silent --show-error --location --retry 3 --output "$file" "$url/$file" ||
    { echo "::error::pdblens $version cannot be downloaded: $url/$file" >&2; exit 1; }
done
sums() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
grep -F "  $archive" SHA256SUMS | sums --check - || { echo "::error::$url/$archive is not the file that SHA256SUMS names" >&2; exit 1; }
if [[ $archive == *.zip ]]; then unzip -qo "$archive"; else tar -xzf "$archive"; fi
echo "$folder/$name" >>"$GITHUB_PATH"
echo "::add-matcher::$GITHUB_ACTION_PATH/.github/problem-matcher.json"
# The runners of Linux have Landlock, those of other systems have no sandbox.
[[ $RUNNER_OS != Linux ]] || echo "PDBLENS_SANDBOX=${PDBLENS_SANDBOX:-require}" >>"${GITHUB_ENV:-/dev/null}"
