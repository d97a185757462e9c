#!/usr/bin/env python3
"""Writes tests/golden/layouts/NAME.tsv: what llvm-pdbutil (LLVM 19) says about the types of the C++ and Rust samples.

Run it at the root of the repository. Each line is `type INDEX NAME SIZE`, then `member NAME OFFSET` or `base  OFFSET`.
"""
import re
import subprocess

SAMPLES = {name: f"assets/samples/{name}/parcel.pdb" for name in
           ["parcel", "parcel-optimized", "parcel-lto", "parcel-x86", "parcel-arm64"]}
SAMPLES["sorter"] = "assets/samples/sorter/sorter.pdb"

RECORD = re.compile(r"\s*(0x[0-9A-F]+) \| (LF_\w+) \[size = \d+\](?: `(.*)`)?$")
MEMBER = re.compile(r"\s*- LF_MEMBER \[name = `(.*)`, Type = 0x[0-9A-F]+.*, offset = (\d+), attrs")


def records(text):
    """The records of a dump: index, kind, name, lines."""
    found = []
    for line in text.split("\n"):
        start = RECORD.match(line)
        if start:
            found.append((int(start[1], 16), start[2], start[3], []))
        elif found:
            found[-1][3].append(line)
    return found


def rows(text):
    lists = {index: lines for index, kind, _, lines in records(text) if kind == "LF_FIELDLIST"}
    for index, kind, name, lines in records(text):
        body = "\n".join(lines)
        fields = re.search(r"field list: (0x[0-9A-F]+)", body)
        if kind not in ("LF_CLASS", "LF_STRUCTURE", "LF_UNION") or "forward ref" in body or not fields:
            continue
        size = re.search(r"sizeof (\d+)", body)[1]
        yield f"type\t{index:#x}\t{name}\t{size}"
        members = lists.get(int(fields[1], 16), [])
        for line, after in zip(members, members[1:] + [""]):
            member = MEMBER.match(line)
            if member:
                yield f"member\t{member[1]}\t{member[2]}"
            if "- LF_BCLASS" in line:
                offset = re.search(r"offset = (\d+)", after)[1]
                yield f"base\t\t{offset}"


for name, path in SAMPLES.items():
    dump = subprocess.run(["llvm-pdbutil-19", "dump", "-types", path], capture_output=True, text=True, check=True)
    with open(f"tests/golden/layouts/{name}.tsv", "w") as file:
        file.write("".join(row + "\n" for row in rows(dump.stdout)))
