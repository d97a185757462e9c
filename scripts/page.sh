#!/usr/bin/env bash
# Makes the page: scripts/page.sh [--serve] DIR
#
# DIR gets the files of web/ and the module of the screens; any server of static files shows it. --serve does so on 127.0.0.1:8917.
set -euo pipefail
cd "$(dirname "$0")/.."
serve=
[[ ${1:-} != --serve ]] || { serve=1; shift; }
dir=${1:?usage: scripts/page.sh [--serve] DIR}
target=wasm32-wasip1
rustup target list --installed 2>/dev/null | grep -q "^$target\$" || rustup target add "$target"
cargo build --locked --profile page --target "$target" -p pdblens-web
mkdir -p "$dir"
cp web/*.html web/*.css web/*.js "$dir/"
cp "${CARGO_TARGET_DIR:-target}/$target/page/pdblens_web.wasm" "$dir/pdblens.wasm"
printf 'page: %s bytes in %s\n' "$(wc -c <"$dir/pdblens.wasm")" "$dir"
if [[ -n $serve ]]; then
  echo "page: http://127.0.0.1:8917/ (Ctrl-C ends it)"
  exec python3 -m http.server 8917 --bind 127.0.0.1 --directory "$dir"
fi
