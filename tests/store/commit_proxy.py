# SPDX-License-Identifier: Apache-2.0
"""commit_proxy.py - a proxy before a server's socket that now and then loses a connection at COMMIT.

Half of the cuts come before the server gets the COMMIT, half after it has answered: then the answer is what is lost."""
import os
import pathlib
import socket
import tempfile
import threading
import time
import urllib.parse

SOCKET = ".s.PGSQL.5432"


class CommitProxy:
    def __init__(self, folder, rng, refuses_s):
        self.target = str(pathlib.Path(folder) / SOCKET)
        self.rng = rng
        self.refuses_s = refuses_s  # after a cut
        self.refuses_until = 0.0
        self.before = 0
        self.after = 0
        self.commits = 0
        self.temporary = tempfile.TemporaryDirectory(prefix="baton-proxy-")
        self.url = f"postgresql://postgres@/postgres?host={urllib.parse.quote(self.temporary.name, safe='')}"

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(self.temporary.name, SOCKET))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.temporary.cleanup()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if time.monotonic() < self.refuses_until:
                client.close()
                continue
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.target)
            line = {"loses": False}
            threading.Thread(target=self.pass_up, args=(client, server, line), daemon=True).start()
            threading.Thread(target=self.pass_down, args=(client, server, line), daemon=True).start()

    def wants_cut(self):
        """Each second commit on average, but not those of the very first transactions."""
        self.commits += 1
        return self.commits > 2 and self.rng.random() < 0.25

    @staticmethod
    def close(*ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def pass_up(self, client, server, line):
        """From the client to the server."""
        try:
            while data := client.recv(65536):
                if b"COMMIT\0" in data and self.wants_cut():
                    self.refuses_until = time.monotonic() + self.refuses_s
                    if self.rng.random() < 0.5:
                        self.before += 1
                        break
                    self.after += 1
                    line["loses"] = True
                server.sendall(data)
        except OSError:
            pass
        if not line["loses"]:
            self.close(client, server)

    def pass_down(self, client, server, line):
        """From the server to the client, unless the answer is to be lost."""
        try:
            while data := server.recv(65536):
                if line["loses"]:
                    break
                client.sendall(data)
        except OSError:
            pass
        self.close(client, server)
