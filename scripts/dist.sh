#!/usr/bin/env bash
# Makes a release: scripts/dist.sh [--no-build | --no-pack] [--out DIR] [TARGET...]
#
# Each target is a Rust target triple; without one, this machine's. A target that is not this machine's is built with cargo-zigbuild
# where it is installed (PyPI: cargo-zigbuild, ziglang), otherwise with cargo and the linker that it is configured with. DIR
# (target/dist) gets an archive for each target (program, man pages, completions, licences), the Debian and .NET tool packages, the manifests of
# Homebrew, Scoop and winget, and SHA256SUMS. The same sources make the same bytes.
#
# --no-pack stops after the build; --no-build packs the programs in target/TARGET/dist. PDBLENS names a program that runs here and
# prints the manual, if it is not this machine's target.
set -euo pipefail
cd "$(dirname "$0")/.."

built_in=${CARGO_TARGET_DIR:-target}
out=$built_in/dist build=1 pack=1 targets=()
while (($#)); do
  case $1 in
    --out) out=$2; shift 2 ;;
    --no-build) build=; shift ;;
    --no-pack) pack=; shift ;;
    -*) echo "dist: unknown option $1" >&2; exit 2 ;;
    *) targets+=("$1"); shift ;;
  esac
done
host=$(rustc -vV | sed -n 's/^host: //p')
((${#targets[@]})) || targets=("$host")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# Times in archives: that of the last commit.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

build() {
  local target=$1 cargo=(cargo build) flags here home
  # Paths of this machine are not part of the program. In Git's shell on Windows, cygpath has their names for Windows programs.
  here=$(cygpath -m "$PWD" 2>/dev/null || echo "$PWD")
  home=$(cygpath -m "${CARGO_HOME:-$HOME/.cargo}" 2>/dev/null || echo "${CARGO_HOME:-$HOME/.cargo}")
  flags="--remap-path-prefix=$here=/pdblens --remap-path-prefix=$home=/cargo"
  # Windows has no C runtime of Visual Studio before somebody installs it.
  [[ $target != *windows-msvc ]] || flags+=" -C target-feature=+crt-static"
  rustup target list --installed 2>/dev/null | grep -q "^$target\$" || rustup target add "$target"
  if [[ $target != "$host" && $target != *windows-msvc ]] && cargo zigbuild --version >/dev/null 2>&1; then
    cargo=(cargo zigbuild)
  fi
  RUSTFLAGS="${RUSTFLAGS:-} $flags" "${cargo[@]}" --profile dist --locked --target "$target"
}
[[ -z $build ]] || for target in "${targets[@]}"; do build "$target"; done
[[ -n $pack ]] || exit 0

# The manual is the same for every target: a program that runs here prints it.
program=${PDBLENS:-$built_in/$host/dist/pdblens}
[[ -x $program || -z $build ]] || build "$host"
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
"$program" gen man --output "$pages/man"
mkdir "$pages/completions"
for shell in bash fish nushell powershell zsh; do
  "$program" gen completions "$shell" >"$pages/completions/pdblens.$shell"
done

rm -rf "$out"
mkdir -p "$out"
for target in "${targets[@]}"; do
  name=pdblens-$version-$target
  folder=$pages/$name
  mkdir "$folder"
  program=pdblens
  [[ $target == *windows* ]] && program=pdblens.exe
  cp "$built_in/$target/dist/$program" "$folder/"
  cp -r "$pages/man" "$pages/completions" "$folder/"
  cp CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$folder/"
  python3 scripts/packages.py readme "$folder"
  python3 scripts/packages.py archive "$folder" "$out" "$SOURCE_DATE_EPOCH"
  [[ $target != *-linux-* ]] || python3 scripts/packages.py deb "$folder" "$target" "$version" "$out" "$SOURCE_DATE_EPOCH"
  printf '%s: %s is %s bytes\n' "$target" "$program" "$(wc -c <"$folder/$program")"
  python3 scripts/packages.py tool "$folder/$program" "$target" "$version" "$out"
done
python3 scripts/packages.py pointer "$version" "$out"
python3 scripts/packages.py manifests "$version" "$out"
sums() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
# The pattern is expanded before the file is made.
(cd "$out" && sums -- * >SHA256SUMS)
python3 scripts/packages.py verify "$version" "$out"
cat "$out/SHA256SUMS"
