# SPDX-License-Identifier: Apache-2.0
"""test_units.py ROOT BATON - units of systemd: what packages rely on, and what systemd itself says about them."""
import sys

from place import BATON, ROOT, equal, expect, folder, has_program, run, tap

UNITS = ROOT / "packaging/systemd"
SERVICE = {
    "Type": "notify", "ExecStart": "/usr/bin/baton serve --config /etc/baton/serve.yaml", "User": "baton", "StateDirectory": "baton",
    "StateDirectoryMode": "0700", "ConfigurationDirectory": "baton", "WorkingDirectory": "/var/lib/baton", "Restart": "on-failure",
    "RestartPreventExitStatus": "1 2", "TimeoutStopSec": "45", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes",
    "PrivateTmp": "yes", "PrivateDevices": "yes", "ProtectControlGroups": "yes", "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
    "LockPersonality": "yes", "MemoryDenyWriteExecute": "yes", "CapabilityBoundingSet": "",
    "ProtectKernelLogs": "yes", "ProtectKernelModules": "yes", "ProtectKernelTunables": "yes",
}
ONLY_SERVER = {"RestrictNamespaces": "yes", "SystemCallFilter": "@system-service"}


def settings(name):
    lines = (UNITS / name).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def has_analyze():
    if has_program("systemd-analyze"):
        return True
    print("# skipped: systemd-analyze is not installed")
    return False


def units_with_this_program(place):
    """The units as a system has them: the program is there, and the template has a name."""
    names = []
    for path in sorted(UNITS.glob("*.s[eo]*")):
        if path.suffix not in (".service", ".socket"):
            continue
        name = path.name.replace("@.", "@a.")
        (place / name).write_text(path.read_text().replace("/usr/bin/baton", str(BATON)))
        names.append(f"./{name}")
    return names


@tap.claim
def the_server_is_confined_as_packages_promise():
    found = settings("baton.service")
    equal({name: found.get(name) for name in {**SERVICE, **ONLY_SERVER}}, {**SERVICE, **ONLY_SERVER})
    equal(found["ExecReload"], "/bin/kill -HUP $MAINPID")


@tap.claim
def a_pump_is_confined_like_the_server_but_confines_its_handlers_itself():
    found = settings("baton-pump@.service")
    wanted = {name: value for name, value in SERVICE.items() if name not in ("Type", "ExecStart")}
    equal({name: found.get(name) for name in wanted}, wanted)
    equal([name for name in ONLY_SERVER if name in found], [])
    equal(found["ExecStart"], "/usr/bin/baton pump run /etc/baton/%i.organism.yaml")


@tap.claim
def the_socket_and_the_account_are_those_of_the_server():
    equal(settings("baton.socket")["ListenStream"], "127.0.0.1:8420")
    lines = [line for line in (UNITS / "baton.sysusers").read_text().splitlines() if not line.startswith("#")]
    equal(lines, ['u baton - "Baton" /var/lib/baton'])


@tap.claim
def systemd_has_nothing_to_say_about_the_units():
    if not has_analyze():
        return
    with folder() as place:
        names = units_with_this_program(place)
        equal(len(names), 3)
        done = expect(run("systemd-analyze", "--man=no", "verify", *names, cwd=place), 0)
        equal(done.stdout + done.stderr, "")
        (place / "baton.service").write_text((place / "baton.service").read_text().replace("Type=notify", "Typo=notify"))
        equal("Typo" in run("systemd-analyze", "--man=no", "verify", "./baton.service", cwd=place).stderr, True)


@tap.claim
def the_exposure_of_the_server_is_at_most_1_5():
    if not has_analyze():
        return
    with folder() as place:
        units_with_this_program(place)
        command = ("systemd-analyze", "security", "--offline=true", "--threshold=15", "./baton.service")
        expect(run(*command, cwd=place), 0, "Overall exposure level")
        weaker = "\n".join(line for line in (place / "baton.service").read_text().splitlines() if not line.startswith("Protect"))
        (place / "baton.service").write_text(weaker)
        expect(run(*command, cwd=place), 1)


sys.exit(tap.run())
