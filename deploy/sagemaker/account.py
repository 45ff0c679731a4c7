"""Read, create and remove the parts of an endpoint in an AWS account. boto3 chooses region and credentials."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import boto3
from botocore.exceptions import ClientError

from deploy.sagemaker.plan import OWNER_TAG, Properties, log_group, scaled

POLL_S = 15.0
PATIENCE_S = 3_600.0
Answer = TypeVar("Answer")


class Account:
    """An AWS account. Methods for one part return None if missing."""

    def __init__(self, poll_s: float = POLL_S) -> None:
        """Connect to AWS. `poll_s` is the pause between checks of an endpoint that starts or stops."""
        self.sagemaker = boto3.client("sagemaker")
        self.scaling = boto3.client("application-autoscaling")
        self.cloudwatch = boto3.client("cloudwatch")
        self.logs = boto3.client("logs")
        self._waiting = {"Delay": poll_s, "MaxAttempts": int(PATIENCE_S / max(poll_s, 1.0))}

    # Reading.

    def endpoint(self, name: str) -> Properties | None:
        return _unless_missing(lambda: self.sagemaker.describe_endpoint(EndpointName=name))

    def model(self, name: str) -> Properties | None:
        return _unless_missing(lambda: self.sagemaker.describe_model(ModelName=name))

    def config(self, name: str) -> Properties | None:
        return _unless_missing(lambda: self.sagemaker.describe_endpoint_config(EndpointConfigName=name))

    def models(self, name: str) -> list[str]:
        """Return the models of an endpoint."""
        return list(self._made_for(name, "list_models", "Models", "Model"))

    def configs(self, name: str) -> list[str]:
        return list(self._made_for(name, "list_endpoint_configs", "EndpointConfigs", "EndpointConfig"))

    def target(self, name: str) -> Properties | None:
        where = scaled(name)
        found = self.scaling.describe_scalable_targets(
            ServiceNamespace=where["ServiceNamespace"], ResourceIds=[where["ResourceId"]]
        )
        return next(iter(found["ScalableTargets"]), None)

    def policies(self, name: str) -> list[Properties]:
        return list(self.scaling.describe_scaling_policies(**scaled(name))["ScalingPolicies"])

    def alarms(self, name: str) -> dict[str, Properties]:
        """Return the alarms of an endpoint by name."""
        pages = self.cloudwatch.get_paginator("describe_alarms").paginate(AlarmNamePrefix=f"{name}-")
        found = [alarm for page in pages for alarm in page["MetricAlarms"]]
        return {alarm["AlarmName"]: alarm for alarm in found if self._is_for(name, alarm["AlarmArn"])}

    def log_group(self, name: str) -> Properties | None:
        pages = self.logs.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=log_group(name))
        groups = (group for page in pages for group in page["logGroups"])
        return next((group for group in groups if group["logGroupName"] == log_group(name)), None)

    def owns(self, name: str, part: Properties) -> bool:
        """Return True if an endpoint or its log group was created by this program."""
        if "EndpointArn" in part:
            return self._tags(part["EndpointArn"]).get(OWNER_TAG) == name
        arn = part["arn"].removesuffix(":*")
        return self.logs.list_tags_for_resource(resourceArn=arn)["tags"].get(OWNER_TAG) == name

    # Changing.

    def make_log_group(self, name: str, properties: Properties) -> None:
        self.logs.create_log_group(logGroupName=log_group(name), tags={OWNER_TAG: name})
        self.logs.put_retention_policy(**properties)

    def put_scaling(self, target: Properties, policy: Properties) -> None:
        self.scaling.register_scalable_target(**target)
        self.scaling.put_scaling_policy(**policy)

    def remove_scaling(self, name: str) -> None:
        for policy in self.policies(name):
            self.scaling.delete_scaling_policy(PolicyName=policy["PolicyName"], **scaled(name))
        self.scaling.deregister_scalable_target(**scaled(name))

    def wait(self, state: str, name: str) -> None:
        """Wait until the endpoint is `in_service` or `deleted`. Raises WaiterError if it fails."""
        self.sagemaker.get_waiter(f"endpoint_{state}").wait(EndpointName=name, WaiterConfig=self._waiting)

    def _made_for(self, name: str, operation: str, listed: str, kind: str) -> Iterator[str]:
        for page in self.sagemaker.get_paginator(operation).paginate(NameContains=name):
            for one in page[listed]:
                if one[f"{kind}Name"].startswith(f"{name}-") and self._tags(one[f"{kind}Arn"]).get(OWNER_TAG) == name:
                    yield one[f"{kind}Name"]

    def _is_for(self, name: str, alarm_arn: str) -> bool:
        tags = self.cloudwatch.list_tags_for_resource(ResourceARN=alarm_arn)["Tags"]
        return {"Key": OWNER_TAG, "Value": name} in tags

    def _tags(self, arn: str) -> Mapping[str, str]:
        pages = self.sagemaker.get_paginator("list_tags").paginate(ResourceArn=arn)
        return {tag["Key"]: tag["Value"] for page in pages for tag in page["Tags"]}


def _unless_missing(describe: Callable[[], Answer]) -> Answer | None:
    try:
        return describe()
    except ClientError as error:
        if "Could not find" in str(error):
            return None
        raise


def tags(name: str) -> list[dict[str, str]]:
    """Return the tags that everything of an endpoint has."""
    return [{"Key": OWNER_TAG, "Value": name}]


def covers(found: Any, planned: Any) -> bool:
    """Return True if AWS's answer contains all planned values. AWS adds defaults."""
    if isinstance(planned, Mapping):
        return isinstance(found, Mapping) and all(covers(found.get(key), value) for key, value in planned.items())
    if isinstance(planned, list):
        return isinstance(found, list) and len(found) == len(planned) and all(map(covers, found, planned))
    return bool(found == planned)
