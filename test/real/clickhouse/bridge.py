# ClickHouse behind a port: the engine itself, which the package chdb-core carries as a library, and just so much of
# ClickHouse's HTTP interface as the Collector's exporter and a test speak. Knows nothing of rubato or its tables.
#
#   python bridge.py FOLDER PORT
import os
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb.session import Session

FOLDER = sys.argv[1]
ENGINE = Session(os.path.join(FOLDER, "data"))
# The library has one session, and one query at a time is quick enough here.
ONE_AT_A_TIME = threading.Lock()

# What the driver asks first of all, and reads in the form of a protocol version that it only guesses. From the
# revision that is told here on it takes the plain form of `Native`, which is all that files have.
HELLO = "SELECT displayName(), version(), revision(), timezone()"
INSERT = re.compile(r"^\s*(INSERT\s+INTO\s.+?)\s+FORMAT\s+Native\s*;?\s*$", re.IGNORECASE | re.DOTALL)


def text(value: bytes) -> bytes:
    assert len(value) < 128
    return bytes([len(value)]) + value


def hello() -> bytes:
    version = ENGINE.query("SELECT version()", "TabSeparated").bytes().strip()
    columns = [
        (b"displayName", b"String", text(b"chdb")),
        (b"version", b"String", text(version)),
        (b"revision", b"UInt32", (0).to_bytes(4, "little")),
        (b"timezone", b"String", text(b"UTC")),
    ]
    # Block info, then four columns of one row, each of which says that nothing is special about its form.
    block = bytes([1, 0, 2]) + (-1).to_bytes(4, "little", signed=True) + bytes([0, len(columns), 1])
    return block + b"".join(text(name) + text(kind) + bytes([0]) + data for name, kind, data in columns)


def run(query: str, body: bytes, form: str) -> bytes:
    if query.strip() == HELLO:
        return hello()
    insert = INSERT.match(query)
    if insert is None:
        return ENGINE.query(query, form).bytes()
    with tempfile.NamedTemporaryFile(dir=FOLDER, suffix=".native") as file:
        file.write(body)
        file.flush()
        ENGINE.query(f"{insert.group(1)} SELECT * FROM file('{file.name}', 'Native')")
    return b""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.answer(200, b"Ok.\n")

    def do_POST(self) -> None:
        body = self.body()
        asked = {name: values[-1] for name, values in parse_qs(urlsplit(self.path).query).items()}
        query = asked.get("query")
        if query is None:
            query, body = body.decode(), b""
        try:
            with ONE_AT_A_TIME:
                self.answer(200, run(query, body, asked.get("default_format", "TabSeparated")))
        except Exception as error:
            self.answer(500, str(error).encode())

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        pieces = []
        while size := int(self.rfile.readline(), 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
