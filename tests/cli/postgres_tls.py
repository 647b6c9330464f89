# SPDX-License-Identifier: Apache-2.0
"""postgres_tls.py - a server that is only spoken to under TLS, with an authority of its own."""
import contextlib
import os
import socket
import subprocess

import postgres_server


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=60)


def certify(folder, authority, name):
    """An authority, and the key and certificate of a host that it vouches for."""
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    (folder / "names").write_text(f"subjectAltName=DNS:{name}\n")
    openssl(folder, "req", "-x509", *curve, "-keyout", f"{authority}.key", "-out", f"{authority}.crt", "-subj", f"/CN={authority}")
    openssl(folder, "req", *curve, "-keyout", "host.key", "-out", "host.csr", "-subj", f"/CN={name}")
    openssl(folder, "x509", "-req", "-in", "host.csr", "-CA", f"{authority}.crt", "-CAkey", f"{authority}.key", "-CAcreateserial",
            "-extfile", "names", "-out", "host.crt")


@contextlib.contextmanager
def tls_server(folder):
    """A server on a port of this machine that nobody may talk to without TLS; yields the port."""
    certify(folder, "stranger", "db.example")
    certify(folder, "authority", "db.example")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = postgres_server.Server(folder / "server", listen_addresses="127.0.0.1", port=port, ssl="on")
    server.make()
    (server.folder / "data/pg_hba.conf").write_text("local all all trust\nhostssl all all 127.0.0.1/32 trust\n")
    for source, name in (("host.crt", "server.crt"), ("host.key", "server.key")):
        target = server.folder / "data" / name
        target.write_bytes((folder / source).read_bytes())
        target.chmod(0o600)
        if server.identity:
            os.chown(target, server.identity["user"], server.identity["group"])
    try:
        server.start()
        yield port
    finally:
        server.stop()
