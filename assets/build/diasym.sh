#!/usr/bin/env bash
# Asks the symbol reader of .NET, Microsoft.DiaSymReader.Native, about every managed sample with a Windows PDB and writes
# NAME.json. The reader is native code for Windows: it runs under wine, with the runtime that `setup.sh` brings.
#   ./diasym.sh                the samples, to tests/golden/diasym
#   ./diasym.sh DLL PDB OUT    one pair
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
tool=$(mktemp -d); trap 'rm -rf "$tool"' EXIT
csc31 -langversion:latest -o -out:"$tool/diasym.dll" -target:exe $(ls "$REF31"/*.dll | sed 's/^/-r:/') "$here/Diasym.cs"
cp "$(find "$WIN_SDK/shared" -name Microsoft.DiaSymReader.Native.amd64.dll | head -n 1)" "$tool/"
echo '{"runtimeOptions":{"tfm":"netcoreapp3.1","framework":{"name":"Microsoft.NETCore.App","version":"3.1.0"}}}' >"$tool/diasym.runtimeconfig.json"
path() { winepath -w "$(realpath -m "$1")"; }
if (($# == 3)); then printf '%s|%s|%s\n' "$(path "$1")" "$(path "$2")" "$(path "$3")" >"$tool/list"; else
  mkdir -p "$here/../../tests/golden/diasym"
  for image in "$here"/../samples/*-windows*/*.dll; do
    printf '%s|%s|%s\n' "$(path "$image")" "$(path "${image%.dll}.pdb")" "$(path "$here/../../tests/golden/diasym/$(basename "$(dirname "$image")").json")"
  done >"$tool/list"; fi
wine "$WIN_SDK/dotnet.exe" exec --runtimeconfig "$(path "$tool/diasym.runtimeconfig.json")" "$(path "$tool/diasym.dll")" "$(path "$tool/list")"
