"""Endpoints are created, updated and removed in an account played by moto; boto3 reads the results back."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import boto3
import pytest

from deploy.sagemaker.account import Account, covers
from deploy.sagemaker.commands import main
from deploy.sagemaker.errors import DeployError
from deploy.sagemaker.plan import OWNER_TAG, Kind, Plan, Wanted, plan_of
from deploy.sagemaker.steps import deployment, teardown
from tests.deploy.sagemaker.updates import Updates

NAME = "champions"
WANTED: dict[str, Any] = {
    "name": NAME,
    "kind": "multi-model",
    "image": "123456789012.dkr.ecr.us-east-1.amazonaws.com/champion-triton:1",
    "role": "arn:aws:iam::123456789012:role/champions",
    "instance_type": "ml.g4dn.xlarge",  # moto knows no newer version
    "models": "s3://bucket/f5tts-models/",
    "topic": "arn:aws:sns:us-east-1:123456789012:night-shift",
    "environment": {"STUDIO_QUANTIZE": "int8"},
}


def planned(**other: Any) -> Plan:
    return plan_of(Wanted(**WANTED | other))


@cache
def client(service: str) -> Any:
    """Create clients once, because each reads megabytes of descriptions."""
    return boto3.client(service)  # type: ignore[call-overload]


@cache
def account() -> Account:
    return Account(poll_s=0.01)


def deploy(plan: Plan) -> list[str]:
    return run(deployment(account(), plan))


def tear_down(name: str = NAME) -> list[str]:
    return run(teardown(account(), name))


def run(steps: Any) -> list[str]:
    for step in steps:
        step.run()
    return [step.sentence for step in steps]


def everything() -> dict[str, dict[str, Any]]:
    """Return the account's parts by kind and name, with their tags."""
    sagemaker, logs, cloudwatch = client("sagemaker"), client("logs"), client("cloudwatch")
    scaling = client("application-autoscaling")

    def tagged(found: Mapping[str, Any], arn: str) -> dict[str, Any]:
        tags = {tag["Key"]: tag["Value"] for tag in sagemaker.list_tags(ResourceArn=found[arn])["Tags"]}
        return {**found, "tags": tags, "ResponseMetadata": None}

    models = [one["ModelName"] for one in sagemaker.list_models()["Models"]]
    configs = [one["EndpointConfigName"] for one in sagemaker.list_endpoint_configs()["EndpointConfigs"]]
    endpoints = [one["EndpointName"] for one in sagemaker.list_endpoints()["Endpoints"]]
    alarms = {one["AlarmName"]: one for one in cloudwatch.describe_alarms()["MetricAlarms"]}
    groups = {one["logGroupName"]: one for one in logs.describe_log_groups()["logGroups"]}
    for alarm in alarms.values():
        tags = cloudwatch.list_tags_for_resource(ResourceARN=alarm["AlarmArn"])["Tags"]
        alarm["tags"] = {tag["Key"]: tag["Value"] for tag in tags}
    for group in groups.values():
        group["tags"] = logs.list_tags_for_resource(resourceArn=group["arn"].removesuffix(":*"))["tags"]
    targets = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    policies = scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"]
    return {
        "models": {name: tagged(sagemaker.describe_model(ModelName=name), "ModelArn") for name in models},
        "configs": {
            name: tagged(sagemaker.describe_endpoint_config(EndpointConfigName=name), "EndpointConfigArn")
            for name in configs
        },
        "endpoints": {
            name: tagged(sagemaker.describe_endpoint(EndpointName=name), "EndpointArn") for name in endpoints
        },
        "alarms": alarms,
        "groups": groups,
        "targets": {one["ResourceId"]: one for one in targets},
        "policies": {one["PolicyName"]: one for one in policies},
    }


