package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestExpectationsAreMetIndependently(t *testing.T) {
	a, b := place{"eu", "deployments", "a"}, place{"eu", "deployments", "b"}
	o := newObserver()
	o.see(a, 4)
	both, one := o.expect([]place{a, b}), o.expect([]place{a})

	o.see(a, 4)
	n, _ := one.missing()
	require.Equal(t, 1, n, "what was there is not newer")
	o.see(a, 5)
	require.NotZero(t, <-one.met)
	n, left := both.missing()
	require.Equal(t, 1, n)
	require.Equal(t, b, left)
	o.see(b, 0)
	require.NotZero(t, <-both.met, "what was not there is new, whatever its generation")
	require.Empty(t, o.expected)
}

func TestWhatStands(t *testing.T) {
	for name, c := range map[string]struct {
		status            map[string]any
		stands, rolledOut bool
	}{
		"nobody has looked":      {nil, false, false},
		"an older one observed":  {map[string]any{"observedGeneration": int64(2), "replicas": int64(2), "updatedReplicas": int64(2), "availableReplicas": int64(2)}, false, false},
		"observed, pods are old": {map[string]any{"observedGeneration": int64(3), "replicas": int64(2), "availableReplicas": int64(2)}, true, false},
		"one old pod is left":    {map[string]any{"observedGeneration": int64(3), "replicas": int64(3), "updatedReplicas": int64(2), "availableReplicas": int64(2)}, true, false},
		"all pods replaced":      {map[string]any{"observedGeneration": int64(3), "replicas": int64(2), "updatedReplicas": int64(2), "availableReplicas": int64(2)}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{
				"metadata": map[string]any{"generation": int64(3)}, "spec": map[string]any{"replicas": int64(2)},
			}}
			if c.status != nil {
				u.Object["status"] = c.status
			}
			require.Equal(t, c.stands, stands(u))
			require.Equal(t, c.rolledOut, rolledOut(u))
		})
	}
}
