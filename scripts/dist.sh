#!/usr/bin/env bash
# Makes the release archives: scripts/dist.sh [--url URL] [--out DIR] [--no-build] [TARGET...]
#
# Each target is a Rust target triple; without one, this machine's. A target that is not this machine's is built with cargo-zigbuild
# where it is installed (PyPI: cargo-zigbuild, ziglang), otherwise with cargo and the linker that it is configured with. An archive
# has the program, man pages, completions and licences; the same sources make the same bytes. URL is the folder that the archives will
# be downloaded from; without it no package manifests are written. With --no-build the programs are those that were built before.
set -euo pipefail
cd "$(dirname "$0")/.."

built_in=${CARGO_TARGET_DIR:-target}
url='' out=$built_in/dist build=1 targets=()
while (($#)); do
  case $1 in
    --url) url=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    --no-build) build=; shift ;;
    -*) echo "dist: unknown option $1" >&2; exit 2 ;;
    *) targets+=("$1"); shift ;;
  esac
done
host=$(rustc -vV | sed -n 's/^host: //p')
((${#targets[@]})) || targets=("$host")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# Times in archives: that of the last commit.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
# Paths of this machine are not part of the program.
cargo_home=${CARGO_HOME:-$HOME/.cargo}
export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$PWD=/pdblens --remap-path-prefix=$cargo_home=/cargo -C strip=symbols"

# The manual is the same for every target: this machine's program writes it.
[[ -z $build ]] || cargo build --release --locked
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$built_in/release/pdblens" gen man --output "$pages/man"
mkdir "$pages/completions"
for shell in bash elvish fish nushell powershell zsh; do
  "$built_in/release/pdblens" gen completions "$shell" >"$pages/completions/pdblens.$shell"
done

rm -rf "$out"
mkdir -p "$out"
for target in "${targets[@]}"; do
  if [[ $target == "$host" ]]; then
    built=$built_in/release
  elif [[ -z $build ]]; then
    built=$built_in/$target/release
  else
    rustup target list --installed 2>/dev/null | grep -q "^$target\$" || rustup target add "$target"
    if cargo zigbuild --version >/dev/null 2>&1 && [[ $target != *windows-msvc ]]; then
      cargo zigbuild --release --locked --target "$target"
    else
      cargo build --release --locked --target "$target"
    fi
    built=$built_in/$target/release
  fi
  name=pdblens-$version-$target
  folder=$pages/$name
  mkdir "$folder"
  program=pdblens
  [[ $target == *windows* ]] && program=pdblens.exe
  cp "$built/$program" "$folder/"
  cp -r "$pages/man" "$pages/completions" "$folder/"
  cp CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$folder/"
  python3 scripts/packages.py readme "$folder"
  python3 scripts/packages.py archive "$folder" "$out" "$SOURCE_DATE_EPOCH"
  printf '%s: %s is %s bytes\n' "$target" "$program" "$(wc -c <"$folder/$program")"
  python3 scripts/packages.py tool "$folder/$program" "$target" "$version" "$out"
done
python3 scripts/packages.py pointer "$version" "$out"
[[ -z $url ]] || python3 scripts/packages.py manifests "$version" "$url" "$out"
sums() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
(
  cd "$out"
  shopt -s nullglob
  sums *.tar.gz *.zip *.nupkg >SHA256SUMS
)
python3 scripts/packages.py verify "$version" "$out"
cat "$out/SHA256SUMS"
