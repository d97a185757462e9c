#!/usr/bin/env bash
# Writes the account of the repository into every file that names it: scripts/owner.sh ACCOUNT
#
# Cargo.toml has the account before: `repository = "https://github.com/ACCOUNT/pdblens"`. It can be run again for another account.
set -euo pipefail
cd "$(dirname "$0")/.."
account=${1:-}
[[ $account =~ ^[A-Za-z0-9]([A-Za-z0-9-]{0,37}[A-Za-z0-9])?$ ]] || { echo "owner: usage: scripts/owner.sh ACCOUNT" >&2; exit 2; }
before=$(sed -n 's,^repository = "https://github.com/\([^/]*\)/pdblens"$,\1,p' Cargo.toml)
[[ -n $before ]] || { echo "owner: Cargo.toml names no repository on GitHub" >&2; exit 1; }
# The account stands before the name of the project, or of a repository of manifests.
for file in Cargo.toml README.md CONTRIBUTING.md docs/*.md; do
  sed -i.before -E "s#\\b$before/(pdblens|tap|homebrew-tap|scoop-bucket)\\b#$account/\\1#g" "$file"
  rm "$file.before"
done
if left=$(grep -nE "\\b$before/" Cargo.toml README.md CONTRIBUTING.md docs/*.md) && [[ $before != "$account" ]]; then
  echo "owner: $before is left in" >&2
  echo "$left" >&2
  exit 1
fi
