"""The thirteen exercises of `pdblens course`, solved: a reader of portable PDBs, and of the directory of a Windows PDB."""

import json
import struct
import sys
from pathlib import Path


class Reader:
    """Bytes that are read from front to back; reading past the end is an error."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        taken = self.data[self.at : self.at + count]
        if len(taken) < count:
            raise ValueError(f"{count} bytes needed at {self.at:#x}")
        self.at += count
        return taken

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def is_done(self):
        return self.at >= len(self.data)

    def compressed(self):
        return self.with_bits()[0]

    def compressed_signed(self):
        number, bits = self.with_bits()
        value = number >> 1 | (number & 1) << (bits - 1)
        return value - (1 << bits) if number & 1 else value

    def with_bits(self):
        first = self.take(1)[0]
        if first < 0x80:
            return first, 7
        if first < 0xC0:
            return (first & 0x3F) << 8 | int.from_bytes(self.take(1), "big"), 14
        if first < 0xE0:
            return (first & 0x1F) << 24 | int.from_bytes(self.take(3), "big"), 29
        raise ValueError(f"{first:#x} begins no compressed integer")

    def guid(self):
        a, b, c = struct.unpack("<IHH", self.take(8))
        rest = self.take(8).hex()
        return f"{a:08x}-{b:04x}-{c:04x}-{rest[:4]}-{rest[4:]}"

    def text(self):
        end = self.data.find(0, self.at)
        if end < 0:
            raise ValueError("a text without an end")
        text = self.data[self.at : end].decode("utf-8")
        self.at = end + 1
        return text


def unsigned(data):
    reader, values = Reader(data), []
    while not reader.is_done():
        values.append(reader.compressed())
    return {"values": values}


def signed(data):
    reader, values = Reader(data), []
    while not reader.is_done():
        values.append(reader.compressed_signed())
    return {"values": values}


def guid(data):
    return {"guid": Reader(data).guid()}


def rsds(data):
    reader = Reader(data)
    if reader.take(4) != b"RSDS":
        raise ValueError("no RSDS record")
    return {"guid": reader.guid(), "age": reader.number(4), "path": reader.text()}


def root(data):
    reader = Reader(data)
    if reader.take(4) != b"BSJB":
        raise ValueError("no metadata")
    reader.take(8)
    version = reader.take(reader.number(4)).rstrip(b"\0").decode()
    reader.take(2)
    streams = []
    for _ in range(reader.number(2)):
        offset, size, name = reader.number(4), reader.number(4), reader.text()
        reader.at = (reader.at + 3) & ~3
        streams.append({"offset": offset, "size": size, "name": name})
    return {"version": version, "streams": streams}


def stream(data, name):
    for found in root(data)["streams"]:
        if found["name"] == name:
            return found["offset"], data[found["offset"] : found["offset"] + found["size"]]
    return 0, b""


def counts(reader, mask):
    return [{"table": bit, "rows": reader.number(4)} for bit in range(64) if mask >> bit & 1]


def pdb(data):
    reader = Reader(stream(data, "#Pdb")[1])
    answer = {"guid": reader.guid(), "stamp": reader.number(4), "entryPoint": reader.number(4)}
    answer["typeSystemTables"] = counts(reader, reader.number(8))
    return answer


def header(data):
    """Heap sizes, row counts, and the place of the first row in the file."""
    start, content = stream(data, "#~")
    reader = Reader(content)
    reader.take(6)
    heap_sizes = reader.number(1)
    reader.take(1)
    valid = reader.number(8)
    reader.take(8)
    found = counts(reader, valid)
    return heap_sizes, found, start + reader.at


def tables(data):
    heap_sizes, found, _ = header(data)
    return {"heapSizes": heap_sizes, "tables": found}


CUSTOM_PARENTS = [
    0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B,
    0x20, 0x23, 0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B, 0x30, 0x32, 0x33, 0x34, 0x35,
]  # fmt: skip
COLUMNS = {
    0x30: ["blob", "guid", "blob", "guid"],
    0x31: [0x30, "blob"],
    0x32: [0x06, 0x35, 0x33, 0x34, "u4", "u4"],
    0x33: ["u2", "u2", "string"],
    0x34: ["string", "blob"],
    0x35: [0x35, "blob"],
    0x36: [0x06, 0x06],
    0x37: [CUSTOM_PARENTS, "guid", "blob"],
}


def widths(data, table):
    heap_sizes, own, _ = header(data)
    rows = {found["table"]: found["rows"] for found in pdb(data)["typeSystemTables"] + own}
    result = []
    for column in COLUMNS[table]:
        if column in ("u2", "u4"):
            result.append(int(column[1]))
        elif isinstance(column, str):
            bit = {"string": 1, "guid": 2, "blob": 4}[column]
            result.append(4 if heap_sizes & bit else 2)
        elif isinstance(column, int):
            result.append(4 if rows.get(column, 0) > 0xFFFF else 2)
        else:
            result.append(4 if any(rows.get(parent, 0) > 0xFFFF >> 5 for parent in column) else 2)
    return result


def layout(data):
    _, found, offset = header(data)
    result = []
    for table in found:
        size = sum(widths(data, table["table"]))
        result.append({"table": table["table"], "rowSize": size, "offset": offset})
        offset += size * table["rows"]
    return {"tables": result}


def rows(data, table):
    count = next((found["rows"] for found in header(data)[1] if found["table"] == table), 0)
    place = next((found["offset"] for found in layout(data)["tables"] if found["table"] == table), 0)
    reader, sizes = Reader(data, place), widths(data, table) if count else []
    return [[reader.number(size) for size in sizes] for _ in range(count)]


def blob(data, offset):
    reader = Reader(stream(data, "#Blob")[1], offset)
    return reader.take(reader.compressed())


def document_name(data, offset):
    reader = Reader(blob(data, offset))
    separator = reader.take(1).replace(b"\0", b"").decode()
    parts = []
    while not reader.is_done():
        part = reader.compressed()
        parts.append(blob(data, part).decode() if part else "")
    return separator.join(parts)


def documents(data):
    guids = stream(data, "#GUID")[1]

    def guid_at(index):
        return Reader(guids, (index - 1) * 16).guid() if index else None

    found = []
    for name, algorithm, content, language in rows(data, 0x30):
        found.append({
            "name": document_name(data, name),
            "hashAlgorithm": guid_at(algorithm),
            "hash": blob(data, content).hex() if content else "",
            "language": guid_at(language),
        })  # fmt: skip
    return {"documents": found}


def decode_points(data, document=None):
    """The local signature and the points; `document` is 0 where the blob names its documents, `None` where they are not asked for."""
    reader = Reader(data)
    signature = reader.compressed()
    if document == 0:
        document = reader.compressed()
    offset, line, column, found = 0, None, None, []
    while not reader.is_done():
        delta = reader.compressed()
        if delta == 0 and found:
            document = reader.compressed()
            continue
        offset += delta
        point = {"offset": offset}
        if document is not None:
            point["document"] = document
        lines = reader.compressed()
        columns = reader.compressed_signed() if lines else reader.compressed()
        point["hidden"] = lines == 0 and columns == 0
        if not point["hidden"]:
            if line is None:
                line, column = reader.compressed(), reader.compressed()
            else:
                line += reader.compressed_signed()
                column += reader.compressed_signed()
            point.update(startLine=line, startColumn=column, endLine=line + lines, endColumn=column + columns)
        found.append(point)
    return signature, found


def points(data):
    signature, found = decode_points(data)
    return {"localSignature": signature, "points": found}


def methods(data):
    found = []
    for row, (document, offset) in enumerate(rows(data, 0x31), 1):
        if offset:
            found.append({"method": row, "points": decode_points(blob(data, offset), document)[1]})
    return {"methods": found}


def msf(data):
    reader = Reader(data)
    if reader.take(32) != b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0":
        raise ValueError("no MSF file")
    page_size, _, pages_of_file, directory_size, _ = (reader.number(4) for _ in range(5))

    def page_count(size):
        return -(-size // page_size)

    def page_numbers(reader, count):
        numbers = [reader.number(4) for _ in range(count)]
        if any(number >= pages_of_file for number in numbers):
            raise ValueError(f"a page that the file does not have: {numbers}")
        return numbers

    def joined(numbers):
        return b"".join(Reader(data, number * page_size).take(page_size) for number in numbers)

    block_map = joined(page_numbers(reader, page_count(page_count(directory_size) * 4)))
    directory = joined(page_numbers(Reader(block_map), page_count(directory_size)))
    reader = Reader(directory[:directory_size])
    count = reader.number(4)
    sizes = [reader.number(4) for _ in range(count)]
    streams = []
    for size in sizes:
        size = None if size == 0xFFFFFFFF else size
        streams.append({"size": size, "pages": page_numbers(reader, page_count(size or 0))})
    return {"pageSize": page_size, "streamCount": count, "streams": streams}


def frames(data):
    end = data.index(b"\n\n")
    text, data = data[:end].decode(), data[end + 2 :]
    table, names, found = rows(data, 0x31), documents(data)["documents"], []
    for line in text.splitlines():
        token, offset = (int(number, 16) for number in line.split("+"))
        document, place = table[(token & 0xFFFFFF) - 1]
        known = decode_points(blob(data, place), document)[1] if place else []
        before = [point for point in known if point["offset"] <= offset]
        point = before[-1] if before and not before[-1]["hidden"] else None
        found.append(point and {"document": names[point["document"] - 1]["name"], "line": point["startLine"]})
    return {"frames": found}


def resolve(pdb, places):
    """The tool: reader.py resolve App.pdb 0x06000003+0xc"""
    data = "\n".join(places).encode() + b"\n\n" + Path(pdb).read_bytes()
    for place, found in zip(places, frames(data)["frames"]):
        print(place, f"{found['document']}:{found['line']}" if found else "no line")


def main():
    if sys.argv[1:2] == ["resolve"]:
        return resolve(sys.argv[2], sys.argv[3:])
    answers = {}
    for path in map(Path, sys.argv[1:]):
        exercise = path.parent.name
        try:
            answers[f"{exercise}/{path.stem}"] = globals()[exercise](path.read_bytes())
        except Exception as error:
            answers[f"{exercise}/{path.stem}"] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
