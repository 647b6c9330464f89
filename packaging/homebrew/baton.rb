# SPDX-License-Identifier: Apache-2.0
# The digest is that of the source tarball; script/release writes it into the copy that it releases.
class Baton < Formula
  desc "Check, govern, route and record handoffs between AI agents"
  homepage "https://baton.example"
  url "https://baton.example/releases/v0.1.0/baton-0.1.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "libfyaml"
  depends_on "openssl@3"
  depends_on "zstd"

  on_linux do
    depends_on "sqlite"
  end

  def install
    profile = OS.mac? ? "check" : "full"
    system "meson", "setup", "build", "-Dprofile=#{profile}", "-Dtests=false", *std_meson_args
    system "meson", "compile", "-C", "build"
    system "meson", "install", "-C", "build"
  end

  test do
    (testpath/"handoff.json").write shell_output("#{bin}/baton new universal --source planner --target builder --summary 'Build it.' --stdout")
    assert_match "1 accepted", shell_output("#{bin}/baton check #{testpath}/handoff.json")
  end
end
