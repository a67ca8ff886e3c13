package hunk

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

func TestSteps(t *testing.T) {
	for path, want := range map[string][]step{
		"spec":                              {{name: "spec"}},
		"spec.a-b.c":                        {{name: "spec"}, {name: "a-b"}, {name: "c"}},
		`data["a.b/c"]`:                     {{name: "data"}, {name: "a.b/c", quoted: true}},
		`spec.containers[app].env["0"].val`: {{name: "spec"}, {name: "containers"}, {name: "app", item: true}, {name: "env"}, {name: "0", quoted: true}, {name: "val"}},
		`a["]\""][3]`:                       {{name: "a"}, {name: `]"`, quoted: true}, {name: "3", item: true}},
	} {
		got, err := parsePath(path)
		require.NoError(t, err, path)
		require.Equal(t, want, got, path)
	}
	for _, path := range []string{"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[b", `a["b`, `a["b"`, `a["b"x]`, "a.[b]"} {
		_, err := parsePath(path)
		require.Error(t, err, path)
	}
}

// TestPathsReadBack requires that the annotation accepts every printed path.
func TestPathsReadBack(t *testing.T) {
	path := join(join(join("", "spec"), "a.b/c"), "x\"y\n") + "[" + itemLabel("8080/TCP") + "][" + itemLabel("80") + "]"
	got, err := parsePath(path)
	require.NoError(t, err)
	require.Equal(t, []step{
		{name: "spec"}, {name: "a.b/c", quoted: true}, {name: "x\"y\n", quoted: true}, {name: "8080/TCP", item: true}, {name: "80", quoted: true},
	}, got)
}

// TestMarks lists spellings of the annotation that hide values, and some that do not.
func TestMarks(t *testing.T) {
	object := func(mark, value string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget",
			"metadata": map[string]any{"name": "a", "annotations": map[string]any{manifest.SensitiveAnnotation: mark}},
			"spec":     map[string]any{"a,b": value, "users": []any{map[string]any{"name": "80", "token": map[string]any{"value": value}}}},
		}}
	}
	for mark, hidden := range map[string]bool{
		"true": true, "True": true, " yes ": true, "1": true, "spec": true, "spec[": true, ",spec": true, "spec,": true, "a,,spec": true, ",": true,
		`spec["a,b"], spec.users`: true, `spec["a,b"],spec.users.token`: true, `spec["a,b"],spec.users[80].token.value`: true,
		`spec["a,b"],spec.users["80"].token`: true, `spec["a,b"],spec.users[0].token`: true,
		"": false, "false": false, "other": false, `spec.users.token`: false, `spec["a,b"]`: false, `spec["a,b"],spec.users.token.value.more`: false,
	} {
		got := show(Compare(object(mark, planted), object(mark, planted+"2"), Options{}))
		if hidden {
			requireNoSecret(t, got)
			require.NotEmpty(t, got, mark)
		} else {
			require.Contains(t, got, planted, mark)
		}
	}
}

// TestNumbersBeyondFloats distinguishes an integer that no float holds exactly from the float with the same JSON.
func TestNumbersBeyondFloats(t *testing.T) {
	object := func(v any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"spec": []any{v}}}
	}
	require.Len(t, Compare(object(int64(1)<<53), object(float64(int64(1)<<53)), Options{}), 1)
	require.Empty(t, Compare(object(int64(1)<<52), object(float64(int64(1)<<52)), Options{}))
}

func TestFingerprint(t *testing.T) {
	key := []byte("key")
	require.Regexp(t, `^hmac [0-9a-f]{8}$`, Fingerprint(key, "a"))
	require.Equal(t, Fingerprint(key, "a"), Fingerprint(key, "a"))
	require.NotEqual(t, Fingerprint(key, "a"), Fingerprint(key, "b"))
	require.NotEqual(t, Fingerprint(key, "1"), Fingerprint(key, 1), "a text is no number")
	require.NotEqual(t, Fingerprint(key, "\xff"), Fingerprint(key, "\xfe"), "what is no text has one, too")
	require.NotEqual(t, Fingerprint(key, "a"), Fingerprint([]byte("other"), "a"))
	require.Empty(t, Fingerprint(nil, "a"), "without a key it could be guessed")
}
