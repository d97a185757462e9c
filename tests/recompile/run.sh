#!/usr/bin/env bash
# Puts printed statements back into their sources, compiles, compares IL: one line per library.
#   LENS=pdblens MIRROR=FOLDER ./run.sh NAME[-debug]...     NAME from libs.txt, or from EXTRA (a file of the same form)
# ROSLYN is the folder of another compiler's Microsoft.CodeAnalysis.dll, such as Roslyn 3's; it needs an OUT of its own.
# MIRROR/owner+name/repo is the Git directory of a clone. TOOLS has env.sh with the functions dn10 and csc5. Results stay in $OUT (default $HOME/recompile-out).
set -uo pipefail; here=$(cd "$(dirname "$0")" && pwd); . "${TOOLS:-$HOME/pdblens-tools}/env.sh"; OUT=${OUT:-$HOME/recompile-out}; LENS=$(realpath "${LENS:?the program to measure}"); mkdir -p "$OUT/bin" "$OUT/src"
refs=$(ls "$FX10"/{System,Microsoft}*.dll "$FX10"/{netstandard,mscorlib}.dll | grep -v Native | sed 's/^/-r:/')
if [[ ! -s $OUT/bin/recompile.dll || $here/Recompile.cs -nt $OUT/bin/recompile.dll ]]; then ROSLYN=${ROSLYN:-$T/csc5}; cp "$ROSLYN"/Microsoft.CodeAnalysis*.dll "$OUT/bin/"; old=; grep -qa BaseNamespaceDeclarationSyntax "$ROSLYN/Microsoft.CodeAnalysis.CSharp.dll" || old=-define:ROSLYN3
  csc5 -langversion:latest -o+ -nullable -nowarn:CS8600,CS8601,CS8602 -out:"$OUT/bin/recompile.dll" -target:exe $old $refs -r:"$ROSLYN/Microsoft.CodeAnalysis.dll" -r:"$ROSLYN/Microsoft.CodeAnalysis.CSharp.dll" "$here/Recompile.cs" || exit 1; fi
echo 'global using System; global using System.Collections.Generic; global using System.IO; global using System.Linq; global using System.Threading; global using System.Threading.Tasks;' >"$OUT/src/Usings.cs"; bad=0
for n; do name=${n%-debug}; o=-o+; [[ $n == *-debug ]] && o=-o- || n=$n-release
  IFS='|' read -r _ repo dirs opts skip < <(cat "$here/libs.txt" ${EXTRA:-} | grep "^$name|") || { echo "$name: not in libs.txt"; bad=1; continue; }
  [[ $dirs == /* ]] || [[ -d $OUT/src/$name ]] || { mkdir "$OUT/src/$name"; for f in $dirs; do git -C "${MIRROR:?where fetch put the repositories}/$repo/repo" archive HEAD "$f" 2>/dev/null | tar x -C "$OUT/src/$name" 2>/dev/null; done; }
  if [[ $dirs == /* ]]; then cd "$dirs" || exit 1; else cd "$OUT/src/$name"; [[ $dirs != *' '* ]] && cd "$dirs"; fi
  [[ $opts == *@DEFINES* ]] && opts=${opts/@DEFINES/-define:$(grep -o '<DefineConstants>[^<]*' ./*.csproj | head -n 1 | sed 's/.*>//;s/\$([^)]*);*//g;s/;/,/g')}
  files=$(find . -name '*.cs' | grep -v "${skip:-^$}"); [[ $opts == *@USINGS* ]] || grep -qs 'ImplicitUsings' ./*.csproj ../../Directory.Build.props ../Directory.Build.props && files+=" $OUT/src/Usings.cs"
  dn10 "$OUT/bin/recompile.dll" "$LENS" "$OUT/$n" -- $o -langversion:preview -debug:portable -target:library ${opts/@USINGS} -out:base.dll $refs $files >"$OUT/$n.log" 2>&1 || { echo "$n: $(head -n 1 "$OUT/$n.log")"; bad=1; continue; }
  [[ -s $OUT/$n/points.jsonl ]] || { echo "$n: no points"; bad=1; continue; }
  python3 "$here/classify.py" --bar "$OUT/$n" || bad=1
done; exit $bad
