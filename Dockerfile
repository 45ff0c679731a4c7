# syntax=docker/dockerfile:1
# Targets: `studio`, the last and so the default, and `triton`: a Triton server with the studio as its engine.
# CUDA comes with torch's own packages, so that a plain Debian is enough; the host brings the driver.

FROM debian:bookworm-slim AS base
# Engines compile kernels for the GPU they find: that takes a compiler and Python's headers.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ python3-dev \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 1000 --home-dir /data --create-home studio
ENV PYTHONDONTWRITEBYTECODE=1 \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility \
    STUDIO_HOST=0.0.0.0 \
    STUDIO_PORT=7860 \
    STUDIO_DATA_DIR=/data
WORKDIR /app

FROM base AS installer
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && python3 -m venv /opt/uv \
    && /opt/uv/bin/pip install --no-cache-dir uv==0.13.8
ENV UV_LINK_MODE=copy

FROM installer AS packages
COPY requirements.txt ./
RUN --mount=type=cache,target=/root/.cache/uv \
    /opt/uv/bin/uv venv --python /usr/bin/python3 .venv \
    && /opt/uv/bin/uv pip install --compile-bytecode --no-deps --require-hashes -r requirements.txt

# Triton's Python backend needs an older numpy than the studio, hence an environment of its own.
FROM packages AS triton-packages
COPY requirements-triton.txt ./
RUN --mount=type=cache,target=/root/.cache/uv \
    /opt/uv/bin/uv pip install supervisor==4.3.0 \
    && /opt/uv/bin/uv venv --python /usr/bin/python3 .venv/triton \
    && /opt/uv/bin/uv pip install --no-deps --require-hashes -r requirements-triton.txt --python .venv/triton/bin/python

# nvidia-pytriton's server, which is tested here, instead of NVIDIA's image with 20 GB of frameworks and another Python.
FROM base AS triton
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends haproxy \
    && rm -rf /var/lib/apt/lists/*
COPY --from=triton-packages /app/.venv .venv
COPY . .
RUN .venv/bin/python -m compileall -q app.py deploy engines studio
ENV PYTHON=/app/.venv/bin/python \
    TRITONSERVER=/app/deploy/tritonserver
LABEL com.amazonaws.sagemaker.capabilities.multi-models=true \
    com.amazonaws.sagemaker.capabilities.accept-bind-to-port=true
USER 1000
EXPOSE 8080 8001
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s \
    CMD [".venv/bin/python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8080/v2/health/ready', timeout=5)"]
ENTRYPOINT ["deploy/triton/serve"]

FROM base AS studio
COPY --from=packages /app/.venv .venv
COPY . .
RUN .venv/bin/python -m compileall -q app.py deploy engines studio
# WARM_KERNELS=on, where the build sees a GPU: the kernels of these checkpoints are compiled now, not at the first start.
ARG WARM_KERNELS=off
ARG F5_CHECKPOINT=embedded
ARG S1_CHECKPOINT=embedded
ENV STUDIO_F5_CHECKPOINT=$F5_CHECKPOINT \
    STUDIO_S1_CHECKPOINT=$S1_CHECKPOINT
RUN --mount=type=cache,target=/root/.cache --mount=type=secret,id=HF_TOKEN,env=HF_TOKEN \
    if [ "$WARM_KERNELS" = on ]; then .venv/bin/python -m deploy.warming kernels; fi
LABEL com.amazonaws.sagemaker.capabilities.bidirectional-streaming=true
USER 1000
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
    CMD [".venv/bin/python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"STUDIO_PORT\"]}/health', timeout=5)"]
ENTRYPOINT ["deploy/start"]
