"""UpdateEndpoint, which moto lacks: it takes effect after a few reads of the endpoint, or is rolled back."""

import pytest
from moto.core.responses import ActionResult
from moto.sagemaker.models import sagemaker_backends
from moto.sagemaker.responses import SageMakerResponse

REGION = "us-east-1"
ACCOUNT = "123456789012"
LOOKS = 2  # reads of an updating endpoint until it is in service


class Updates:
    """Updates of the account's endpoints; each read advances them."""

    def __init__(self) -> None:
        self.breaks = False
        self.served: list[str] = []  # configurations that serve while another one starts
        self._coming: dict[str, tuple[str, int]] = {}
        self.backend = sagemaker_backends[ACCOUNT][REGION]
        self.describe = SageMakerResponse.describe_endpoint

    def update_endpoint(self, response: SageMakerResponse) -> ActionResult:
        name, config = response._get_param("EndpointName"), response._get_param("EndpointConfigName")
        self.backend.describe_endpoint_config(config)
        assert (
            response._get_param("RetainAllVariantProperties") is True
        )  # otherwise the number of instances is reset to one
        self._coming[name] = config, 0
        self.backend.endpoints[name].endpoint_status = "Updating"
        return ActionResult({"EndpointArn": self.backend.endpoints[name].arn})

    def describe_endpoint(self, response: SageMakerResponse) -> ActionResult:
        name = response._get_param("EndpointName")
        if name in self._coming:
            self._look(name, *self._coming[name])
        return self.describe(response)

    def _look(self, name: str, config: str, looks: int) -> None:
        endpoint = self.backend.endpoints[name]
        self.backend.describe_endpoint_config(endpoint.endpoint_config_name)
        self.served.append(endpoint.endpoint_config_name)
        self._coming[name] = config, looks + 1
        if looks == LOOKS:
            del self._coming[name]
            endpoint.endpoint_status = "InService"
            endpoint.failure_reason = "it failed its health check" if self.breaks else None
            endpoint.endpoint_config_name = endpoint.endpoint_config_name if self.breaks else config

    def play(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Add the operation to moto's server."""

        def update_endpoint(response: SageMakerResponse) -> ActionResult:
            return self.update_endpoint(response)

        def describe_endpoint(response: SageMakerResponse) -> ActionResult:
            return self.describe_endpoint(response)

        monkeypatch.setattr(SageMakerResponse, "update_endpoint", update_endpoint, raising=False)
        monkeypatch.setattr(SageMakerResponse, "describe_endpoint", describe_endpoint)
