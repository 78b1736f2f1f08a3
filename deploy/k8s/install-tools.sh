#!/usr/bin/env bash
# Makes what tests/deploy/chart.test.ts needs, in the user's cache: helm and kubeconform from their Go modules, and the
# schemas of Kubernetes and of the Prometheus operator's objects from theirs. Needs Go and a Go module proxy; minutes the
# first time, nothing after that. The tests that need these tools say so and are skipped where they are not.
set -euo pipefail
helm=v3.22.0 kubeconform=v0.8.0 kubernetes=v1.32.0 operator=v0.79.2

tools=${XDG_CACHE_HOME:-$HOME/.cache}/marketing-platform/k8s-tools
done_mark=$tools/$helm-$kubeconform-$kubernetes-$operator
[ ! -e "$done_mark" ] || exit 0
mkdir -p "$tools"

GOBIN=$tools go install "helm.sh/helm/v3/cmd/helm@$helm"
GOBIN=$tools go install "github.com/yannh/kubeconform/cmd/kubeconform@$kubeconform"

module() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p'; }
install -m 644 "$(module "k8s.io/kubernetes@$kubernetes")/api/openapi-spec/swagger.json" "$tools/kubernetes.json"
crds=$(module "github.com/prometheus-operator/prometheus-operator@$operator")/example/prometheus-operator-crd
install -m 644 "$crds/monitoring.coreos.com_servicemonitors.yaml" "$crds/monitoring.coreos.com_prometheusrules.yaml" "$tools/"

touch "$done_mark"
