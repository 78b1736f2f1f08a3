#!/usr/bin/env bash
# Runs the tests on a MongoDB and a NATS in containers: the images that users have or, where none can be pulled, images
# made here of the servers that libs/local-infra found.
#
#   deploy/docker/test-in-containers.sh                   the whole suite
#   deploy/docker/test-in-containers.sh libs/service-kit  the files with this in their path
#
# Needs a Docker engine; to make images also Debian or Ubuntu with debootstrap (root).
set -euo pipefail
cd "$(dirname "$0")/../.."

docker info >/dev/null || { echo 'No Docker engine answers.' >&2; exit 1; }
node scripts/install.mjs
# Not among the dependencies: it brings a tree of its own for what few need.
node --input-type=module -e 'await import("testcontainers")' 2>/dev/null || npm install --no-save --ignore-scripts testcontainers

if docker pull --quiet mongo:8 && docker pull --quiet nats:2; then
  echo 'with mongo:8 and nats:2'
else
  docker image inspect mp-local/mongo mp-local/nats >/dev/null 2>&1 || deploy/docker/local-base-images.sh
  export TEST_MONGO_IMAGE=mp-local/mongo TEST_NATS_IMAGE=mp-local/nats
  # Ryuk clears away what a killed run left behind, and is an image that would have to be pulled.
  export TESTCONTAINERS_RYUK_DISABLED=true
  echo 'no image can be pulled: with mp-local/mongo and mp-local/nats'
fi
TEST_INFRA=containers npm test -- "$@"
