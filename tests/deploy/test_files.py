"""Files for other programs: the Dockerfiles, compose, Kubernetes, Prometheus and Grafana."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.context import ROOT, files
from tests.deploy.dockerfile import read
from tests.studio.programs import reception_of

BIN = Path(sys.executable).parent
DEPLOY = ROOT / "deploy"
KUBERNETES = sorted((DEPLOY / "kubernetes").glob("[!k]*.yaml"))  # kustomization.yaml is not a resource
COMPOSE = [ROOT / "compose.yaml", ROOT / "compose.gpu.yaml"]


def found_wanting(*command: object) -> str:
    """Return the findings of a linter."""
    said = subprocess.run([str(part) for part in command], cwd=ROOT, check=False, capture_output=True, text=True)
    return said.stdout + said.stderr if said.returncode else ""


def loaded(path: Path) -> list[Any]:
    return list(yaml.safe_load_all(path.read_text("utf-8")))


def test_the_dockerfiles_pass_the_linter() -> None:
    assert not found_wanting(BIN / "hadolint", "Dockerfile", "deploy/runpod/Dockerfile")


def test_the_last_stage_is_the_studio_which_spaces_builds_and_runs_its_start() -> None:
    stages = read(ROOT / "Dockerfile")
    last = stages[list(stages)[-1]]
    (entry,) = [step.words for step in last.steps if step.kind == "ENTRYPOINT"]
    assert (last.name, entry) == ("studio", ["deploy/start"])
    assert Path(*entry) in files() and (ROOT / entry[0]).stat().st_mode & 0o111
    assert [step.value for step in last.steps if step.kind == "USER"] == ["1000"]


def test_compose_matches_its_specification() -> None:
    assert not found_wanting(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", *COMPOSE)


def test_compose_starts_only_the_studio_and_builds_existing_stages() -> None:
    (whole,), (gpu,) = map(loaded, COMPOSE)
    services = whole["services"]
    assert [name for name, service in services.items() if "profiles" not in service] == ["studio"]
    assert {service["build"]["target"] for service in services.values() if "build" in service} <= set(
        read(ROOT / "Dockerfile")
    )
    assert gpu["services"].keys() <= services.keys()
    mounts = [mount for service in services.values() for mount in service.get("volumes", []) if mount.startswith("./")]
    assert mounts and all((ROOT / mount.partition(":")[0]).exists() for mount in mounts)


def test_kubernetes_accepts_every_resource() -> None:
    assert not found_wanting(BIN / "kubernetes-validate", "--strict", *KUBERNETES)


def test_kubernetes_sets_no_variable_that_the_studio_would_refuse() -> None:
    resources = {resource["kind"]: resource for path in KUBERNETES for resource in loaded(path)}
    service, pod = resources["Service"], resources["StatefulSet"]["spec"]["template"]["spec"]
    assert service["metadata"]["name"] == "studio" and pod["enableServiceLinks"] is False  # it would set STUDIO_PORT


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return the names of the studio's metrics."""
    with reception_of(tmp_path_factory.mktemp("metrics")) as reception:
        return set(re.findall(r"# TYPE (\w+)", reception.program.get("/metrics").text))


def test_every_query_of_the_dashboard_uses_an_existing_metric(metrics: set[str]) -> None:
    dashboard = json.loads((DEPLOY / "grafana" / "dashboards" / "studio.json").read_text("utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked = [set(re.findall(r"studio_\w+?(?=_bucket|\W|$)", query)) for query in queries]
    assert queries and all(asked)
    assert set().union(*asked) <= metrics


def test_every_alert_uses_existing_metrics(metrics: set[str]) -> None:
    (groups,) = loaded(DEPLOY / "grafana" / "alerts.yaml")
    asked = [set(re.findall(r"studio_\w+", rule["expr"])) for group in groups["groups"] for rule in group["rules"]]
    assert len(asked) == 8
    assert set().union(*asked) <= metrics


def test_kubernetes_scales_by_an_existing_metric(metrics: set[str]) -> None:
    (scaler,) = loaded(DEPLOY / "kubernetes" / "autoscaling.yaml")
    assert {metric["pods"]["metric"]["name"] for metric in scaler["spec"]["metrics"]} <= metrics


def test_grafana_uses_the_provisioned_prometheus() -> None:
    (sources,) = loaded(DEPLOY / "grafana" / "provisioning" / "datasources" / "prometheus.yaml")
    dashboard = json.loads((DEPLOY / "grafana" / "dashboards" / "studio.json").read_text("utf-8"))
    known = {(source["type"], source["uid"]) for source in sources["datasources"]}
    assert {(panel["datasource"]["type"], panel["datasource"]["uid"]) for panel in dashboard["panels"]} <= known
