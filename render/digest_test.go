package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestDigestIsOfCanonicalJSON computes the digest from sorted, compact JSON with SHA-256.
func TestDigestIsOfCanonicalJSON(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"z": []any{int64(1), -2.5, 1e30, true, nil, "a\"\\\n\t\r\b\f\x01<>&äöü"},
		"a": map[string]any{"c": "x", "b": map[string]any{}, "d": []any{}},
	}}
	var canonical bytes.Buffer
	encoder := json.NewEncoder(&canonical)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(u.Object))
	want := bytes.TrimSpace(canonical.Bytes())
	require.Equal(t, string(want), string(appendJSON(nil, u.Object)))
	require.Equal(t, fmt.Sprintf("sha256:%x", sha256.Sum256(want))[:len("sha256:")+32], Digest(u))
}

func TestDigestTellsApart(t *testing.T) {
	digest := func(v any) string {
		return Digest(&unstructured.Unstructured{Object: map[string]any{"v": v}})
	}
	t.Run("a number held as float or integer is the same", func(t *testing.T) {
		require.Equal(t, digest(int64(3)), digest(3.0))
		require.Equal(t, digest(int64(3)), digest(int32(3)))
	})
	t.Run("everything else differs", func(t *testing.T) {
		seen := map[string]any{}
		for _, v := range []any{nil, true, false, "", "3", int64(3), 3.5, []any{}, []any{nil}, map[string]any{}, map[string]any{"a": "b"}, func() {}} {
			d := digest(v)
			require.Len(t, d, len("sha256:")+32)
			require.NotContains(t, seen, d)
			seen[d] = v
		}
	})
}