def names(found: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    return {kind: sorted(ones) for kind, ones in found.items()}


def as_planned(plan: Plan) -> dict[str, dict[str, Any]]:
    return {
        "models": {plan.model["ModelName"]: plan.model},
        "configs": {plan.config["EndpointConfigName"]: plan.config},
        "endpoints": {plan.name: plan.endpoint},
        "alarms": {alarm["AlarmName"]: alarm for alarm in plan.alarms},
        "groups": {plan.log_group["logGroupName"]: plan.log_group},
        "targets": {plan.target["ResourceId"]: plan.target},
        "policies": {plan.policy["PolicyName"]: plan.policy},
    }


def assert_as_planned(plan: Plan) -> None:
    """Check that the account has every planned property and nothing else, and that everything is tagged."""
    found, wanted = everything(), as_planned(plan)
    assert names(found) == names(wanted)
    for kind, ones in wanted.items():
        for name, properties in ones.items():
            assert covers(found[kind][name], properties), (found[kind][name], properties)
            assert found[kind][name].get("tags") == (
                None if kind in ("targets", "policies") else {OWNER_TAG: plan.name}
            )


@pytest.mark.parametrize("kind", ["multi-model", "single"])
def test_a_deployment_creates_the_planned_parts(updates: Updates, kind: Kind) -> None:
    plan = planned(kind=kind)
    deploy(plan)
    assert_as_planned(plan)


def test_an_unchanged_deployment_has_no_steps(updates: Updates) -> None:
    deploy(planned())
    before = everything()
    assert (deploy(planned()), everything()) == ([], before)


def test_an_update_serves_throughout_and_removes_the_old_parts(updates: Updates) -> None:
    old, new = planned(), planned(image="champion-triton:2", instance_type="ml.p3.2xlarge")
    deploy(old)
    deploy(new)
    assert_as_planned(new)
    assert set(updates.served) == {old.config["EndpointConfigName"]}
    assert deploy(new) == []


def test_an_update_that_fails_leaves_the_old_in_service_and_can_be_tried_again(updates: Updates) -> None:
    old, new = planned(), planned(image="champion-triton:2")
    deploy(old)
    updates.breaks = True
    with pytest.raises(DeployError, match="it failed its health check"):
        deploy(new)
    found = everything()
    assert covers(found["endpoints"][NAME], old.endpoint)
    assert old.config["EndpointConfigName"] in found["configs"] and found["targets"]
    updates.breaks = False
    deploy(new)
    assert_as_planned(new)


def test_other_bounds_of_scaling_and_alarms_touch_no_instance(updates: Updates) -> None:
    deploy(planned())
    changed = planned(least=2, most=8, per_minute=90.0, latency_s=3.0)
    steps = deploy(changed)
    assert (steps, updates.served) == (["put scaling in place", f"put the alarm {NAME}-latency in place"], [])
    assert_as_planned(changed)


def test_a_failed_endpoint_is_created_again(updates: Updates) -> None:
    deploy(planned())
    updates.backend.endpoints[NAME].endpoint_status = "Failed"
    deploy(planned())
    assert_as_planned(planned())


def test_teardown_removes_exactly_the_created_parts(updates: Updates) -> None:
    neighbour = planned(name=f"{NAME}-2", least=2)
    deploy(neighbour)
    client("sagemaker").create_model(
        ModelName=f"{NAME}-by-hand", ExecutionRoleArn=WANTED["role"], PrimaryContainer={"Image": "i"}
    )
    client("logs").create_log_group(logGroupName=f"/aws/sagemaker/Endpoints/{NAME}-by-hand")
    before = everything()
    deploy(planned())
    assert tear_down() != []
    assert everything() == before
    assert (tear_down(), everything()) == ([], before)


def test_an_existing_log_group_outlives_the_endpoint(updates: Updates) -> None:
    client("logs").create_log_group(logGroupName=f"/aws/sagemaker/Endpoints/{NAME}")
    deploy(planned())
    tear_down()
    assert {kind: ones for kind, ones in names(everything()).items() if ones} == {
        "groups": [f"/aws/sagemaker/Endpoints/{NAME}"]
    }


def test_a_foreign_endpoint_is_neither_updated_nor_removed(updates: Updates) -> None:
    deploy(planned())
    arn = client("sagemaker").describe_endpoint(EndpointName=NAME)["EndpointArn"]
    client("sagemaker").delete_tags(ResourceArn=arn, TagKeys=[OWNER_TAG])
    with pytest.raises(DeployError, match="choose another name"):
        deploy(planned(image="champion-triton:2"))
    tear_down()
    assert list(everything()["endpoints"]) == [NAME]


def arguments(command: str, *more: str) -> list[str]:
    kept = ("image", "role", "instance_type", "models", "topic")
    options = (
        [part for name in kept for part in (f"--{name.replace('_', '-')}", WANTED[name])] if command == "deploy" else []
    )
    return [command, NAME, *options, *(["--env", "STUDIO_QUANTIZE=int8"] if options else []), *more]


def test_a_dry_run_prints_the_plan_and_changes_nothing(updates: Updates, capsys: pytest.CaptureFixture[str]) -> None:
    empty = everything()
    assert main(arguments("deploy", "--dry-run")) == 0
    printed = capsys.readouterr()
    assert (json.loads(printed.out)["config"], everything()) == (planned().config, empty)
    assert f"would make the endpoint {NAME}\n" in printed.err
    assert main(arguments("deploy")) == 0
    assert_as_planned(planned())
    capsys.readouterr()
    assert main(arguments("teardown", "--dry-run")) == 0
    assert f"would remove the endpoint {NAME}\n" in capsys.readouterr().err
    assert_as_planned(planned())
    assert [main(arguments("teardown")) for _ in range(2)] == [0, 0]
    assert everything() == empty


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"name": "-x"}, "not a valid endpoint name"),
        ({"models": ""}, "not a valid prefix for archives"),
        ({"kind": "single", "models": "https://bucket/x"}, "not a valid prefix for archives"),
        ({"least": 5}, "smallest number of instances"),
        ({"environment": {"STUDIO_API_KEYS": "k"}}, "IAM decides"),
    ],
)
def test_options_that_aws_would_refuse_raise_a_readable_error(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(DeployError, match=says):
        planned(**wrong)


def test_a_single_model_gets_the_archives_as_files_and_a_studio_that_imports_them() -> None:
    container = planned(kind="single").model["PrimaryContainer"]
    source = container["ModelDataSource"]["S3DataSource"]
    assert (source["S3Uri"], source["CompressionType"]) == (WANTED["models"], "None")
    settings = {"STUDIO_ARCHIVES_DIR": "/opt/ml/model", "STUDIO_PORT": "8080", "STUDIO_QUANTIZE": "int8"}
    assert settings.items() <= container["Environment"].items()
    assert "ModelDataSource" not in planned(kind="single", models="").model["PrimaryContainer"]


def test_only_machines_with_a_gpu_get_its_driver() -> None:
    for instance_type, there in (("ml.g5.xlarge", True), ("ml.p4d.24xlarge", True), ("ml.c7i.xlarge", False)):
        (variant,) = planned(instance_type=instance_type).config["ProductionVariants"]
        assert ("InferenceAmiVersion" in variant) is there
