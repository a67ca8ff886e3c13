package manifest

import (
	"encoding/json"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/internal/compact"
)

// A packed manifest is as it was after its tree is garbage, and nobody sees two trees of it.
func TestPackedManifestComesBack(t *testing.T) {
	var texts compact.Texts
	for name, value := range map[string]any{
		"text": "a \u00e4 \\ \" \n", "integer": int64(math.MaxInt64), "fraction": 0.1, "whole": float64(3), "large": 1e21, "not a number": math.NaN(),
		"nothing": nil, "yes": true, "empty": []any{map[string]any{}, []any{}}, "no list": []any(nil), "no map": map[string]any(nil), "no UTF-8": "\xff",
	} {
		t.Run(name, func(t *testing.T) {
			managers := []any{map[string]any{"fieldsV1": map[string]any{"f:a": map[string]any{}}}}
			want := map[string]any{"kind": "Test", "metadata": map[string]any{"name": name, "labels": map[string]any{"a": "b"}, "managedFields": managers}, "value": value}
			u := &unstructured.Unstructured{Object: map[string]any{}}
			for key, value := range want {
				u.Object[key] = value
			}
			text, err := json.Marshal(want)
			if err != nil {
				text = []byte("NaN")
			}
			if name == "no UTF-8" {
				text = []byte(`{"value":"` + "\xff" + `"}`)
			}
			p := Pack(u, text, &texts)
			require.Same(t, u, p.Get())
			u = nil
			for range 3 {
				runtime.GC()
			}
			if name == "not a number" { // it does not equal itself
				require.True(t, math.IsNaN(p.Get().Object["value"].(float64)))
				return
			}
			again := p.Get()
			require.Equal(t, want, again.Object)
			require.Same(t, again, p.Get())

			alone := p.Copy()
			require.Equal(t, again, alone)
			alone.SetName("changed")
			require.Equal(t, want, p.Get().Object)

			moved := p.In("shop")
			require.Equal(t, "shop", moved.Get().GetNamespace())
			runtime.KeepAlive(again)
			for range 3 {
				runtime.GC()
			}
			require.Equal(t, want, p.Copy().Object)
			require.Equal(t, "shop", moved.Get().GetNamespace())
			require.Equal(t, want, p.Get().Object)
			require.Equal(t, map[string]string{"a": "b"}, p.Labels())
		})
	}
	require.Nil(t, (*Packed)(nil).Get())
}
