package builtin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/builtin"
	"github.com/accord-dev/accord/api/manifest"
)

// replacements are the values that the test writes into each field in turn.
var replacements = []string{
	`"3"`, `"a"`, `""`, `"25%"`, `"true"`, `"YQ=="`, `"2026-01-02T15:04:05Z"`, `"2026-01-02T15:04:05.000000Z"`, `"500m"`, `"1e3"`,
	`0`, `3`, `-5`, `2.5`, `2.0`, `65536`, `99999999999`, `9223372036854775807`, `99999999999999999999`, `1e30`, `0.1`,
	`true`, `false`, `null`, `{}`, `{"a": 1}`, `{"a": "b"}`, `[]`, `[1]`, `["a"]`, `[{}]`, `[null]`, `[[]]`,
}

// TestDefectD1EveryFieldAsTheAPIServerDecodes replaces each value of each manifest, and compares Check with the decoder of the
// API server.
func TestDefectD1EveryFieldAsTheAPIServerDecodes(t *testing.T) {
	for _, object := range manifests(t) {
		all := places(object)
		require.Greater(t, len(all), 5)
		for _, path := range all {
			for _, text := range replacements {
				same(t, object, path, text)
			}
		}
	}
}

// FuzzCheck compares Check with the decoder of the API server, for any JSON in any place of a manifest.
func FuzzCheck(f *testing.F) {
	f.Add(0, 3, `"3"`)
	f.Add(1, 5, `{"requests": {"cpu": "a lot"}}`)
	f.Add(4, 6, `{"a": 1}`)
	f.Fuzz(func(t *testing.T, i, place int, text string) {
		if !json.Valid([]byte(text)) || len(text) > 4096 {
			return
		}
		all := manifests(t)
		i = abs(i) % len(all)
		paths := places(all[i])
		same(t, all[i], paths[abs(place)%len(paths)], text)
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// same requires the same answer about a manifest with another value in one place.
func same(t *testing.T, object map[string]any, path []string, text string) {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	object = clone(object).(map[string]any)
	set(object, path, value)
	u := parsed(t, object)
	if u == nil || endless(u.Object) {
		return
	}
	err := decode(t, u)
	found := builtin.Check(u)
	require.Equal(t, err != nil, len(found) > 0, "%s of %s is %s\ndecoder: %v\nCheck: %v", manifest.Mistake{Path: path}.Field(), u.GetKind(), text, err, found)
}

// decoder is the one that an API server has for JSON.
var decoder = sync.OnceValue(func() *serializer.Serializer {
	s := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(s))
	utilruntime.Must(apiextensionsv1.AddToScheme(s))
	return serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, s, s, serializer.SerializerOptions{})
})

// decode decodes as an API server does. It returns no error about the values of other kinds.
func decode(t *testing.T, u *unstructured.Unstructured) error {
	t.Helper()
	content := maps.Clone(u.Object)
	delete(content, "status")
	encoded, err := json.Marshal(content)
	require.NoError(t, err)
	_, _, err = decoder().Decode(encoded, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return nil
	}
	return err
}

// parsed returns the manifest as render reads it; nil if it is no object with a kind and a valid name, which render refuses
// before.
func parsed(t *testing.T, object map[string]any) *unstructured.Unstructured {
	t.Helper()
	encoded, err := json.Marshal(object)
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(encoded); err != nil {
		return nil
	}
	metadata, ok := u.Object["metadata"].(map[string]any)
	if version, is := u.Object["apiVersion"].(string); !is || version == "" || !ok || metadata["name"] != "a" {
		return nil
	}
	return u
}

// endless reports whether the manifest has a text that is too long for a quantity: Check refuses it, and the decoder would take
// minutes.
func endless(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), endless)
	case []any:
		return slices.ContainsFunc(v, endless)
	case string:
		return manifest.Endless(v)
	}
	return false
}

// manifests returns new copies of the objects of testdata, all with the name a.
func manifests(t *testing.T) []map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/manifests.yaml")
	require.NoError(t, err)
	var all []map[string]any
	for _, text := range bytes.Split(data, []byte("\n---\n")) {
		object := map[string]any{}
		require.NoError(t, yaml.UnmarshalStrict(text, &object))
		object["metadata"].(map[string]any)["name"] = "a"
		all = append(all, object)
	}
	return all
}

// places returns the paths of all values, in a stable order, as the paths of Mistakes.
func places(v any) [][]string {
	var all [][]string
	below := func(step string, v any) {
		all = append(all, []string{step})
		for _, path := range places(v) {
			all = append(all, append([]string{step}, path...))
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below(key, v[key])
		}
	case []any:
		for i, item := range v {
			below(fmt.Sprintf("[%d]", i), item)
		}
	}
	return all
}

// clone copies the maps and lists of a value, whose numbers may have any type.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		copied := map[string]any{}
		for key := range v {
			copied[key] = clone(v[key])
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = clone(v[i])
		}
		return copied
	}
	return v
}

// set changes the value at a path.
func set(v any, path []string, value any) {
	for i, step := range path {
		last := i == len(path)-1
		switch in := v.(type) {
		case map[string]any:
			if last {
				in[step] = value
			}
			v = in[step]
		case []any:
			var index int
			_, _ = fmt.Sscanf(step, "[%d]", &index)
			if last {
				in[index] = value
			}
			v = in[index]
		}
	}
}
