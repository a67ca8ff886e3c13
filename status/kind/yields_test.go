package kind_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/status/interpret"
)

// TestYields is Karmada §6.3, §6.10 and §6.11: what is retained there and could be fought over here, and nothing else.
func TestYields(t *testing.T) {
	suspend := []string{"spec.suspend"}
	want := map[schema.GroupKind][]string{
		{Kind: "Pod"}:                   {"spec.nodeName", "spec.serviceAccountName"},
		{Kind: "Service"}:               {"spec.clusterIP", "spec.clusterIPs", "spec.healthCheckNodePort"},
		{Kind: "ServiceAccount"}:        {"imagePullSecrets"},
		{Kind: "PersistentVolumeClaim"}: {"spec.volumeName"},
		{Kind: "PersistentVolume"}:      {"spec.claimRef"},
		{Group: "batch", Kind: "Job"}:   {"spec.selector"},

		{Group: "argoproj.io", Kind: "Workflow"}:                      suspend,
		{Group: "helm.toolkit.fluxcd.io", Kind: "HelmRelease"}:        suspend,
		{Group: "kustomize.toolkit.fluxcd.io", Kind: "Kustomization"}: suspend,
		{Group: "source.toolkit.fluxcd.io", Kind: "GitRepository"}:    suspend,
		{Group: "source.toolkit.fluxcd.io", Kind: "OCIRepository"}:    suspend,
		{Group: "source.toolkit.fluxcd.io", Kind: "Bucket"}:           suspend,
		{Group: "source.toolkit.fluxcd.io", Kind: "HelmRepository"}:   suspend,
		{Group: "source.toolkit.fluxcd.io", Kind: "HelmChart"}:        suspend,
	}
	got := map[schema.GroupKind][]string{}
	for _, gk := range interpret.Kinds() {
		k := interpret.Of(gk)
		if k.Yields != nil {
			got[gk] = k.Yields
		}
	}
	require.Equal(t, want, got)
}
