#!/usr/bin/env bash
# Builds the throw sites (assets/sources/throws) with the compilers of C#, Visual Basic and F#, each for debugging and optimised, runs them, and
# writes tests/golden/throws: the assemblies with their symbols inside, and the frames of each exception with the runtime's own lines.
# `setup.sh` brings compilers and runtime.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
root=$(cd "$here/../.." && pwd); sources=$root/assets/sources/throws; golden=$root/tests/golden/throws
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
managed() { for file in "$FX10"/*.dll; do case $(basename "$file") in *Native*|clr*|coreclr*|mscordac*|msquic*|host*|libclr*) ;; *) echo "-r:$file" ;; esac; done; }
refs31=$(ls "$REF31"/*.dll | sed 's/^/-r:/')
fsharp=$(find "$(dirname "$REF31")"/../../../../sdk -path '*/FSharp/FSharp.Core.dll' -print -quit)
echo 'global using System; global using System.Collections.Generic; global using System.Linq; global using System.Threading.Tasks;' >"$work/Usings.cs"
cp "$fsharp" "$work/"
echo "{\"runtimeOptions\":{\"tfm\":\"net10.0\",\"framework\":{\"name\":\"Microsoft.NETCore.App\",\"version\":\"$(basename "$FX10")\"}}}" >"$work/run.runtimeconfig.json"
csc5 -langversion:preview -o -out:"$work/run.dll" -target:exe $(managed) "$here/ThrowSites.cs" >/dev/null
mkdir -p "$golden"
for build in debug- release+; do
  name=${build%[-+]}; optimize=${build#$name}
  csc5 -langversion:preview -nullable -unsafe -nowarn:CS0162,CS8600,CS8603,CS0219 -deterministic -optimize$optimize -debug:embedded \
    -pathmap:"$sources"=/src,"$work"=/src -out:"$work/csharp-$name.dll" -target:exe $(managed) "$sources/Sites.cs" "$work/Usings.cs" >/dev/null
  vbc31 -deterministic -optimize$optimize -debug:embedded '-define:_MYTYPE="Empty"' -optionstrict- -optioninfer+ -langversion:latest \
    -pathmap:"$sources"=/src -out:"$work/visual-basic-$name.dll" -target:library -sdkpath:"$REF31" $refs31 "$sources"/{Sites,External}.vb >/dev/null
  fsc31 --deterministic+ --optimize$optimize --debug:embedded --noframework --pathmap:"$sources"=/src -o:"$work/fsharp-$name.dll" \
    --target:library -r:"$fsharp" $refs31 "$sources/Sites.fs" >/dev/null
  for language in csharp visual-basic fsharp; do
    $DN10 exec --runtimeconfig "$work/run.runtimeconfig.json" "$work/run.dll" "$work/$language-$name.dll" >"$golden/$language-$name.tsv"
    cp "$work/$language-$name.dll" "$golden/"
  done
done
ls -l "$golden"
