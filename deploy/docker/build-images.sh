#!/usr/bin/env bash
# Builds the six images, mp/gateway … mp/workflows, from the latest commit or, with --worktree, from the working tree.
# IMAGE_PREFIX and IMAGE_TAG name them; BUILD_BASE and RUN_BASE replace the base images; DOCKER_BUILD_FLAGS are passed on.
set -euo pipefail
cd "$(dirname "$0")/../.."

context=$PWD
if [ "${1:-}" = --worktree ]; then shift; else
  context=$(mktemp -d)
  trap 'rm -rf "$context"' EXIT
  git archive HEAD | tar -x -C "$context"
fi

services=("$@")
# shellcheck disable=SC2207
[ "${#services[@]}" -gt 0 ] || services=($(ls services))
for service in "${services[@]}"; do
  image=${IMAGE_PREFIX:-mp}/$service:${IMAGE_TAG:-latest}
  # shellcheck disable=SC2086
  docker build ${DOCKER_BUILD_FLAGS:-} -f "$context/deploy/docker/Dockerfile" -t "$image" --build-arg "SERVICE=$service" \
    ${BUILD_BASE:+--build-arg "BUILD_BASE=$BUILD_BASE"} ${RUN_BASE:+--build-arg "RUN_BASE=$RUN_BASE"} "$context"
done
docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}' | grep "^${IMAGE_PREFIX:-mp}/"
