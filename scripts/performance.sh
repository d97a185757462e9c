#!/usr/bin/env bash
# Prints the table of commands for docs/performance.md: processor time and high-water mark, the least of three runs.
#
#   scripts/performance.sh [PROGRAM]
#
# PROGRAM is target/release/pdblens unless it is named. The generated pairs have 100 000 and a million methods; PDBLENS_BENCH_FILES names
# further images, separated as in PATH. Nothing else should run on the machine.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${1:-target/release/pdblens}")
cargo build --quiet --release -p pdblens-testing --example pair
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for methods in 100000 1000000; do
  target/release/examples/pair "$methods" "$scratch/$methods"
  cp -r "$scratch/$methods" "$scratch/$methods-changed"
done
python3 - "$program" "$scratch" <<'PYTHON'
import datetime, os, struct, subprocess, sys

program, scratch = sys.argv[1:]
COMMANDS = ["--version", "info F", "where F 0x06000002+1", "methods F", "points F", "documents F", "check F", "quality F", "dump F",
            "used-by F 0x06000001", "diff F F", "diff F C"]


# Changes the last points in #Blob, in a process of its own: a child begins with the memory of the one that starts it.
CHANGE = """
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.find(b"#Blob\\0")
start, size = struct.unpack("<II", data[at - 8:at])
data[start + size - 64] ^= 1
open(sys.argv[1], "wb").write(data)
"""


def run(words):
    child = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode in (0, 3), (words, child.returncode)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


files = []
for methods in ("100000", "1000000"):
    pair, changed = (os.path.join(scratch, methods + suffix) for suffix in ("", "-changed"))
    subprocess.run([sys.executable, "-c", CHANGE, os.path.join(changed, "Synth.pdb")], check=True)
    size = sum(os.path.getsize(os.path.join(pair, name)) for name in os.listdir(pair)) >> 20
    files.append((f"{int(methods):,}".replace(",", " ") + f" methods, {size} MB", *(os.path.join(at, "Synth.dll") for at in (pair, changed))))
for image in filter(None, os.environ.get("PDBLENS_BENCH_FILES", "").split(os.pathsep)):
    files.append((os.path.basename(image), image, None))
print(f"Measured on {datetime.date.today()}, {os.path.getsize(program) / 1e6:.1f} MB of program.\n")
print("| command | " + " | ".join(name for name, *_ in files) + " |\n|--|" + "--|" * len(files))
for command in COMMANDS:
    cells = []
    for _, image, changed in files:
        words = [{"F": image, "C": changed}.get(word, word) for word in command.split()]
        if None in words:
            cells.append("")
            continue
        runs = [run(words) for _ in range(3)]
        cells.append(f"{min(time for time, _ in runs):.2f} s, {min(memory for _, memory in runs)} MB")
    label = command.replace(" F F", ", with itself").replace(" F C", ", one method changed").replace(" F", "")
    print(f"| `{label.split(',')[0]}`{label[len(label.split(',')[0]):]} | " + " | ".join(cells) + " |")
PYTHON
