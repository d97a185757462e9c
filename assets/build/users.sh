#!/usr/bin/env bash
# Asks Mono.Cecil for the users of each method, field and type: users.sh OUT DLL… copies each image to OUT and writes its list beside it,
# for the test that reads the folder in PDBLENS_USERS.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
out=$1; shift; made=$(mktemp -d); trap 'rm -rf "$made"' EXIT
cp "$T"/sdk31/sdk/*/Sdks/ILLink.Tasks/tools/netcoreapp2.0/Mono.Cecil.dll "$made"
csc31 -langversion:latest -o -out:"$made/users.dll" -target:exe -r:"$made/Mono.Cecil.dll" $(ls "$REF31"/*.dll | sed 's/^/-r:/') "$here/Users.cs"
mkdir -p "$out"
for image; do
  name=$(basename "$image"); name=${name%.*}
  [[ $image -ef $out/$name.dll ]] || cp "$image" "$out/$name.dll"
  dn10 "$made/users.dll" "$image" "$FX10" >"$out/$name.tsv"
done
wc -l "$out"/*.tsv
