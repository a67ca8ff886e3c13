#!/bin/sh
# Prints a kubeconfig with which a pipeline can look at the hub, and do nothing else. KUBECONFIG is yours of the hub.
set -eu
here=$(dirname "$0")
kubectl apply -f "$here/pipeline.yaml" >&2
token=$(kubectl create token pipeline -n prod --duration "${DURATION:-8760h}")
server=$(kubectl config view --minify -o jsonpath='{.clusters[0].cluster.server}')
ca=$(kubectl config view --raw --minify --flatten -o jsonpath='{.clusters[0].cluster.certificate-authority-data}')
cat <<EOF
apiVersion: v1
kind: Config
current-context: hub
clusters:
- name: hub
  cluster:
    server: $server
    certificate-authority-data: $ca
users:
- name: pipeline
  user:
    token: $token
contexts:
- name: hub
  context:
    cluster: hub
    user: pipeline
    namespace: prod
EOF
