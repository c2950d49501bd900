"""The files in `deploy` fit the service: its settings, commands, ports, paths and version. No engine is needed."""

import configparser
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from socialgate import __version__
from socialgate.__main__ import cli
from socialgate.core.settings import CONFIG_VARIABLE, Settings, get_env_variable, get_setting_types, load_settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
GUIDE = ROOT / "docs" / "deployment.md"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
IMAGE = f"socialgate:{__version__}"
# What the image is run as.
USER = 10001
SETTINGS = {get_env_variable(name) for name in get_setting_types()} | {CONFIG_VARIABLE}
KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
METRICS_PORT = "9464"
PROBED = {"/health", "/llms.txt"}
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
# Everything that a unit must not leave open.
HARDENED = {
    "CapabilityBoundingSet": "",
    "NoNewPrivileges": "true",
    "PrivateDevices": "true",
    "PrivateTmp": "true",
    "ProtectHome": "true",
    "ProtectSystem": "strict",
    "RestrictSUIDSGID": "true",
    "SystemCallFilter": "@system-service",
    "UMask": "0077",
}


def files() -> list[Path]:
    return sorted(path for path in DEPLOY.rglob("*") if path.is_file() and path.name not in {".env", "secret.yaml"})


def instructions(name: str) -> list[str]:
    """List the arguments of the instructions of a kind in the Dockerfile, each on one line."""
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^\s*#.*\n", "", DOCKERFILE, flags=re.MULTILINE)).splitlines()
    return [line.removeprefix(f"{name} ") for line in lines if line.startswith(f"{name} ")]


def image_settings() -> dict[str, str]:
    pairs = (pair.partition("=") for line in instructions("ENV") for pair in line.split())
    return {name: value for name, _, value in pairs if name.startswith("SOCIALGATE_")}


