#!/usr/bin/env bash
# Compares pdblens with every reader that is at hand, over all files below a folder, and prints the rows of docs/truth.md with the date.
#   ./truth.sh DIR [LIMIT]     LIMIT: images that System.Reflection.Metadata is asked about, and PDBs for each other reader
# The readers are what `setup.sh` installs (TOOLS names its folder); one that is missing is named, and has no row. PDBLENS names the program.
# The exit code is 1 if a value differs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd); folder=$(realpath "$1"); limit=${2:-1000000}
. "${TOOLS:-$HOME/pdblens-tools}/env.sh"
export PDBLENS=${PDBLENS:-$here/../../target/release/pdblens}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
differs=0

# Adds up lines of `… N values …, M differ` on standard input: files, values, differences.
sum() { awk '/ values.*, [0-9]+ differ$/ {files++; for (i = 2; i <= NF; i++) if ($i ~ /^values/) values += $(i - 1); wrong += $(NF - 1)} END {print files + 0, values + 0, wrong + 0}'; }
row() { # reader, compared, files with their name, values, differences, files without an answer
  local verdict=equal
  (($5 == 0)) || { verdict="$5 differ"; differs=1; }
  ((${6:-0} == 0)) || { verdict+=", $6 without an answer"; differs=1; }
  printf '| %s | %s | %s values of %s | %s |\n' "$1" "$2" "$4" "$3" "$verdict"
}
# Windows PDBs below the folder: managed ones, with the image beside them, and native ones.
while IFS= read -r pdb; do
  [[ $(head -c 15 "$pdb" | tr -d '\0') == "Microsoft C/C++" ]] || continue
  image=
  for suffix in dll exe DLL EXE; do [[ -z $image && -f ${pdb%.*}.$suffix ]] && image=${pdb%.*}.$suffix; done
  format=$("$PDBLENS" info --json "$pdb" 2>/dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["pairs"][0]["symbols"]["format"])') || continue
  if [[ $format == *native* ]]; then echo "$pdb" >>"$work/native"
  elif [[ -n $image ]]; then printf '%s\t%s\n' "$image" "$pdb" >>"$work/managed"; fi
done < <(find "$folder" -iname '*.pdb' -type f | sort)

printf '%s, %s, %s\n\n| reader | compared | amount | result |\n|--|--|--|--|\n' "$(date -u +%F)" "$("$PDBLENS" --version | head -n 1)" "$folder"
if declare -F oracle >/dev/null; then
  python3 "$here/compare.py" "$folder" --limit "$limit" >"$work/srm" || true
  grep -v ' differences$' "$work/srm" >&2 || true
  read -r images _ pdbs _ _ values _ wrong _ < <(tail -n 1 "$work/srm")
  ((images == 0)) || row System.Reflection.Metadata "headers, tables, IL, points, scopes" "$images images, $pdbs portable PDBs" "$values" "$wrong"
else echo "System.Reflection.Metadata: not installed" >&2; fi
if [[ -s $work/managed ]]; then
  if command -v wine >/dev/null; then
    head -n "$limit" "$work/managed" | while IFS=$'\t' read -r image pdb; do
      rm -f "$work/answer.json"; "$here/diasym.sh" "$image" "$pdb" "$work/answer.json" </dev/null >&2 || true
      python3 "$here/diasym.py" "$work/answer.json" "$image" "$pdb" || true
    done >"$work/diasym"
    read -r files values wrong < <(sum <"$work/diasym")
    row Microsoft.DiaSymReader.Native "documents, points, variables of managed Windows PDBs" "$files PDBs" "$values" "$wrong" $(($(head -n "$limit" "$work/managed" | wc -l) - files))
  else echo "Microsoft.DiaSymReader.Native: not installed" >&2; fi
fi
if [[ -s $work/native ]]; then
  if command -v wine >/dev/null; then
    mapfile -t native < <(head -n "$limit" "$work/native")
    SHOWN=5 "$here/dia.sh" "${native[@]}" >"$work/dia" || true
    grep -v ' differ$' "$work/dia" >&2 || true
    read -r files values wrong < <(sum <"$work/dia")
    row "Microsoft DIA" "functions, lines, publics, types of native PDBs" "$files PDBs" "$values" "$wrong" $((${#native[@]} - files))
  else echo "Microsoft DIA: not installed" >&2; fi
fi
exit "$differs"
