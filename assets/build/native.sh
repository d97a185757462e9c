#!/usr/bin/env bash
# Builds the native samples of C++ and Rust, for the shapes that real native PDBs have: classes with several bases, bit fields,
# templates, NatVis, inlined calls, folded functions, link-time optimisation, publics without functions, x86 and ARM64.
# Needs Debian's clang-19 and lld-19, and rustup. The sources are built under /src, so that no builder's path gets into a
# symbol file; the name of rustc's temporary folder does, in the path of the NatVis file.
set -euo pipefail
cd "$(dirname "$0")"
command -v lld-link-19 >/dev/null || apt-get install -y -qq --no-install-recommends clang-19 lld-19 >/dev/null
rustup target add x86_64-pc-windows-msvc 2>/dev/null
[[ ! -e /src ]] || { echo "/src is in the way" >&2; exit 1; }
out=$PWD/../samples; cp -r ../sources /src; trap 'rm -rf /src' EXIT
link=(lld-link-19 /nologo /debug /entry:entry /subsystem:console /nodefaultlib /Brepro '/pdbaltpath:%_PDB%')
debug=(-g -gcodeview -gcolumn-info)

cpp() { # cpp OUT-FOLDER TARGET "COMPILER-OPTION…" "LINKER-OPTION…"
  local to=$out/$1 file; read -ra options <<<"$3"; read -ra linker <<<"$4"; mkdir -p "$to"; cd /src/parcel-cpp
  for file in box main; do
    clang++-19 "--target=$2" "${debug[@]}" "${options[@]}" -std=c++17 -ffreestanding -fno-exceptions -fno-rtti -fms-extensions \
      -fno-stack-protector -Xclang -gno-codeview-command-line -c $file.cpp -o $file.obj
  done
  "${link[@]}" "${linker[@]}" /out:parcel.exe /pdb:parcel.pdb box.obj main.obj; mv parcel.exe parcel.pdb "$to/"
}
x64=x86_64-pc-windows-msvc fold="/opt:ref,icf"
cpp parcel $x64 "-O0 -mno-stack-arg-probe" /natvis:parcel.natvis
cpp parcel-optimized $x64 "-O2 -ffunction-sections" $fold
cpp parcel-lto $x64 "-O2 -flto" $fold
cpp parcel-arm64 aarch64-pc-windows-msvc "-O2 -ffunction-sections" $fold
cpp parcel-x86 i686-pc-windows-msvc "-O1 -mno-stack-arg-probe" /safeseh:no
# lld-link has no /pdbstripped: objects without debug information leave what that option leaves, publics and modules.
debug=(); cpp parcel-public $x64 "-O2 -ffunction-sections" $fold

rust() { # rust OUT-FOLDER MANGLING
  local to=$out/$1; mkdir -p "$to"; cd /src/sorter-rust
  local options=(--edition 2024 --target x86_64-pc-windows-msvc -C panic=abort -C opt-level=1 -g -C "symbol-mangling-version=$2"
    -Z unstable-options "--remap-path-prefix=$(rustc --print sysroot)=/rust")
  RUSTC_BOOTSTRAP=1 rustc "${options[@]}" --crate-type rlib geometry.rs
  RUSTC_BOOTSTRAP=1 rustc "${options[@]}" --extern geometry=libgeometry.rlib -C linker=lld-link-19 -C linker-flavor=lld-link \
    -C "link-args=/entry:entry /subsystem:console /nodefaultlib /Brepro /pdbaltpath:%_PDB% /opt:ref" sorter.rs -o sorter.exe
  mv sorter.exe sorter.pdb "$to/"
}
rust sorter v0
rust sorter-legacy legacy
chmod 644 "$out"/{parcel,sorter}*/*; ls -l "$out"/{parcel,sorter}*
