#!/usr/bin/env bash
# Asks System.Reflection.Metadata about every small managed sample and writes NAME.json (a portable pair) or NAME.image.json (the
# image alone). Of `warehouse` it would say 20 MB, and of native images nothing.
set -euo pipefail
cd "$(dirname "$0")"; . "${TOOLS:-$HOME/pdblens-tools}/env.sh"; cd ../../tests/golden/oracle; rm -f ./*.json
for folder in ../../../assets/samples/*/; do
  name=$(basename "$folder"); [[ $name != warehouse && $name != parcel* && $name != sorter* ]] || continue
  image=$(find "$folder" -name "*.dll" -o -name "*.exe"); pdb=${image%.*}.pdb; [[ -f $pdb ]] || pdb=
  if [[ -n $pdb && $(head -c 4 "$pdb" | tr -d '\0') == BSJB ]]; then oracle "$image" "$pdb" >"$name.json"
  elif [[ -z $pdb && $name == *-embedded ]]; then oracle "$image" >"$name.json"
  else oracle "$image" >"$name.image.json"; fi
done
ls
