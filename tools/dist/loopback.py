"""Servers on loopback: a directory of files, and a registry of npm packages."""
import base64
import contextlib
import hashlib
import http.server
import json
import pathlib
import tarfile
import threading
import urllib.parse


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = urllib.parse.unquote(self.path.split("?")[0]).lstrip("/")
        self.server.requests.append(path)
        body = self.server.answer(path)
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write(body or b"{}")

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serve(answer):
    """`answer`: from a path to bytes, or None. The server has `url`, and the `requests` it got."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.answer, server.requests = answer, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def directory(path):
    files = {file.name: file for file in pathlib.Path(path).iterdir()}
    return serve(lambda name: files[name].read_bytes() if name in files else None)


@contextlib.contextmanager
def registry(path):
    """The npm packages of a directory, as a registry serves them."""
    tarballs = {file.name: file.read_bytes() for file in pathlib.Path(path).glob("*.tgz")}
    manifests = {name: manifest(pathlib.Path(path) / name) for name in tarballs}

    def answer(path):
        if path.startswith("-/"):
            return tarballs.get(path.removeprefix("-/"))
        for name, found in manifests.items():
            if found["name"] == path:
                return json.dumps(_packument(found, name, tarballs[name], server.url)).encode()
        return None

    with serve(answer) as server:
        yield server


def manifest(tarball):
    with tarfile.open(tarball) as file:
        return json.load(file.extractfile("package/package.json"))


def _packument(found, name, data, url):
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
    version = found | {"dist": {"tarball": f"{url}/-/{name}", "integrity": integrity}}
    return {"name": found["name"], "dist-tags": {"latest": found["version"]}, "versions": {found["version"]: version}}
