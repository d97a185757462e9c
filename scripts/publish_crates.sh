#!/usr/bin/env bash
# Uploads the crates that the registry does not have: scripts/publish_crates.sh [--print]
#
# An upload that ended at one of them is resumed: the others stay as they are. Cargo uploads a crate after those that it depends on. The
# gate has built the packages, so that nothing is compiled beside the token. --print names the crates and uploads none. INDEX is the
# address of the sparse index.
set -euo pipefail
cd "$(dirname "$0")/.."
index=${INDEX:-https://index.crates.io}
wanted=() excluded=()
while read -r name version publish; do
  # A name of four letters or more lies in two folders of two letters.
  entry=$(curl --silent --show-error --fail --location --retry 3 "$index/${name:0:2}/${name:2:2}/$name" 2>/dev/null || true)
  if [[ $publish == no ]] || grep -qF "\"vers\":\"$version\"" <<<"$entry"; then
    excluded+=(--exclude "$name")
  else
    wanted+=("$name")
  fi
done < <(cargo metadata --no-deps --format-version 1 --locked | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    print(package["name"], package["version"], "no" if package["publish"] == [] else "yes")')
echo "publish: ${wanted[*]:-nothing, the registry has all crates}"
[[ ${1:-} != --print && ${#wanted[@]} -gt 0 ]] || exit 0
cargo publish --locked --no-verify --workspace "${excluded[@]}"
