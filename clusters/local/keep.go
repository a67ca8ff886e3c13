//go:build keep

package local

// k8s.io/kubernetes requires these two at v0.0.0, which does not exist. Nothing of them is used; a requirement of a real
// version keeps "go list -m all" and "go mod graph" working without a replace directive.
import (
	_ "k8s.io/cri-streaming/pkg/streaming"
	_ "k8s.io/sample-apiserver/pkg/apis/wardle"
)
