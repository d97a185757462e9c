#!/usr/bin/env bash
# Builds the throw sites (assets/sources/throws) with the compilers of C#, Visual Basic and F#, each for debugging and optimised, and writes what the
# runtime prints of them to tests/golden/throws: NAME.txt, all exceptions without the PDB (ShowILOffsets), and NAME.lines, the number of each line of
# it with the file and line that the runtime prints there with the PDB. NAME.crashreport.json is createdump's report of one exception, without the
# threads and the frames of native code, NAME.crash.txt what the runtime printed of it; NAME.fail-fast.txt the stacks of Environment.FailFast, by site.
# tests/golden/edits has debug builds with one edit each: a comment line more before all code, a lambda more, another constant, a method moved.
# csharp-release.nettrace is a recording of the methods on the crashing stack, in a process that catches all exceptions.
# `setup.sh` brings compilers and runtime. Argument: a folder for all of it, and for all edits in all languages; without one, the goldens are written.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"
root=$(cd "$here/../.." && pwd); golden=${1:-$root/tests/golden}/throws; edits=${1:-$root/tests/golden}/edits; all=${1:-}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
managed() { for file in "$FX10"/*.dll; do case $(basename "$file") in *Native*|clr*|coreclr*|mscordac*|msquic*|host*|libclr*) ;; *) echo "-r:$file" ;; esac; done; }
refs31=$(ls "$REF31"/*.dll | sed 's/^/-r:/')
fsharp=$(find "$(dirname "$REF31")"/../../../../sdk -path '*/FSharp/FSharp.Core.dll' -print -quit)
echo 'global using System; global using System.Collections.Generic; global using System.Linq; global using System.Threading.Tasks;' >"$work/Usings.cs"
mkdir -p "$golden" "$edits" "$work/bare"
cat >"$work/run.runtimeconfig.json" <<JSON
{"runtimeOptions":{"tfm":"net10.0","framework":{"name":"Microsoft.NETCore.App","version":"$(basename "$FX10")"},
 "configProperties":{"Switch.System.Diagnostics.StackTrace.ShowILOffsets":true}}}
JSON
csc5 -langversion:preview -o -out:"$work/run.dll" -target:exe $(managed) "$here/ThrowSites.cs" >/dev/null
cp "$fsharp" "$work/"; cp "$fsharp" "$work/run.dll" "$work/bare/"

# compile LANGUAGE SOURCES OPTIMIZE OUT: the assembly, with its PDB beside it.
compile() {
  case $1 in
    csharp) csc5 -langversion:preview -nullable -unsafe -nowarn:CS0162,CS8600,CS8603,CS0219 -deterministic -optimize"$3" -debug:portable \
      -pathmap:"$2"=/src,"$work"=/src -out:"$4" -target:exe $(managed) "$2/Sites.cs" "$work/Usings.cs" ;;
    visual-basic) vbc31 -deterministic -optimize"$3" -debug:portable '-define:_MYTYPE="Empty"' -optionstrict- -optioninfer+ -langversion:latest \
      -pathmap:"$2"=/src -out:"$4" -target:library -sdkpath:"$REF31" $refs31 "$2"/{Sites,External}.vb ;;
    fsharp) fsc31 --deterministic+ --optimize"$3" --debug:portable --noframework --pathmap:"$2"=/src -o:"$4" --target:library -r:"$fsharp" $refs31 \
      "$2/Sites.fs" ;;
  esac >/dev/null
}

run() { $DN10 exec --runtimeconfig "$work/run.runtimeconfig.json" "$@"; }
# Frames of the runner and of the reflection that it calls by are of no use; the last one of an AggregateException ends with `<---`.
without_runner() { grep -v -e 'ThrowSites\.\(Wait\|Caught\)([^<]*$' -e 'System\.Reflection\.\(MethodBaseInvoker\|RuntimeMethodInfo\)\.[^<]*$'; }

# edit LANGUAGE KIND FILE
edit() {
  case $1,$2 in
    visual-basic,line) sed -i "2i ' One line more." "$3" ;;
    *,line) sed -i '2i // One line more.' "$3" ;;
    csharp,lambda) sed -i 's|^\( *\)var index = 3 + zero;|&\n\1Func<int> more = () => zero; index += more();|' "$3" ;;
    visual-basic,lambda) sed -i 's|^\( *\)Dim at = 3 + zero|&\n\1Dim more = Function() zero : at += more()|' "$3" ;;
    fsharp,lambda) sed -i 's|^\( *\)let at = 3 + zero|&\n\1let more = List.map (fun x -> x + zero) [at]\n\1let at = more.Head|' "$3" ;;
    *,constant) sed -i 's|= 3 + zero|= 300 + zero|' "$3" ;;
    csharp,moved) sed -i -e '/public static int Divide()/{h;d}' -e '/public static int Cast()/{G}' "$3" ;;
    visual-basic,moved) sed -i -e '/Public Function Divide()/,/End Function/{H;d}' -e '/Public Function Overflow()/{x;G}' "$3" ;;
    fsharp,moved) sed -i -e '/^let divide ()/{h;d}' -e '/^let failwithfCall ()/{G}' "$3" ;;
  esac
}

