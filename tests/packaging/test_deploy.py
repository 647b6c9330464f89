# SPDX-License-Identifier: Apache-2.0
"""test_deploy.py ROOT BATON - files for Kubernetes, compose and Homebrew, read without a cluster: what they must say, and that they agree with the image."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from place import BATON, ROOT, tap

sys.path.insert(0, str(ROOT / "tools"))

import oci  # noqa: E402
import yaml  # noqa: E402 - Debian's python3-yaml, which script/bootstrap test installs

VERSION = re.search(r"^\s*version: '(\d+\.\d+\.\d+)'", (ROOT / "meson.build").read_text(), re.M)[1]
ACCOUNT = 65532
IMAGE = oci.configuration("", "", "", [])["config"]
PORT = int(next(iter(IMAGE["ExposedPorts"])).split("/")[0])


def equal(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}\nexpected {wanted!r}")


def load(folder):
    """{kind: object} of a folder of manifests."""
    found = {}
    for path in sorted((ROOT / "packaging/kubernetes" / folder).glob("*.yaml")):
        for item in yaml.safe_load_all(path.read_text()):
            equal((path.name, item["kind"] in found, item["metadata"]["labels"]), (path.name, False, {"app.kubernetes.io/name": "baton"}))
            found[item["kind"]] = item
    return found


def check_pod(pod):
    """What every pod has, servers and jobs."""
    equal((pod["automountServiceAccountToken"], pod["terminationGracePeriodSeconds"]), (False, 45))
    equal(pod["securityContext"], {"runAsNonRoot": True, "runAsUser": ACCOUNT, "runAsGroup": ACCOUNT, "fsGroup": ACCOUNT, "seccompProfile": {"type": "RuntimeDefault"}})
    equal(len(pod["containers"]), 1)
    container = pod["containers"][0]
    equal(container["image"], f"baton:{VERSION}")
    equal(container["securityContext"], {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})
    for kind in ("requests", "limits"):
        equal(sorted(container["resources"][kind]), ["cpu", "memory"])
    for volume in pod["volumes"]:
        if "secret" in volume:
            equal((volume["name"], volume["secret"]["defaultMode"]), (volume["name"], 0o400))
    equal({mount["name"] for mount in container["volumeMounts"]}, {volume["name"] for volume in pod["volumes"]})
    return container


def check_server(pod):
    container = check_pod(pod)
    equal(container["args"], IMAGE["Cmd"])
    equal(container["ports"], [{"name": "https", "containerPort": PORT}])
    for probe, path in (("readinessProbe", "/readyz"), ("livenessProbe", "/healthz")):
        equal((container[probe]["httpGet"]["path"], container[probe]["httpGet"]["port"], container[probe]["httpGet"]["scheme"]), (path, "https", "HTTPS"))
    return container


def check_settings(text):
    """The server takes its settings. Returns them."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "serve.yaml").write_text(text)
        done = subprocess.run([str(BATON), "config", "check", "serve.yaml"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        equal((done.returncode, done.stderr), (0, ""))
    return yaml.safe_load(text)


def ports(rules):
    return sorted({port["port"] for rule in rules for port in rule["ports"]})


def check_both(items):
    settings = check_settings(items["ConfigMap"]["data"]["serve.yaml"])
    equal((settings["shutdown"], settings["listen"], "tokens" in settings, sorted(settings["tls"])), ({"delay_s": 5}, [f"0.0.0.0:{PORT}"], True, ["cert", "key"]))
    equal(items["Service"]["spec"]["ports"], [{"name": "https", "port": PORT, "targetPort": "https"}])
    policy = items["NetworkPolicy"]["spec"]
    equal((policy["policyTypes"], ports(policy["ingress"])), (["Ingress", "Egress"], [PORT]))
    job = items["Job"]["spec"]
    equal((job["backoffLimit"], job["template"]["spec"]["restartPolicy"]), (0, "Never"))
    equal(check_pod(job["template"]["spec"])["args"][:2], ["ledger", "init"])
    return settings, policy


@tap.claim
def one_server_keeps_its_ledger_on_a_volume():
    items = load("single")
    equal(sorted(items), ["ConfigMap", "Job", "NetworkPolicy", "PersistentVolumeClaim", "Service", "StatefulSet"])
    settings, policy = check_both(items)
    equal((settings["store"], policy["egress"]), ("sqlite:/var/lib/baton/store.db", []))
    equal(items["PersistentVolumeClaim"]["spec"]["resources"]["requests"], {"storage": "1Gi"})
    spec = items["StatefulSet"]["spec"]
    container = check_server(spec["template"]["spec"])
    equal((spec["replicas"], [mount["mountPath"] for mount in container["volumeMounts"] if mount["name"] == "data"]), (1, [IMAGE["WorkingDir"]]))
    equal({volume["secret"]["secretName"] for volume in spec["template"]["spec"]["volumes"] if "secret" in volume}, {"baton-tokens", "baton-tls"})
    equal("sqlite:/var/lib/baton/store.db" in items["Job"]["spec"]["template"]["spec"]["containers"][0]["args"], True)


@tap.claim
def two_servers_share_a_database_and_a_key():
    items = load("cluster")
    equal(sorted(items), ["ConfigMap", "Deployment", "Job", "NetworkPolicy", "PodDisruptionBudget", "Service"])
    settings, policy = check_both(items)
    # Name service, and the database.
    equal(("store" in settings, ports(policy["egress"])), (False, [53, 5432]))
    equal(items["PodDisruptionBudget"]["spec"]["minAvailable"], 1)
    spec = items["Deployment"]["spec"]
    pod = spec["template"]["spec"]
    container = check_server(pod)
    equal((spec["replicas"], len(pod["topologySpreadConstraints"])), (2, 1))
    for owner in (container, items["Job"]["spec"]["template"]["spec"]["containers"][0]):
        given = {row["name"]: row for row in owner["env"]}
        equal(given["BATON_STORE"]["valueFrom"], {"secretKeyRef": {"name": "baton-store", "key": "url"}})
        keys = [mount for mount in owner["volumeMounts"] if mount["mountPath"] == "/var/lib/baton/.baton/ledger.key"]
        equal([(mount["name"], mount["subPath"], mount["readOnly"]) for mount in keys], [("ledger-key", "ledger.key", True)])


CHART = ROOT / "packaging/helm/baton"


def value_of(expression, values):
    """The value of the few expressions that the chart uses."""
    first, *pipes = [part.strip() for part in expression.split("|")]
    words = first.split()
    known = {".Release.Name": "baton", ".Chart.AppVersion": VERSION}

    def look_up(word):
        if word in known:
            return known[word]
        value = values
        for name in word.removeprefix(".Values.").split("."):
            value = value[name]
        return value
    value = {"toYaml": lambda: yaml.safe_dump(look_up(words[-1])), "toJson": lambda: json.dumps(look_up(words[-1])),
             "index": lambda: look_up(words[1])[int(words[2])]}.get(words[0], lambda: look_up(words[0]))()
    for pipe in pipes:
        name, *arguments = pipe.split()
        value = {"quote": lambda: json.dumps(value), "default": lambda: value or look_up(arguments[0]),
                 "nindent": lambda: "\n" + "".join(" " * int(arguments[0]) + line + "\n" for line in value.splitlines()).rstrip("\n")}[name]()
    return str(value)


def render(text, values):
    """A template with these values: conditions stand on lines of their own."""
    lines, taken = [], []
    for line in text.split("\n"):
        found = re.fullmatch(r"\s*\{\{- (if .*|else|end) \}\}", line)
        if found and found[1].startswith("if"):
            words = found[1].split()
            taken.append(value_of(words[2], values) == words[3].strip('"') if words[1] == "eq" else value_of(words[1], values) == "True")
        elif found and found[1] == "else":
            taken[-1] = not taken[-1]
        elif found:
            taken.pop()
        elif all(taken):
            line = re.sub(r"^\s*\{\{- (.*?) \}\}$", lambda match: value_of(match[1], values).lstrip("\n"), line)
            lines.append(re.sub(r"\{\{ (.*?) \}\}", lambda match: value_of(match[1], values), line))
    equal(taken, [])
    return "\n".join(lines)


def without_instance(item):
    if isinstance(item, dict):
        return {name: without_instance(value) for name, value in item.items() if name != "app.kubernetes.io/instance"}
    return [without_instance(value) for value in item] if isinstance(item, list) else item


@tap.claim
def the_chart_is_the_manifests_with_values():
    defaults = yaml.safe_load((CHART / "values.yaml").read_text())
    about = yaml.safe_load((CHART / "Chart.yaml").read_text())
    equal((about["name"], about["version"], about["appVersion"]), ("baton", VERSION, VERSION))
    for mode in ("single", "cluster"):
        values, made = {**defaults, "mode": mode, "init": {**defaults["init"], "enabled": True}}, {}
        for path in sorted((CHART / "templates").glob("*.yaml")):
            for item in yaml.safe_load_all(render(path.read_text(), values)):
                if item:
                    made[item["kind"]] = without_instance(item)
        wanted = load(mode)
        equal(sorted(made), sorted(wanted))
        for kind, item in wanted.items():
            if kind == "ConfigMap":
                equal(yaml.safe_load(made[kind]["data"]["serve.yaml"]), yaml.safe_load(item["data"]["serve.yaml"]))
            else:
                equal((mode, made[kind]), (mode, item))
    equal("kind: Job" in render((CHART / "templates/init-job.yaml").read_text(), defaults), False)


def open_objects(schema, where=""):
    """Places of a schema where any member is allowed."""
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("additionalProperties") is not False:
            yield where
        for name, part in schema.items():
            yield from open_objects(part, f"{where}/{name}")


@tap.claim
def the_values_of_the_chart_have_a_closed_schema():
    schema = json.loads((CHART / "values.schema.json").read_text())
    equal(list(open_objects(schema)), [])
    defaults = yaml.safe_load((CHART / "values.yaml").read_text())
    with tempfile.TemporaryDirectory() as folder:
        for values, code in ((defaults, 0), ({**defaults, "replica": 3}, 1), ({**defaults, "mode": "both"}, 1), ({**defaults, "image": {"repository": "x", "tag": "", "pull": "y"}}, 1)):
            pathlib.Path(folder, "values.json").write_text(json.dumps(values))
            done = subprocess.run([str(BATON), "schema", "validate", str(CHART / "values.schema.json"), "values.json"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            equal((done.returncode, done.stdout if done.returncode != code else ""), (code, ""))


@tap.claim
def compose_has_a_database_two_servers_and_jobs_that_run_once():
    compose = yaml.safe_load((ROOT / "packaging/compose/compose.yaml").read_text())
    services = compose["services"]
    equal(sorted(services), ["db", "init-ledger", "init-token", "node-1", "node-2"])
    equal(services["db"]["image"], "postgres:15")
    for name in ("init-ledger", "init-token", "node-1", "node-2"):
        service = services[name]
        equal((service["image"], service["read_only"], service["cap_drop"], service["user"]), (f"baton:{VERSION}", True, ["ALL"], f"{ACCOUNT}:{ACCOUNT}"))
        equal((name, service.get("profiles")), (name, ["init"] if name.startswith("init") else None))
    for number, name in enumerate(("node-1", "node-2")):
        equal((services[name]["command"], services[name]["ports"]), (IMAGE["Cmd"], [f"127.0.0.1:{PORT + number}:{PORT}"]))
    settings = check_settings((ROOT / "packaging/compose/serve.yaml").read_text())
    equal((settings["tokens"], services["init-token"]["command"][3]), ("/var/lib/baton/tokens.json", "/var/lib/baton/tokens.json"))
    equal(compose["networks"]["inside"], {"internal": True})


@tap.claim
def the_formula_names_the_source_tarball():
    formula = (ROOT / "packaging/homebrew/baton.rb").read_text()
    equal(re.findall(r"/(v[0-9.]+)/(\S+)\"", formula), [(f"v{VERSION}", f"baton-{VERSION}.tar.xz")])
    equal((len(re.findall(r'^  sha256 "[0-9a-f]{64}"$', formula, re.M)), '"check" : "full"' in formula, "test do" in formula), (1, True, True))
    # What every profile needs is needed on macOS, too; the store, which the others do not have, needs more.
    everywhere, store = (ROOT / "meson.build").read_text().split("if has_store\n  ssl =")
    common, linux = re.search(r'(.*?)on_linux do(.*?)\n  end', formula, re.S).groups()
    named = {"libcrypto": "openssl@3", "libfyaml": "libfyaml", "libzstd": "zstd", "sqlite3": "sqlite"}
    for meson, brew in ((everywhere, common), (store.split("endif")[0], linux)):
        wanted = [named[name] for name in re.findall(r"dependency\('(\w+)', version", meson) if name in named]
        equal(sorted(re.findall(r'depends_on "([^"]+)"$', brew, re.M)), sorted(wanted))
    if shutil.which("ruby"):
        subprocess.run(["ruby", "-c", str(ROOT / "packaging/homebrew/baton.rb")], capture_output=True, timeout=60, check=True)


@tap.claim
def no_file_holds_a_secret_or_a_second_version():
    for path in sorted([*(ROOT / "packaging/kubernetes").rglob("*.yaml"), *(ROOT / "packaging/compose").glob("*.yaml")]):
        text = path.read_text()
        equal((path.name, re.findall(r"image: \S*baton:(\S+)", text) in ([], [VERSION])), (path.name, True))
        equal((path.name, re.search(r"kind: Secret|PASSWORD|bt_[A-Za-z0-9_-]{43}", text)), (path.name, None))


sys.exit(tap.run())
