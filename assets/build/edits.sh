#!/usr/bin/env bash
# Builds the throw sites (assets/sources/throws) again with one edit each, and writes tests/golden/edits: `line` has one comment line more
# before all code, `statement` one statement more in a method that throws. The traces of tests/golden/throws are those of other builds then.
# `setup.sh` brings compilers and runtime.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
root=$(cd "$here/../.." && pwd); golden=$root/tests/golden/edits
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
managed() { for file in "$FX10"/*.dll; do case $(basename "$file") in *Native*|clr*|coreclr*|mscordac*|msquic*|host*|libclr*) ;; *) echo "-r:$file" ;; esac; done; }
refs31=$(ls "$REF31"/*.dll | sed 's/^/-r:/')
fsharp=$(find "$(dirname "$REF31")"/../../../../sdk -path '*/FSharp/FSharp.Core.dll' -print -quit)
mkdir -p "$golden" "$work/out"
for edit in line statement; do
  sources=$work/$edit; cp -r "$root/assets/sources/throws" "$sources"
  case $edit in
    line) sed -i '2i // One line more.' "$sources"/Sites.{cs,fs}; sed -i "2i ' One line more." "$sources/Sites.vb" ;;
    statement)
      sed -i 's|^\( *\)var index = 3 + zero;|&\n\1index += zero;|' "$sources/Sites.cs"
      sed -i 's|^\( *\)Dim at = 3 + zero|&\n\1at += zero|' "$sources/Sites.vb"
      sed -i 's|^\( *\)let at = 3 + zero|&\n\1let at = at + zero|' "$sources/Sites.fs" ;;
  esac
  for file in cs vb fs; do cmp -s "$sources/Sites.$file" "$root/assets/sources/throws/Sites.$file" && { echo "Sites.$file: no edit" >&2; exit 1; }; done
  echo 'global using System; global using System.Collections.Generic; global using System.Linq; global using System.Threading.Tasks;' >"$sources/Usings.cs"
  csc5 -langversion:preview -nullable -unsafe -nowarn:CS0162,CS8600,CS8603,CS0219 -deterministic -debug:embedded \
    -pathmap:"$sources"=/src -out:"$work/out/csharp-debug.dll" -target:exe $(managed) "$sources/Sites.cs" "$sources/Usings.cs" >/dev/null
  vbc31 -deterministic -debug:embedded '-define:_MYTYPE="Empty"' -optionstrict- -optioninfer+ -langversion:latest \
    -pathmap:"$sources"=/src -out:"$work/out/visual-basic-debug.dll" -target:library -sdkpath:"$REF31" $refs31 "$sources"/{Sites,External}.vb >/dev/null
  fsc31 --deterministic+ --optimize- --debug:embedded --noframework --pathmap:"$sources"=/src -o:"$work/out/fsharp-debug.dll" \
    --target:library -r:"$fsharp" $refs31 "$sources/Sites.fs" >/dev/null
  for language in csharp visual-basic fsharp; do cp "$work/out/$language-debug.dll" "$golden/$language-$edit.dll"; done
done
ls -l "$golden"