for build in csharp-debug- csharp-release+ visual-basic-debug- visual-basic-release+ fsharp-debug- fsharp-release+; do
  name=${build%[-+]}; language=${name%-*}
  compile "$language" "$root/assets/sources/throws" "${build#$name}" "$work/$name.dll"
  run "$work/run.dll" "$work/$name.dll" | without_runner >"$work/$name.with"
  cp "$work/$name.dll" "$work/bare/"
  run "$work/bare/run.dll" "$work/bare/$name.dll" | without_runner >"$golden/$name.txt"
  [[ $(wc -l <"$work/$name.with") == $(wc -l <"$golden/$name.txt") ]] || { echo "$name: the texts have other lines" >&2; exit 1; }
  paste -d '\t' "$golden/$name.txt" "$work/$name.with" |
    awk -F '\t' '$1 != $2 { place = $2; sub(/.* in .*\//, "", place); sub(/:line /, ":", place); sub(/<---/, "", place); print NR "\t" place }' >"$golden/$name.lines"
  cp "$work/$name".{dll,pdb} "$golden/"
done
chmod +x "$FX10/createdump"
for name in csharp-debug csharp-release; do
  DOTNET_DbgEnableMiniDump=1 DOTNET_DbgMiniDumpType=1 DOTNET_EnableCrashReport=1 DOTNET_DbgMiniDumpName="$work/core" \
    run "$work/run.dll" "$work/$name.dll" --crash Recursive >"$work/crash.txt" 2>&1 || true
  grep -e '^   at ' "$work/crash.txt" >"$golden/$name.crash.txt"
  python3 - "$work/core.crashreport.json" >"$golden/$name.crashreport.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
for thread in report['payload']['threads']:
    frames = thread['stack_frames']
    thread['stack_frames'] = frames[:1] + [frame for frame in frames[1:] if frame['is_managed'] == 'true']
report['payload']['threads'] = [thread for thread in report['payload']['threads'] if len(thread['stack_frames']) > 1]
print(json.dumps(report, indent=1))
PYTHON
done
DOTNET_EnableEventPipe=1 DOTNET_EventPipeConfig='Microsoft-Windows-DotNETRuntime:0x20018:5' DOTNET_EventPipeOutputPath="$work/sites" \
  run "$work/run.dll" "$work/csharp-release.dll" >/dev/null
python3 "$here/trim_trace.py" "$work/sites" "$golden/csharp-release.nettrace" csharp-release.dll 0x600000e 0x6000050 0x6000051
# The stack that Environment.FailFast prints where a site throws: names alone, with type arguments by their assemblies.
for name in csharp-debug csharp-release visual-basic-debug fsharp-debug; do
  for site in $(grep -o '^   at [A-Za-z.]*Sites\.[A-Za-z0-9_]*()' "$golden/$name.txt" | sed 's/.*\.//; s/()//' | sort -u); do
    run "$work/bare/run.dll" "$work/bare/$name.dll" --fail-fast "$site" 2>&1 </dev/null | awk -v site="$site" '
      BEGIN { print site } /Exception: |:token / { exit } /^   at / && !/^   at (Internal|Microsoft|System|ThrowSites)[.+]/ { print } END { print "" }' || true
  done >"$golden/$name.fail-fast.txt"
done
for language in csharp visual-basic fsharp; do
  for kind in line lambda constant moved; do
    [[ -n $all || $language == csharp || $kind == line ]] || continue
    rm -rf "$work/sources"; cp -r "$root/assets/sources/throws" "$work/sources"
    file=$(ls "$work/sources"/Sites.{cs,vb,fs} | case $language in csharp) grep cs$ ;; visual-basic) grep vb$ ;; *) grep fs$ ;; esac)
    edit "$language" $kind "$file"
    cmp -s "$file" "$root/assets/sources/throws/$(basename "$file")" && { echo "$language, $kind: no edit" >&2; exit 1; }
    compile "$language" "$work/sources" - "$work/$language-debug.dll"
    for ending in dll pdb; do cp "$work/$language-debug.$ending" "$edits/$language-$kind.$ending"; done
  done
done
ls -l "$golden" "$edits"
