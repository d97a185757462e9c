#!/usr/bin/env python3
"""Compares what DIA says of a native PDB (JSON of Dia.cs) with `pdblens dump --json`: functions, lines, publics, types.

    dia.py DIA.json PDB      prints the number of values and what differs; the exit code is 1 if anything does
PDBLENS names the program (default: target/release/pdblens of this repository)."""
import collections, json, os, subprocess, sys

answer, pdb = sys.argv[1:]
program = os.environ.get("PDBLENS", os.path.join(os.path.dirname(__file__), "../../target/release/pdblens"))
ours = json.loads(subprocess.run([program, "dump", "--json", pdb], capture_output=True, check=True).stdout)["pairs"][0]
dia = json.load(open(answer))
modules = {module["module"]: module["name"] for module in ours["modules"]}
documents = {document["row"]: document["name"] for document in ours["documents"]}

def lines_of_dia(function):
    # The compiler marks hidden code with two lines, 0xFEEFEE and 0xF00F00.
    hidden = lambda line: None if line in (0xFEEFEE, 0xF00F00) else line
    return [(line["rva"] - function["rva"], hidden(line["line"]), hidden(line["end_line"]), line["column"], line["end_column"], line["file"])
            for line in function["lines"]]

def lines_of_ours(function):
    return [(line["offset"], line.get("start_line"), line.get("end_line"), line.get("start_column", 0), line.get("end_column", 0),
             documents.get(line["document"])) for line in function["lines"]]

# Code that is not in a reordered image has addresses from 0x80000000 on, where its OMAP marks it so: the offset is added to the mark.
in_image = lambda rva: rva if (rva or 0) < 0x80000000 else None

left, right = collections.Counter(), collections.Counter()
lines_left, lines_right = collections.defaultdict(list), collections.defaultdict(list)
for compiland in dia["compilands"]:
    for function in compiland["functions"] + compiland["thunks"]:
        if not in_image(function.get("rva")):
            continue  # A record of a function that the linker left out, or that is not in a reordered image.
        left["function", compiland["name"], function["name"], function["rva"], function["length"]] += 1
        if "lines" in function:
            lines_left[function["rva"]].append(lines_of_dia(function))
for function in ours["functions"]:
    if "address" not in function:
        continue
    rva = int(function["address"], 16)
    right["function", modules[function["module"]], function["name"], rva, function["size"]] += 1
    lines_right[rva].append(lines_of_ours(function))
for public in dia["publics"]:
    left["public", in_image(public.get("rva")), public["name"], public["function"]] += 1
for public in ours["publics"]:
    rva = int(public["address"], 16) if public.get("address") else None
    right["public", rva, public["name"], bool(public["flags"] & 2)] += 1
# DIA has a type as often as the PDB, and those that are only declared with size 0, enumerations with that of their type.
kinds = ("class", "struct", "union", "enum")
defined = {(type["kind"], type["name"], type["size"]) for type in ours["types"] if type["kind"] in kinds}
declared = {(kind, type["name"], type["size"] if kind == "enum" else 0) for type in ours["types"] for kind in kinds if type["kind"] == f"forward {kind}"}
of_dia = {(type["kind"], type["name"], type["size"]) for type in dia["types"]}
left.update(("type", *type) for type in of_dia)
right.update(("type", *type) for type in defined | (declared & of_dia))
values, differing = sum(left.values()), list((left - right).elements()) + list((right - left).elements())
if ours.get("linked_sections"):
    # The lines of a function of a reordered image are anywhere: each address is looked up.
    wanted = collections.defaultdict(set)
    for rva, found in lines_left.items():
        for offset, line, *_ in found[0]:
            if in_image(rva + offset):
                wanted[rva + offset].add(line)
    asked = "\n".join(map(hex, wanted))
    answers = json.loads(subprocess.run([program, "where", "--json", pdb, "-"], input=asked.encode(), capture_output=True).stdout)["answers"]
    values += len(wanted)
    for (rva, lines), answer in zip(wanted.items(), answers):
        if (answer.get("source") or {}).get("start_line") not in lines:
            differing.append(("line", hex(rva), lines, answer))
else:
    # DIA asks for lines by address: functions folded into one have the lines of one of them.
    for rva, found in lines_left.items():
        values += len(found[0])
        if rva in lines_right and found[0] not in lines_right[rva]:
            differing.append(("lines", hex(rva), found[0], lines_right[rva]))
for one in differing[: int(os.environ.get("SHOWN", 20))]:
    print(one)
kinds = collections.Counter(one[0] for one in left.elements())
print(f"{pdb}: {values} values ({dict(kinds)}, lines {values - sum(left.values())}), {len(differing)} differ")
sys.exit(bool(differing))
