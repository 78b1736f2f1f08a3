#!/usr/bin/env bash
# Installs the tools of the tests of the chart and of the workflows in the user's cache: promtool and prometheus from the Debian package
# of Prometheus; helm, kubeconform, kube-score, nsc, actionlint and the schemas of Kubernetes, the Prometheus operator, the Gateway API
# and KEDA from their Go modules. With --cluster also etcd, kube-apiserver and kube-controller-manager, for
# tests/deploy/helm-install.faults.test.ts. Requires apt, Go and a Go module proxy. The first run takes three to six minutes for each
# group on two cores. Tests that lack a tool report it and are skipped.
set -euo pipefail
helm=v3.22.0 kubeconform=v0.8.0 kubernetes=v1.32.0 etcd=v3.5.16 operator=v0.79.2
score=v1.20.0 gateway=v1.2.1 keda=v2.16.1 nsc=v2.8.6 actionlint=v1.7.7

repo=$(cd "$(dirname "$0")/../.." && pwd)
tools=${XDG_CACHE_HOME:-$HOME/.cache}/marketing-platform/k8s-tools
mkdir -p "$tools"
module() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p'; }

# Does not need root; apt verifies the package. Programs that are already installed work as well.
prometheus_tools() {
  local folder
  folder=$(mktemp -d)
  "$repo/node_modules/.bin/node" --input-type=module --eval "
    const { fetchDebianPackage } = await import('$repo/libs/local-infra/src/fetch-debian.ts');
    await fetchDebianPackage('prometheus', 'usr/bin/promtool', '$folder', console.error);
  "
  install -m 755 "$folder/unpacked/usr/bin/promtool" "$folder/unpacked/usr/bin/prometheus" "$tools/"
  rm -rf "$folder"
}

chart_tools() {
  GOBIN=$tools go install "helm.sh/helm/v3/cmd/helm@$helm"
  GOBIN=$tools go install "github.com/yannh/kubeconform/cmd/kubeconform@$kubeconform"
  install -m 644 "$(module "k8s.io/kubernetes@$kubernetes")/api/openapi-spec/swagger.json" "$tools/kubernetes.json"
  local crds
  crds=$(module "github.com/prometheus-operator/prometheus-operator@$operator")/example/prometheus-operator-crd
  install -m 644 "$crds/monitoring.coreos.com_servicemonitors.yaml" "$crds/monitoring.coreos.com_prometheusrules.yaml" "$tools/"
}

score_tools() {
  GOBIN=$tools go install "github.com/zegl/kube-score/cmd/kube-score@$score"
  install -m 644 "$(module "sigs.k8s.io/gateway-api@$gateway")/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml" \
    "$(module "github.com/kedacore/keda/v2@$keda")/config/crd/bases/keda.sh_scaledobjects.yaml" "$tools/"
}

actionlint_tool() { GOBIN=$tools go install "github.com/rhysd/actionlint/cmd/actionlint@$actionlint"; }

nsc_tool() {
  local sources
  sources=$(module "github.com/nats-io/nsc/v2@$nsc")
  (cd "$sources" && go build -o "$tools/nsc" .)
}

# The module of Kubernetes refers to its parts by folders that the download lacks, so a second module builds it from the
# published parts.
cluster() {
  local build sources part
  build=$(mktemp -d)
  sources=$(module "k8s.io/kubernetes@$kubernetes")
  cd "$build"
  go mod init local/cluster 2>/dev/null
  go mod edit -require "k8s.io/kubernetes@$kubernetes" -require "go.etcd.io/etcd/server/v3@$etcd"
  for part in $(sed -n 's|^\t\(k8s.io/.*\) => ./staging/.*|\1|p' "$sources/go.mod"); do
    go mod edit -replace "$part=$part@v0${kubernetes#v1}"
  done
  go build -mod=mod -o "$tools/etcd" go.etcd.io/etcd/server/v3
  # Helm requests the version.
  go build -mod=mod -ldflags="-s -w -X k8s.io/component-base/version.gitVersion=$kubernetes" -o "$tools/" \
    k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kube-controller-manager
  cd - >/dev/null
  rm -rf "$build"
}

once() { # mark, work, its files: again if one of them has gone
  local mark=$tools/$1 work=$2 file
  shift 2
  for file in "$@"; do [ -s "$tools/$file" ] || rm -f "$mark"; done
  [ ! -e "$mark" ] || return 0
  "$work"
  touch "$mark"
}

command -v promtool prometheus >/dev/null || [ -e "$tools/prometheus" ] || prometheus_tools
once "$helm-$kubeconform-$kubernetes-$operator" chart_tools helm kubeconform kubernetes.json \
  monitoring.coreos.com_servicemonitors.yaml monitoring.coreos.com_prometheusrules.yaml
once "$score-$gateway-$keda" score_tools kube-score gateway.networking.k8s.io_httproutes.yaml keda.sh_scaledobjects.yaml
once "nsc-$nsc" nsc_tool nsc
once "actionlint-$actionlint" actionlint_tool actionlint
[ "${1:-}" != --cluster ] || once "$kubernetes-$etcd" cluster etcd kube-apiserver kube-controller-manager
