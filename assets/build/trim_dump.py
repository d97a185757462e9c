"""Writes a minidump with those pages of another that a core has: `pdblens live FULL.dmp --save SMALL.core` writes such a core.

usage: trim_dump.py FULL.dmp SMALL.core OUT.dmp
"""
import struct
import sys


def pages(core):
    """First addresses and sizes of the memory in a core."""
    start, count = struct.unpack_from("<Q", core, 32)[0], struct.unpack_from("<H", core, 56)[0]
    headers = [struct.unpack_from("<IIQQQQ", core, start + 56 * index) for index in range(count)]
    return [(address, size) for kind, _, _, address, _, size in headers if kind == 1]


def main():
    full, core = open(sys.argv[1], "rb").read(), open(sys.argv[2], "rb").read()
    count, directory = struct.unpack_from("<II", full, 8)
    for entry in range(directory, directory + 12 * count, 12):
        kind, _, stream = struct.unpack_from("<III", full, entry)
        if kind == 9:
            break
    number, data = struct.unpack_from("<QQ", full, stream)
    offset, ranges = data, []
    for index in range(number):
        start, size = struct.unpack_from("<QQ", full, stream + 16 + 16 * index)
        ranges.append((start, size, offset))
        offset += size
    kept = []
    for address, size in pages(core):
        while size:
            start, length, offset = next(one for one in ranges if one[0] <= address < one[0] + one[1])
            part = min(size, start + length - address)
            kept.append((address, part, offset + address - start))
            address, size = address + part, size - part
    assert len(kept) <= number, "the list of ranges has no room"
    # The streams stay as they were written: they are before the memory.
    out = bytearray(full[:data])
    struct.pack_into("<I", out, entry + 4, 16 + 16 * len(kept))
    struct.pack_into("<QQ", out, stream, len(kept), data)
    for index, (address, size, offset) in enumerate(kept):
        struct.pack_into("<QQ", out, stream + 16 + 16 * index, address, size)
        out += full[offset:offset + size]
    open(sys.argv[3], "wb").write(out)


main()
