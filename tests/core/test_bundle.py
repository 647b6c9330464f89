# SPDX-License-Identifier: Apache-2.0
"""test_bundle.py CALL CORPUS TOKENS - the core bundle in an empty folder: compiled with nothing but a C17 compiler, linked, and asked the parity corpus, whose replies must have
the bytes of CALL, the example of the library. TOKENS is the folder of the merge lists."""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "conformance"))
import match  # noqa: E402
import parity  # noqa: E402
import run  # noqa: E402

FLAGS = ["-std=c17", "-Iinclude", "-Isrc", "-DBT_PROFILE_CORE"]
LEFT_OUT = {"yaml", "ed25519"}
FORBIDDEN = re.compile(r"\b(pthread_\w+|socket|connect|fork|execve|fopen|open|openat|read|write|stat|SHA256_\w+|EVP_\w+|fy_\w+|sqlite3_\w+|ZSTD_\w+|dlopen)\b")


def unpack(work):
    archive = work / "bundle.tar.xz"
    subprocess.run([sys.executable, "-B", ROOT / "tools/core_bundle.py", "tarball", archive], check=True, timeout=300)
    with tarfile.open(archive) as tar:
        tar.extractall(work / "unpacked")  # our own archive; Python 3.11.2 has no filters
    return next((work / "unpacked").iterdir())


def compile_files(bundle, compiler, arguments):
    """Compile every file that FILES lists; ARGUMENTS gives the compiler's arguments for a number and a path."""
    files = (bundle / "FILES").read_text(encoding="utf-8").split()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda item: subprocess.run([compiler, *FLAGS, *arguments(*item)], cwd=bundle, check=True, timeout=300), enumerate(files)))
    return len(files)


def compile_bundle(bundle, compiler, out):
    """The program call_core, from the files that FILES lists. What reads the token tables is optimised: 45 cases wait for it."""
    out.mkdir()
    count = compile_files(bundle, compiler, lambda number, path: ["-O1" if path.startswith(("src/base/", "src/token/")) else "-O0", "-c", path, "-o", out / f"{number}.o"])
    objects = [out / f"{number}.o" for number in range(count)]
    program = out / "call_core"
    subprocess.run([compiler, *FLAGS, HERE / "call_core.c", *objects, "-o", program], cwd=bundle, check=True, timeout=300)
    return program, objects


def ask(program, case, files, tokens):
    request = case["request"]
    text = request["$text"] if "$text" in request else match.compact(request)
    needs = case.get("needs", [])
    words = [word for root, path, place in (files if "root" in needs or "root" in match.compact(request) else []) for word in ("--file", root, path, place)]
    words += [word for name in ("o200k_base", "cl100k_base") for word in ("--table", name, tokens / f"{name}.merges")] if "tokens" in needs else []
    done = subprocess.run([program, *words, case["operation"]], input=text.encode("utf-8", "surrogatepass"), capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace") if done.returncode < 2 else done.stderr.decode()


def fault_of(case, program, call, roots, files, tokens):
    code, text = ask(program, case, files, tokens)
    if code > 1:
        return f"no reply: {text}"
    try:
        parity.judge(case["expect"], 200 if code == 0 else json.loads(text)["status"], text)
        reply = parity.ask_library(case, call, roots)
        if case.get("compare") != "codes" and parity.without_time(reply[1]) != parity.without_time(text):
            return f"the bytes differ:\nlibrary: {reply[1][:400]}\ncore: {text[:400]}"
    except Exception as why:  # a broken case is a failed case
        return f"{type(why).__name__}: {why}"
    return None


def tell(number, title, fault):
    print(f"{'not ok' if fault else 'ok'} {number} - {title}")
    if fault:
        print(re.sub("^", "# ", fault, flags=re.M))
    return 1 if fault else 0


def main(call, corpus_path, tokens):
    corpus = json.loads(pathlib.Path(corpus_path).read_text(encoding="utf-8"))
    cases = [case for case in corpus["cases"] if not LEFT_OUT & set(case.get("needs", [])) and case["operation"] not in ("version", "verifyReceipt")]
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    print(f"1..{len(cases) + 2}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="baton-core-") as name:
        work = pathlib.Path(name)
        roots = {root: str(work / "roots" / root) for root in corpus["roots"]}
        for root, contents in corpus["roots"].items():
            run.write_files(pathlib.Path(roots[root]), contents)
        files = [(root, path.relative_to(folder).as_posix(), str(path)) for root, folder in roots.items() for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()]
        bundle = unpack(work)
        program, objects = compile_bundle(bundle, compilers[0], work / compilers[0])
        symbols = subprocess.run(["nm", "-u", *objects], capture_output=True, text=True, check=True).stdout
        failed += tell(1, "the bundle uses no thread, socket, process, file or library", ", ".join(sorted(set(FORBIDDEN.findall(symbols)))))
        if len(compilers) > 1:
            compile_files(bundle, compilers[1], lambda _, path: ["-fsyntax-only", path])
            failed += tell(2, "clang accepts the bundle", None)
        else:
            print("ok 2 - clang accepts the bundle # SKIP clang is not installed")
        for number, case in enumerate(cases, 3):
            failed += tell(number, f"parity/{case['id']} {case['title']}".replace("#", "no."), fault_of(case, program, call, roots, files, pathlib.Path(tokens)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
