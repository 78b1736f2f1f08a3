#!/usr/bin/env bash
# Runs the tests with MongoDB and NATS in containers: the official images or, if they cannot be pulled, local images of the
# servers that libs/local-infra finds.
#
#   deploy/docker/test-in-containers.sh                   the whole suite
#   deploy/docker/test-in-containers.sh libs/service-kit  the files with this in their path
#
# Requires a Docker engine; building images also requires Debian or Ubuntu with debootstrap (root).
set -euo pipefail
cd "$(dirname "$0")/../.."

docker info >/dev/null || { echo 'The Docker engine is not reachable.' >&2; exit 1; }
node scripts/install.mjs

if docker pull --quiet mongo:8 && docker pull --quiet nats:2; then
  echo 'using mongo:8 and nats:2'
else
  docker image inspect mp-local/mongo mp-local/nats >/dev/null 2>&1 || deploy/docker/local-base-images.sh
  export TEST_MONGO_IMAGE=mp-local/mongo TEST_NATS_IMAGE=mp-local/nats
  # Ryuk, which cleans up after killed runs, is an image that cannot be pulled either.
  export TESTCONTAINERS_RYUK_DISABLED=true
  echo 'cannot pull images; using mp-local/mongo and mp-local/nats'
fi
TEST_INFRA=containers npm test -- "$@"
