#!/usr/bin/env python3
"""A second reader of ReadyToRun images, by the public description: amounts and sums of entry points, bounds and variables.

usage: r2r.py IMAGE... > tests/golden/r2r/images.tsv
Columns: name, size, major version, machine, runtime functions, entry points, methods with debug information, bounds, variables, sum of
native offsets, sum of IL offsets plus 3, sum of the variables' starts, lengths and stored numbers."""
import os
import struct
import sys

SYSTEMS = [0, 0x7b79, 0x4644, 0xadc4, 0x1993, 0x1992]


def unsigned(d, at):
    """A native format integer, and the offset after it."""
    a = d[at]
    for size in range(1, 5):
        if not a >> (size - 1) & 1:
            return int.from_bytes(d[at:at + size], "little") >> size, at + size
    return struct.unpack_from("<I", d, at + 1)[0], at + 5


class Nibbles:
    def __init__(self, d, at):
        self.d, self.at = d, at * 2

    def read(self):
        value = 0
        while True:
            nibble = self.d[self.at // 2] >> 4 * (self.at % 2) & 15
            self.at += 1
            value = value << 3 | nibble & 7
            if not nibble & 8:
                return value

    def byte(self):
        return (self.at + 1) // 2


def elements(d):
    """Number and offset of each element of a native array."""
    header, base = unsigned(d, 0)
    size, count = 1 << (header & 3), header >> 2
    for index in range(count):
        at = base + int.from_bytes(d[base + index // 16 * size:][:size], "little")
        for bit in (8, 4, 2, 1):
            node, after = unsigned(d, at)
            if index & bit and node & 2:
                at += node >> 2
            elif not index & bit and node & 1:
                at = after
            elif not node & 3 and node >> 2 == index & 15:
                at = after
                yield index, at
                break
            else:
                break
        else:
            yield index, at


def bounds(d, at, major):
    n = Nibbles(d, at)
    count = n.read()
    native, out = 0, []
    if major < 16:
        for _ in range(count):
            native += n.read()
            out.append((native, n.read()))
            n.read()
        return out
    native_bits, il_bits = n.read() + 1, n.read() + 1
    source_bits = 2 if major == 16 else 3
    width = source_bits + native_bits + il_bits
    bits = int.from_bytes(d[n.byte():n.byte() + (count * width + 7) // 8], "little")
    for index in range(count):
        entry = bits >> index * width
        native += entry >> source_bits & (1 << native_bits) - 1
        out.append((native, entry >> source_bits + native_bits & (1 << il_bits) - 1))
    return out


NUMBERS = {0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 2, 6: 3, 7: 3, 8: 2, 9: 1, 10: 1}


def variables(d, at):
    n = Nibbles(d, at)
    out = []
    for _ in range(n.read()):
        out.append(n.read() + n.read() + n.read())
        for _ in range(NUMBERS[n.read()]):
            n.read()
    return out


def main(path):
    d = open(path, "rb").read()
    pe = struct.unpack_from("<I", d, 0x3c)[0]
    coff, count, optional = *struct.unpack_from("<HH", d, pe + 4), struct.unpack_from("<H", d, pe + 20)[0]
    plain = [coff ^ system for system in SYSTEMS if coff ^ system in (0x14c, 0x8664, 0x1c4, 0xaa64)][0]
    sections = [struct.unpack_from("<IIII", d, pe + 24 + optional + 40 * i + 8) for i in range(count)]

    def at(rva, size=None):
        virtual, raw = next((v, r) for n, v, s, r in sections if v <= rva < v + max(n, s))
        return d[raw + rva - virtual:][:size]

    directories = pe + 24 + (112 if struct.unpack_from("<H", d, pe + 24)[0] == 0x20b else 96)
    cli = at(struct.unpack_from("<I", d, directories + 14 * 8)[0])
    header = at(struct.unpack_from("<I", cli, 64)[0])
    major, number = struct.unpack_from("<H", header, 4)[0], struct.unpack_from("<I", header, 12)[0]
    parts = {}
    for index in range(number):
        kind, rva, size = struct.unpack_from("<III", header, 16 + 12 * index)
        parts[kind] = at(rva, size)
    functions = len(parts[102]) // (12 if plain == 0x8664 else 8)
    entries = sum(1 for _ in elements(parts[103]))
    info, methods, sums = parts[105], 0, [0] * 5
    for _, where in elements(info):
        back, after = unsigned(info, where)
        n = Nibbles(info, where - back if back else after)
        sizes = n.read(), n.read()
        methods += 1
        if sizes[0]:
            found = bounds(info, n.byte(), major)
            for index, value in ((0, len(found)), (2, sum(b[0] for b in found)), (3, sum(b[1] for b in found))):
                sums[index] += value
        if sizes[1]:
            found = variables(info, n.byte() + sizes[0])
            sums[1] += len(found)
            sums[4] += sum(found)
    print(os.path.basename(path), len(d), major, f"{plain:#x}", functions, entries, methods, *sums, sep="\t")


for path in sys.argv[1:]:
    main(path)