def environment_file(path: Path) -> dict[str, str]:
    """Read an example as its user fills it in: also the lines that are commented out."""
    lines = re.findall(r"^#?([A-Z_]+)=(.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(lines)


def manifests() -> list[dict[str, Any]]:
    paths = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    return [part for path in paths for part in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


def manifest(kind: str, name: str) -> dict[str, Any]:
    (result,) = [part for part in manifests() if part["kind"] == kind and part["metadata"]["name"] == name]
    return result


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    for part in manifests():
        if part["kind"] in {"Deployment", "Job"}:
            yield part["metadata"]["name"], part["spec"]["template"]["spec"]


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


def our_services() -> dict[str, Any]:
    return {name: service for name, service in compose()["services"].items() if service["image"] == IMAGE}


def unit(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(path.read_text(encoding="utf-8"))
    return parser


def load(values: dict[str, str]) -> Settings:
    """Load settings as a process does, with a value for each secret that an example leaves empty."""
    samples = {name: KEY if name == "SOCIALGATE_SECRET_KEY" else "a long enough secret" for name in values}
    return load_settings({name: value or samples[name] for name, value in values.items()} | {"PATH": ""})


@pytest.mark.parametrize("path", [*files(), GUIDE], ids=lambda path: str(path.relative_to(ROOT)))
def test_settings_that_are_named_exist(path: Path) -> None:
    names = set(re.findall(r"SOCIALGATE_[A-Z_]+[A-Z]", path.read_text(encoding="utf-8")))
    # The command line and `doctor --through` read the key of an owner from the environment, as clients do.
    assert names <= SETTINGS | {"SOCIALGATE_API_KEY"}


@pytest.mark.parametrize("path", [*files(), GUIDE], ids=lambda path: str(path.relative_to(ROOT)))
def test_versions_are_that_of_the_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    versions = re.findall(r"socialgate:(\d[\w.]*)", text) + re.findall(r'newTag: "(.*)"', text)
    assert set(versions) <= {__version__}


def test_the_guide_mentions_every_folder_and_file() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    for path in files():
        folder = path.parent.relative_to(ROOT)
        assert path.name in guide or str(folder / path.name) in guide or f"`{folder}`" in guide, path


def test_commands_that_are_named_exist() -> None:
    named = {service["command"][0] for service in our_services().values()}
    named |= {container["args"][0] for _, pod in pods() for container in pod["containers"]}
    named |= set(json.loads(instructions("CMD")[-1]))
    named |= {unit(path)["Service"]["ExecStart"].removeprefix("/opt/socialgate/bin/socialgate ") for path in UNITS}
    named |= set(re.findall(r"socialgate (?!-)([a-z][a-z-]+)$", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert {"serve", "work", "migrate", "doctor"} <= named <= set(cli.commands)
    assert json.loads(instructions("ENTRYPOINT")[0]) == ["socialgate"]


# The image.


def test_the_linter_of_dockerfiles_finds_nothing() -> None:
    linter = Path(sys.executable).parent / "hadolint"
    result = subprocess.run([linter, DEPLOY / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "")


def test_the_image_is_built_from_files_that_exist_and_are_sent_to_the_builder() -> None:
    lines = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    sent = {line.removeprefix("!") for line in lines if line.startswith("!")}
    copied = {name for line in instructions("COPY") if "--from" not in line for name in line.split()[:-1]}
    assert copied == sent
    assert all((ROOT / name).exists() for name in copied)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    assert {project["readme"], *project["license-files"]} <= copied
    # The wheel cannot be built without what it includes.
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert [name for name in included if not any(f"{name}/".startswith(f"{part}/") for part in copied)] == []


def test_the_image_runs_as_an_ordinary_user_and_checks_its_health() -> None:
    assert instructions("USER") == [f"{USER}:{USER}"]
    settings = load(image_settings())
    assert (ip_address(settings.host).is_unspecified, settings.data_dir) == (True, Path("/data"))
    assert settings.log_format == "json"
    assert instructions("EXPOSE") == [str(settings.port)] == [str(Settings().port)]
    (check,) = instructions("HEALTHCHECK")
    assert f"http://127.0.0.1:{settings.port}/health" in check
    stages = instructions("FROM")
    assert len(stages) == 2
    assert {stage.split()[0] for stage in stages} == {"python:3.11-slim-bookworm"}


# Compose.


def test_compose_runs_each_process_without_rights() -> None:
    assert set(our_services()) == {"api", "worker", "migrate"}
    for service in our_services().values():
        assert service["user"] == f"{USER}:{USER}"
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert "ports" not in service, "only the proxy can be reached"
        assert int(service["stop_grace_period"].removesuffix("s")) > Settings().stop_seconds
    assert (DEPLOY / "compose" / our_services()["api"]["build"]["context"]).resolve() == ROOT
    assert (ROOT / our_services()["api"]["build"]["dockerfile"]).is_file()


def test_compose_gives_settings_that_the_service_accepts() -> None:
    example = {"DOMAIN": "gate.example.com", **environment_file(DEPLOY / "compose" / "example.env")}
    example |= {"POSTGRES_PASSWORD": "password", "SOCIALGATE_SECRET_KEY": KEY}
    for service in our_services().values():
        values = {
            name: re.sub(r"\$\{(\w+):\?[^}]*\}", lambda match: example[match[1]], value)
            for name, value in service["environment"].items()
        }
        passed = {name: value for name, value in example.items() if name.startswith("SOCIALGATE_")}
        settings = load(image_settings() | passed | values)
        assert settings.public_url == "https://gate.example.com"
        assert not settings.simulates_platforms
        assert settings.secret_key == KEY
        (network,) = compose()["networks"]["internal"]["ipam"]["config"]
        assert ip_network(settings.trusted_proxies) == ip_network(network["subnet"])


def test_compose_starts_things_in_their_order() -> None:
    services = compose()["services"]
    assert services["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    for name in ("api", "worker"):
        assert services[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert services["worker"]["environment"]["SOCIALGATE_METRICS_PORT"] == METRICS_PORT
    assert f"127.0.0.1:{METRICS_PORT}/metrics" in services["worker"]["healthcheck"]["test"][-1]
    volumes = {mount.split(":")[0] for service in services.values() for mount in service["volumes"]}
    assert {name for name in volumes if not name.startswith(".")} == set(compose()["volumes"])
    proxy = (DEPLOY / "compose" / "Caddyfile").read_text(encoding="utf-8")
    assert f"name api\n\t\t\tport {Settings().port}\n" in proxy


# systemd.


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_are_hardened(path: Path) -> None:
    service = unit(path)["Service"]
    assert {name: service[name] for name in HARDENED} == HARDENED
    assert service["User"] == "socialgate"
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"
    # systemd has several lines of the same name, of which the parser keeps the last.
    assert f"Environment=SOCIALGATE_DATA_DIR={service['WorkingDirectory']}\n" in path.read_text(encoding="utf-8")
    if service["Type"] == "exec":
        assert int(service["TimeoutStopSec"]) > Settings().stop_seconds
        assert int(service["LimitNOFILE"]) * 5 / 8 > Settings().connections
        assert service["Restart"] == "always"


def test_the_environment_of_units_is_accepted() -> None:
    settings = load(environment_file(DEPLOY / "systemd" / "socialgate.env"))
    assert (settings.listens_on_loopback, settings.trusted_proxies) == (True, "127.0.0.1")
    assert not settings.simulates_platforms
    nginx = (DEPLOY / "nginx" / "socialgate.conf").read_text(encoding="utf-8")
    assert f"server {settings.host}:{settings.port};" in nginx
    assert nginx.count("{") == nginx.count("}")


# Kubernetes.


def test_kustomize_names_manifests_that_exist() -> None:
    (kustomization,) = [part for part in manifests() if part["kind"] == "Kustomization"]
    folder = DEPLOY / "kubernetes"
    applied = set(kustomization["resources"])
    assert applied | {"migrate.yaml", "secret.example.yaml", "kustomization.yaml"} == {
        path.name for path in folder.glob("*.yaml") if path.name != "secret.yaml"
    }
    assert [image["name"] for image in kustomization["images"]] == [IMAGE.partition(":")[0]]
    namespaces = {
        part["metadata"].get("namespace") for part in manifests() if part["kind"] not in {"Kustomization", "Namespace"}
    }
    assert namespaces == {kustomization["namespace"]} == {manifest("Namespace", "socialgate")["metadata"]["name"]}


@pytest.mark.parametrize(("name", "pod"), list(pods()), ids=[name for name, _ in pods()])
def test_pods_run_without_rights(name: str, pod: dict[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == USER
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False, f"the variables of the service would be taken for settings in {name}"
    (container,) = pod["containers"]
    assert container["image"] == IMAGE
    context = container["securityContext"]
    assert (context["readOnlyRootFilesystem"], context["allowPrivilegeEscalation"]) == (True, False)
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
    assert "/data" in {mount["mountPath"] for mount in container["volumeMounts"]}


@pytest.mark.parametrize(("name", "pod"), list(pods()), ids=[name for name, _ in pods()])
def test_pods_have_settings_that_the_service_accepts(name: str, pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    config, secret = manifest("ConfigMap", "socialgate")["data"], manifest("Secret", "socialgate")["stringData"]
    names = [next(iter(source.values()))["name"] for source in container["envFrom"]]
    assert names == ["socialgate", "socialgate"]
    own = {variable["name"]: variable["value"] for variable in container.get("env", ())}
    settings = load(image_settings() | config | secret | own)
    assert settings.storage_url is not None, f"{name} loses its files"
    assert not settings.simulates_platforms
    (ingress,) = manifest("Ingress", "socialgate")["spec"]["rules"]
    assert settings.public_url == f"https://{ingress['host']}"


def test_probes_ask_what_answers() -> None:
    (api,) = manifest("Deployment", "socialgate-api")["spec"]["template"]["spec"]["containers"]
    assert api["ports"] == [{"name": "http", "containerPort": Settings().port}]
    probes = {name: api[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")}
    assert {probe["path"] for probe in probes.values()} == PROBED
    assert probes["readiness"]["path"] == "/health"
    assert probes["liveness"]["path"] != "/health", "an outage of the database would restart every pod"
    assert {probe["port"] for probe in probes.values()} == {"http"}
    (worker,) = manifest("Deployment", "socialgate-worker")["spec"]["template"]["spec"]["containers"]
    assert worker["env"] == [{"name": "SOCIALGATE_METRICS_PORT", "value": METRICS_PORT}]
    for probe in (worker["startupProbe"], worker["livenessProbe"]):
        assert f"127.0.0.1:{METRICS_PORT}/metrics" in probe["exec"]["command"][-1]


@pytest.mark.parametrize("name", ["api", "worker"])
def test_labels_match_and_pods_have_time_to_stop(name: str) -> None:
    spec = manifest("Deployment", f"socialgate-{name}")["spec"]
    labels = {"app.kubernetes.io/name": "socialgate", "app.kubernetes.io/component": name}
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"] == labels
    budget = manifest("PodDisruptionBudget", f"socialgate-{name}")["spec"]
    assert budget["selector"]["matchLabels"] == labels
    assert budget["minAvailable"] < spec["replicas"]
    pod = spec["template"]["spec"]
    (spread,) = pod["topologySpreadConstraints"]
    assert spread["labelSelector"]["matchLabels"] == labels
    assert pod["terminationGracePeriodSeconds"] > Settings().stop_seconds + 10


def test_the_ingress_reaches_the_api() -> None:
    service = manifest("Service", "socialgate")["spec"]
    assert service["selector"] == manifest("Deployment", "socialgate-api")["spec"]["selector"]["matchLabels"]
    (port,) = service["ports"]
    assert (port["name"], port["targetPort"]) == ("http", "http")
    spec = manifest("Ingress", "socialgate")["spec"]
    (rule,), (tls,) = spec["rules"], spec["tls"]
    assert tls["hosts"] == [rule["host"]]
    (path,) = rule["http"]["paths"]
    assert path["backend"]["service"] == {"name": "socialgate", "port": {"name": "http"}}
