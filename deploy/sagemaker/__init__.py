"""Champions on AWS SageMaker: an endpoint with its scaling, log group and alarms; `README.md` has the commands."""
