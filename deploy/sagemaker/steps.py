"""Plan the steps that change an endpoint at AWS from its present state to a plan, or remove it. Without changes, no steps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from botocore.exceptions import WaiterError

from deploy.sagemaker.account import Account, covers, tags
from deploy.sagemaker.errors import DeployError
from deploy.sagemaker.plan import Plan, Properties, log_group


@dataclass(frozen=True, slots=True)
class Step:
    sentence: str
    run: Callable[[], object]


def deployment(account: Account, plan: Plan) -> list[Step]:
    """Plan a deployment, without changes. Raises DeployError if the endpoint was not created by this program."""
    found = account.endpoint(plan.name)
    if found is not None and not account.owns(plan.name, found):
        raise DeployError(f"an endpoint {plan.name} exists that was not created by this program; choose another name")
    return [*_parts(account, plan), *_service(account, plan, found), *_watching(account, plan), *_old(account, plan)]


def teardown(account: Account, name: str) -> list[Step]:
    """Plan the removal of everything that belongs to an endpoint, without changes."""
    return list(_removals(account, name))


def _parts(account: Account, plan: Plan) -> Iterator[Step]:
    """Yield the steps that create the parts that an endpoint needs before its start."""
    name, model, config = plan.name, plan.model, plan.config
    group = account.log_group(name)
    if group is None:
        make = partial(account.make_log_group, name, plan.log_group)
        yield Step(f"make the log group {plan.log_group['logGroupName']}", make)
    elif not covers(group, plan.log_group):
        keep = partial(account.logs.put_retention_policy, **plan.log_group)
        yield Step(f"keep logs for {plan.log_group['retentionInDays']} days", keep)
    if account.model(model["ModelName"]) is None:
        make = partial(account.sagemaker.create_model, **model, Tags=tags(name))
        yield Step(f"make the model {model['ModelName']}", make)
    if account.config(config["EndpointConfigName"]) is None:
        make = partial(account.sagemaker.create_endpoint_config, **config, Tags=tags(name))
        yield Step(f"make the endpoint configuration {config['EndpointConfigName']}", make)


def _service(account: Account, plan: Plan, found: Properties | None) -> Iterator[Step]:
    """Yield the steps after which an endpoint is in service with the planned configuration and scaling."""
    name = plan.name
    put_scaling = Step("put scaling in place", partial(account.put_scaling, plan.target, plan.policy))
    if found is not None and found["EndpointStatus"] == "Failed":
        yield Step(f"remove the endpoint {name}, which failed", partial(_remove_endpoint, account, name))
        found = None
    if found is None:
        make = partial(account.sagemaker.create_endpoint, **plan.endpoint, Tags=tags(name))
        yield Step(f"make the endpoint {name}", make)
    elif found["EndpointConfigName"] != plan.endpoint["EndpointConfigName"]:
        yield Step(f"update the endpoint {name} while it serves", partial(_update, account, plan))
        return
    if found is None or found["EndpointStatus"] != "InService":
        yield Step(f"wait until {name} is in service", partial(_wait_for_service, account, plan))
    policies = account.policies(name)
    if not (covers(account.target(name), plan.target) and any(covers(policy, plan.policy) for policy in policies)):
        yield put_scaling


def _update(account: Account, plan: Plan) -> None:
    """Update the endpoint: new instances start, and then replace the running ones. Raises DeployError.

    Scaling is removed during the update: AWS refuses to change the type of scaled instances, and does not scale meanwhile.
    """
    account.wait("in_service", plan.name)
    if account.target(plan.name) is not None:
        account.remove_scaling(plan.name)
    try:
        account.sagemaker.update_endpoint(**plan.endpoint, RetainAllVariantProperties=True)
        _wait_for_service(account, plan)
    finally:
        account.put_scaling(plan.target, plan.policy)


def _wait_for_service(account: Account, plan: Plan) -> None:
    """Wait for the endpoint. Raises DeployError if the new configuration fails; then SageMaker undoes the update."""
    name = plan.name
    try:
        account.wait("in_service", name)
        found = account.endpoint(name) or {}
    except WaiterError as error:
        found = error.last_response
    if found.get("EndpointConfigName") != plan.endpoint["EndpointConfigName"] or found["EndpointStatus"] != "InService":
        reason = found.get("FailureReason", "AWS gave no reason")
        raise DeployError(
            f"{name} is not in service: {reason}; see its log {log_group(name)} and run this command again"
        )


def _watching(account: Account, plan: Plan) -> Iterator[Step]:
    there = account.alarms(plan.name)
    for alarm in plan.alarms:
        if not covers(there.get(alarm["AlarmName"]), alarm):
            put = partial(account.cloudwatch.put_metric_alarm, **alarm, Tags=tags(plan.name))
            yield Step(f"put the alarm {alarm['AlarmName']} in place", put)


def _old(account: Account, plan: Plan) -> Iterator[Step]:
    """Yield the steps that remove the parts of earlier plans."""
    name = plan.name
    yield from _remove_configs(
        account, [old for old in account.configs(name) if old != plan.config["EndpointConfigName"]]
    )
    yield from _remove_models(account, [old for old in account.models(name) if old != plan.model["ModelName"]])
    planned = {alarm["AlarmName"] for alarm in plan.alarms}
    yield from _remove_alarms(account, sorted(account.alarms(name).keys() - planned))


def _removals(account: Account, name: str) -> Iterator[Step]:
    endpoint, group = account.endpoint(name), account.log_group(name)
    if endpoint is not None and account.owns(name, endpoint):
        if account.target(name) is not None:
            yield Step("remove scaling", partial(account.remove_scaling, name))
        yield Step(f"remove the endpoint {name}", partial(_remove_endpoint, account, name))
    yield from _remove_configs(account, account.configs(name))
    yield from _remove_models(account, account.models(name))
    yield from _remove_alarms(account, sorted(account.alarms(name)))
    if group is not None and account.owns(name, group):
        remove = partial(account.logs.delete_log_group, logGroupName=log_group(name))
        yield Step(f"remove the log group {log_group(name)}", remove)


def _remove_endpoint(account: Account, name: str) -> None:
    account.sagemaker.delete_endpoint(EndpointName=name)
    account.wait("deleted", name)


def _remove_configs(account: Account, names: list[str]) -> Iterator[Step]:
    for name in names:
        remove = partial(account.sagemaker.delete_endpoint_config, EndpointConfigName=name)
        yield Step(f"remove the endpoint configuration {name}", remove)


def _remove_models(account: Account, names: list[str]) -> Iterator[Step]:
    for name in names:
        yield Step(f"remove the model {name}", partial(account.sagemaker.delete_model, ModelName=name))


def _remove_alarms(account: Account, names: list[str]) -> Iterator[Step]:
    if names:
        remove = partial(account.cloudwatch.delete_alarms, AlarmNames=names)
        yield Step(f"remove the alarms {', '.join(names)}", remove)
