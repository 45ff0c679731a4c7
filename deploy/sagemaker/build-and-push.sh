#!/usr/bin/env bash
# Build an image of the repository's Dockerfile and push it to ECR; a missing ECR repository is created.
#   deploy/sagemaker/build-and-push.sh studio|triton [NAME[:TAG]]
# The last line of the output is the name of the image, for `python -m deploy.sagemaker deploy --image`.
set -euo pipefail

target=${1:-}
if [ "$target" != studio ] && [ "$target" != triton ]; then
    echo "usage: $0 studio|triton [NAME[:TAG]]" >&2
    exit 2
fi
name=${2:-champion-$target}
if [[ $name != *:* ]]; then name=$name:$(git -C "$(dirname "$0")" rev-parse --short HEAD); fi
repository=${name%:*}

region=${AWS_REGION:-${AWS_DEFAULT_REGION:-$(aws configure get region)}}
account=$(aws sts get-caller-identity --query Account --output text)
registry=$account.dkr.ecr.$region.amazonaws.com

aws ecr describe-repositories --region "$region" --repository-names "$repository" >/dev/null 2>&1 ||
    aws ecr create-repository --region "$region" --repository-name "$repository" >/dev/null
aws ecr get-login-password --region "$region" | docker login --username AWS --password-stdin "$registry" >&2
# SageMaker runs amd64 and cannot read an image index, which attestations would create.
docker build --platform linux/amd64 --provenance=false --target "$target" --tag "$registry/$name" "$(dirname "$0")/../.." >&2
docker push "$registry/$name" >&2
echo "$registry/$name"
