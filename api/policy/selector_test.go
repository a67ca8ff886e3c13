package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func TestResourceSelectorMatch(t *testing.T) {
	web := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"namespace": "shop", "name": "web", "labels": map[string]any{"app": "x"}},
	}}
	for _, c := range []struct {
		name, selector string
		want           int
	}{
		{"kind only", `{apiVersion: apps/v1, kind: Deployment}`, MatchKind},
		{"other version of the group (B30)", `{apiVersion: apps/v1beta2, kind: Deployment}`, MatchKind},
		{"other group", `{apiVersion: extensions/v1, kind: Deployment}`, NoMatch},
		{"core group is another group", `{apiVersion: v1, kind: Deployment}`, NoMatch},
		{"apiVersion that is none", `{apiVersion: a/b/c, kind: Deployment}`, NoMatch},
		{"other kind", `{apiVersion: apps/v1, kind: StatefulSet}`, NoMatch},
		{"its namespace", `{apiVersion: apps/v1, kind: Deployment, namespace: shop}`, MatchKind},
		{"other namespace", `{apiVersion: apps/v1, kind: Deployment, namespace: a, name: web}`, NoMatch},
		{"by name", `{apiVersion: apps/v1, kind: Deployment, name: web}`, MatchName},
		{"other name", `{apiVersion: apps/v1, kind: Deployment, name: api}`, NoMatch},
		{"by name, labels not consulted", `{apiVersion: apps/v1, kind: Deployment, name: web, labelSelector: {matchLabels: {app: y}}}`, MatchName},
		{"other name, labels not consulted", `{apiVersion: apps/v1, kind: Deployment, name: api, labelSelector: {matchLabels: {app: x}}}`, NoMatch},
		{"by label", `{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: x}}}`, MatchLabel},
		{"other label", `{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: y}}}`, NoMatch},
		{"empty label selector", `{apiVersion: apps/v1, kind: Deployment, labelSelector: {}}`, MatchLabel},
		{"invalid label selector", `{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchExpressions: [{key: app, operator: Like}]}}`, NoMatch},
	} {
		t.Run("Karmada §2.1/"+c.name, func(t *testing.T) {
			var s ResourceSelector
			require.NoError(t, yaml.UnmarshalStrict([]byte(c.selector), &s))
			require.Equal(t, c.want, s.Match(web))
		})
	}
}
