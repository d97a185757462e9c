"""Records an event trace of a running .NET process, as `dotnet-trace collect -p PID` does: attaches to its diagnostics socket, and stops at once.
The rundown at the end names each loaded module and each method with machine code, with its map of IL to native offsets.

usage: attach.py PID OUT [KEYWORDS]   KEYWORDS of the rundown, from .NET 9 on; else those of dotnet-trace, with the methods of precompiled code too
"""
import glob
import os
import socket
import struct
import sys
import threading


def connect(pid):
    [path] = glob.glob(f"{os.environ.get('TMPDIR', '/tmp')}/dotnet-diagnostic-{pid}-*-socket")
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    return peer


def send(peer, command, payload):
    """Sends a command of the set EventPipe, and returns the payload of the answer."""
    peer.sendall(b"DOTNET_IPC_V1\0" + struct.pack("<HBBH", 20 + len(payload), 2, command, 0) + payload)
    head = peer.recv(20, socket.MSG_WAITALL)
    size, answer, code, _ = struct.unpack("<HBBH", head[14:])
    body = peer.recv(size - 20, socket.MSG_WAITALL)
    if (answer, code) != (0xFF, 0):
        sys.exit(f"the runtime refuses command {command}: {body.hex()}")
    return body


def main():
    pid, out, *keywords = sys.argv[1:]
    text = lambda value: struct.pack("<I", len(value) + 1) + value.encode("utf-16le") + b"\0\0"
    # One provider without keywords is enough: the rundown has its own.
    providers = struct.pack("<IQI", 1, 0, 2) + text("Microsoft-Windows-DotNETRuntime") + text("")
    stream = connect(pid)
    # Buffer in MB, format nettrace, rundown; CollectTracing4 names the keywords of the rundown, and asks for no stacks.
    if keywords:
        session = send(stream, 5, struct.pack("<IIQ?", 64, 1, int(keywords[0], 0), False) + providers)
    else:
        session = send(stream, 3, struct.pack("<II?", 64, 1, True) + providers)
    with open(out, "wb") as file:
        reader = threading.Thread(target=lambda: file.writelines(iter(lambda: stream.recv(1 << 16), b"")))
        reader.start()
        # The rundown comes after the session is stopped, on a second connection.
        send(connect(pid), 1, session)
        reader.join()


main()
