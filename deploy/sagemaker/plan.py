"""Plan the parts of an endpoint as parameters of AWS's API, without connecting to AWS."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from deploy.sagemaker.errors import DeployError

Kind = Literal["multi-model", "single"]
Properties = Mapping[str, Any]

NAME = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,51}")  # 63 characters minus the length of suffixes
PREFIX = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/(.*/)?")
# Key of a tag on everything that belongs to an endpoint; its value is the endpoint's name.
OWNER_TAG = "champion-voice-studio:endpoint"
VARIANT = "studio"
GPU = re.compile(r"ml\.[gp]\d")
GPU_AMI = "al2023-ami-sagemaker-inference-gpu-4-1"  # driver 580, the oldest that supports torch's CUDA 13
START_S = 1_800  # time to pull an image with CUDA, download weights and compile kernels
LOGS_DAYS = 30
MODELS = "/opt/ml/model"  # folder where SageMaker puts the files of a single model
STUDIO = {"STUDIO_HOST": "0.0.0.0", "STUDIO_PORT": "8080", "STUDIO_PAGE": "off"}
KEYS = "STUDIO_API_KEYS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options of an endpoint. Raises DeployError for values that AWS would refuse later with an unclear message."""

    name: str
    kind: Kind
    image: str  # image in ECR
    role: str  # ARN of the role with which SageMaker reads the image and the archives
    models: str = ""  # s3://bucket/prefix/ of the archives; optional for a single model
    instance_type: str = "ml.g5.xlarge"
    least: int = 1  # instances
    most: int = 4
    per_minute: float = 30.0  # invocations a minute and instance above which an instance is added
    latency_s: float = 10.0  # P95 latency above which an alarm is raised
    topic: str = ""  # ARN of an SNS topic for alarms
    environment: Mapping[str, str] = field(default_factory=dict)  # environment of the container

    def __post_init__(self) -> None:
        if NAME.fullmatch(self.name) is None:
            raise DeployError(
                f"{self.name!r} is not a valid endpoint name; use up to 52 letters, digits and single hyphens"
            )
        if (self.models or self.kind == "multi-model") and PREFIX.fullmatch(self.models) is None:
            raise DeployError(f"{self.models!r} is not a valid prefix for archives; write s3://bucket/prefix/")
        if not 1 <= self.least <= self.most:
            raise DeployError(
                "the smallest number of instances must be from 1 to the largest number; correct --least or --most"
            )
        if KEYS in self.environment:
            raise DeployError(
                f"remove {KEYS} from --env: SageMaker does not forward API keys; IAM decides who may invoke the endpoint"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The parameters of each part. AWS cannot change models and configurations, so their names contain a digest."""

    name: str
    model: Properties
    config: Properties
    endpoint: Properties
    log_group: Properties
    target: Properties
    policy: Properties
    alarms: tuple[Properties, ...]


def plan_of(wanted: Wanted) -> Plan:
    model = {"ExecutionRoleArn": wanted.role, "PrimaryContainer": _container(wanted)}
    model_name = f"{wanted.name}-{_digest(model)}"
    config = {"ProductionVariants": [_variant(wanted, model_name)]}
    config_name = f"{wanted.name}-{_digest(config)}"
    return Plan(
        name=wanted.name,
        model={"ModelName": model_name, **model},
        config={"EndpointConfigName": config_name, **config},
        endpoint={"EndpointName": wanted.name, "EndpointConfigName": config_name},
        log_group={"logGroupName": log_group(wanted.name), "retentionInDays": LOGS_DAYS},
        target={**scaled(wanted.name), "MinCapacity": wanted.least, "MaxCapacity": wanted.most},
        policy={**scaled(wanted.name), **_policy(wanted)},
        alarms=tuple(_alarm(wanted, *facts) for facts in _alarm_facts(wanted)),
    )


def log_group(name: str) -> str:
    """Return the log group for the output of an endpoint's containers."""
    return f"/aws/sagemaker/Endpoints/{name}"


def scaled(name: str) -> dict[str, str]:
    """Return the identifiers of the scaled resource in Application Auto Scaling."""
    dimension = "sagemaker:variant:DesiredInstanceCount"
    return {
        "ServiceNamespace": "sagemaker",
        "ResourceId": f"endpoint/{name}/variant/{VARIANT}",
        "ScalableDimension": dimension,
    }


def _container(wanted: Wanted) -> dict[str, Any]:
    if wanted.kind == "multi-model":
        data: dict[str, Any] = {"Mode": "MultiModel", "ModelDataUrl": wanted.models}
        return {"Image": wanted.image, **data, "Environment": dict(wanted.environment)}
    archives = {"STUDIO_ARCHIVES_DIR": MODELS} if wanted.models else {}
    source = {"S3Uri": wanted.models, "S3DataType": "S3Prefix", "CompressionType": "None"}
    data = {"ModelDataSource": {"S3DataSource": source}} if wanted.models else {}
    environment = {**STUDIO, **archives, **wanted.environment}
    return {"Image": wanted.image, "Mode": "SingleModel", **data, "Environment": environment}


def _variant(wanted: Wanted, model: str) -> dict[str, Any]:
    """Describe the variant with one initial instance. Scaling adds others, so other limits need no new configuration."""
    ami = {"InferenceAmiVersion": GPU_AMI} if GPU.match(wanted.instance_type) else {}
    return {
        "VariantName": VARIANT,
        "ModelName": model,
        "InstanceType": wanted.instance_type,
        "InitialInstanceCount": 1,
        "InitialVariantWeight": 1.0,
        "ModelDataDownloadTimeoutInSeconds": START_S,
        "ContainerStartupHealthCheckTimeoutInSeconds": START_S,
        **ami,
    }


def _policy(wanted: Wanted) -> dict[str, Any]:
    """Describe the scaling policy. It removes instances later than it adds them, because a new one takes minutes to start."""
    metric = {"PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"}
    return {
        "PolicyName": f"{wanted.name}-invocations",
        "PolicyType": "TargetTrackingScaling",
        "TargetTrackingScalingPolicyConfiguration": {
            "TargetValue": wanted.per_minute,
            "PredefinedMetricSpecification": metric,
            "ScaleInCooldown": 600,
            "ScaleOutCooldown": 60,
        },
    }


def _alarm_facts(wanted: Wanted) -> list[tuple[str, str, dict[str, Any]]]:
    """Return name, description and metric of each alarm."""
    invocations = {"Namespace": "AWS/SageMaker", "TreatMissingData": "notBreaching"}
    over, under = "GreaterThanThreshold", "LessThanThreshold"
    slow = {"MetricName": "ModelLatency", "ExtendedStatistic": "p95", "Threshold": wanted.latency_s * 1e6}  # in µs
    failing = {"MetricName": "Invocation5XXErrors", "Statistic": "Sum", "Threshold": 0.0}
    # Every running instance reports its load each minute; an endpoint without running instances reports nothing.
    silent = {"MetricName": "CPUUtilization", "Statistic": "SampleCount", "Threshold": 1.0}
    host = {"Namespace": "/aws/sagemaker/Endpoints", "TreatMissingData": "breaching"}
    return [
        ("latency", "lines take long", {**invocations, **slow, "ComparisonOperator": over, "EvaluationPeriods": 5}),
        ("errors", "lines fail", {**invocations, **failing, "ComparisonOperator": over, "EvaluationPeriods": 1}),
        ("instances", "no instance reports", {**host, **silent, "ComparisonOperator": under, "EvaluationPeriods": 5}),
    ]


def _alarm(wanted: Wanted, name: str, says: str, measured: dict[str, Any]) -> dict[str, Any]:
    dimensions = {"EndpointName": wanted.name, "VariantName": VARIANT}
    return {
        "AlarmName": f"{wanted.name}-{name}",
        "AlarmDescription": f"{wanted.name}: {says}",
        "Dimensions": [{"Name": key, "Value": value} for key, value in dimensions.items()],
        "Period": 60,
        "AlarmActions": [wanted.topic] if wanted.topic else [],
        **measured,
    }


def _digest(properties: Properties) -> str:
    return hashlib.sha256(json.dumps(properties, sort_keys=True).encode()).hexdigest()[:10]
