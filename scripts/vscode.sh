#!/usr/bin/env bash
# Packs the extension of VS Code: scripts/vscode.sh PAGE OUT
#
# PAGE is the folder that scripts/page.sh made; OUT gets pdblens.vsix. npm's @vscode/vsce packs it.
set -euo pipefail
cd "$(dirname "$0")/.."
page=${1:?usage: scripts/vscode.sh PAGE OUT} out=${2:?usage: scripts/vscode.sh PAGE OUT}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
stage=target/vscode
rm -rf "$stage"
mkdir -p "$stage/page" "$out"
cp editors/vscode/* "$stage/"
cp "$page"/*.{html,css,js,wasm} "$stage/page/"
cat LICENSE-MIT LICENSE-APACHE >"$stage/LICENSE"
sed -i "s/\"version\": \"0.0.0\"/\"version\": \"$version\"/" "$stage/package.json"
out=$(cd "$out" && pwd)
(cd "$stage" && npx --yes @vscode/vsce@3.6.2 package --no-dependencies --allow-missing-repository --out "$out/pdblens.vsix")
