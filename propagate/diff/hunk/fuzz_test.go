package hunk

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/render"
)

// planted is the secret that must not be in any output.
const planted = "hunter2-correct-horse"

// FuzzCompare compares an object with a changed copy: no panic, hunks if and only if they differ, and no planted
// secret.
func FuzzCompare(f *testing.F) {
	for seed := range int64(300) {
		f.Add(seed, uint8(seed%4))
	}
	f.Fuzz(func(t *testing.T, seed int64, mode uint8) {
		w := world{rand.New(rand.NewSource(seed))}
		before := &unstructured.Unstructured{Object: w.object(mode % 4)}
		after := &unstructured.Unstructured{Object: w.changed(before.Object).(map[string]any)}
		options := Options{Limit: 1 << 20}
		if seed%2 == 0 {
			options.Key = []byte("key")
		}
		hunks := Compare(before, after, options)
		require.Equal(t, render.Digest(clean(before)) == render.Digest(clean(after)), len(hunks) == 0, "%s", show(hunks))
		all := show(hunks) + show(Compare(after, before, options)) + show(Compare(nil, before, options))
		if mode%4 != 0 {
			requireNoSecret(t, all)
		}
	})
}

// TestYAMLReadsBack requires that printed YAML decodes to the value.
func TestYAMLReadsBack(t *testing.T) {
	for seed := range int64(500) {
		w := world{rand.New(rand.NewSource(seed))}
		v := map[string]any{"v": w.value(4)}
		var back map[string]any
		text := yamlOf(v)
		require.NoError(t, yaml.Unmarshal([]byte(text+"\n"), &back), text)
		want, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(must(json.Marshal(back))), text)
	}
}

// TestPlainTexts requires that text written without the encoder equals the encoder's output.
func TestPlainTexts(t *testing.T) {
	for _, s := range strings.Fields(`a web:1.8 registry.example:5000/web@sha256:aa a/b Null TRUE yes NO On y n nan inf e1 x: a:b:c a--b null. ~a é a#b`) {
		require.Equal(t, encode(node(s)), yamlOf(s))
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func requireNoSecret(t testing.TB, text string) {
	t.Helper()
	for _, form := range []string{planted, base64.StdEncoding.EncodeToString([]byte(planted)), planted[:12]} {
		require.NotContains(t, text, form)
	}
}

// clean returns u without accord's marks. Its implementation differs from the one of Compare.
func clean(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	for field, key := range map[string]string{"annotations": v1alpha1.DigestAnnotation, "labels": v1alpha1.PartOfLabel} {
		if _, found, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", field, key); found {
			unstructured.RemoveNestedField(u.Object, "metadata", field, key)
			if entries, _, _ := unstructured.NestedMap(u.Object, "metadata", field); len(entries) == 0 {
				unstructured.RemoveNestedField(u.Object, "metadata", field)
			}
		}
	}
	return u
}

type world struct{ *rand.Rand }

// object returns a random object, by mode: any; a Secret; one that is sensitive as a whole; one with a sensitive path.
func (w world) object(mode uint8) map[string]any {
	kind, annotations := "Widget", map[string]any{"note": w.text()}
	secret := planted + w.text()
	o := map[string]any{"spec": map[string]any{"any": w.value(3), "list": w.value(2)}}
	switch mode {
	case 1:
		kind = "Secret"
		o = map[string]any{
			"data":       map[string]any{"a": base64.StdEncoding.EncodeToString([]byte(secret)), "b": w.holding(secret, 2)},
			"stringData": map[string]any{"c": secret},
		}
	case 2:
		annotations["accord.dev/sensitive"] = "true"
		o["spec"] = w.holding(secret, 3)
	case 3:
		annotations["accord.dev/sensitive"] = `spec.containers.env.value, spec["the.token"]`
		o["spec"] = map[string]any{
			"any": w.value(3), "the.token": w.holding(secret, 2),
			"containers": []any{map[string]any{"name": w.word(), "env": []any{map[string]any{"name": w.word(), "value": secret}}}},
		}
	}
	if mode != 0 {
		annotations["kubectl.kubernetes.io/last-applied-configuration"] = string(must(json.Marshal(o)))
		annotations["copy"] = fmt.Sprintf("%q", secret)
	}
	if w.Intn(2) == 0 {
		annotations[v1alpha1.DigestAnnotation] = w.word()
	}
	o["apiVersion"], o["kind"] = map[string]string{"Secret": "v1", "Widget": "example.com/v1"}[kind], kind
	o["metadata"] = map[string]any{"name": "a", "annotations": annotations, "labels": map[string]any{v1alpha1.PartOfLabel: w.word()}}
	return o
}

// holding returns a value with the secret somewhere in it.
func (w world) holding(secret string, depth int) any {
	switch {
	case depth == 0 || w.Intn(4) == 0:
		return secret
	case w.Intn(2) == 0:
		return map[string]any{w.word(): w.value(1), "name": w.holding(secret, depth-1)}
	}
	return []any{w.value(1), w.holding(secret, depth-1), map[string]any{"name": secret}}
}

func (w world) value(depth int) any {
	n := 12
	if depth == 0 {
		n = 8
	}
	switch w.Intn(n) {
	case 0:
		return nil
	case 1:
		return w.Intn(2) == 0
	case 2:
		return int64(w.Intn(100))
	case 3:
		return float64(w.Intn(100)) / 4
	case 4, 5, 6, 7:
		return w.text()
	case 8, 9:
		m := map[string]any{}
		for range w.Intn(4) {
			m[w.word()] = w.value(depth - 1)
		}
		return m
	}
	list := []any{}
	named := w.Intn(2) == 0
	for range w.Intn(5) {
		if named {
			list = append(list, map[string]any{"name": w.word(), "value": w.value(depth - 1)})
		} else {
			list = append(list, w.value(depth-1))
		}
	}
	return list
}

func (w world) word() string {
	words := strings.Fields("a b name data value spec a.b/c 0 80 x-y ä [q] \" \\ on null ~ status")
	return words[w.Intn(len(words))]
}

func (w world) text() string {
	texts := []string{"", "x", "no", "1", "1.0", "1e3", "0x1f", "12:30:45", "null", "a: b", "# c", "- d", " lead", "trail ", "two\nlines", "end\n", "\n\n",
		"tab\there", "\x1b[2J", "\u202e", "a\n  b\n c", "  a\nb", "{}", "[]", "'", "\"", "`a`\n", "%", "@x", "2001-01-01", "yes", "~", "a\r\nb", "a \nb"}
	return texts[w.Intn(len(texts))]
}

// changed returns a copy of v with some values, items and fields changed. Names, kinds and marks stay.
func (w world) changed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, key := range keysOf(v, nil) {
			switch {
			case key == "kind", key == "apiVersion", strings.HasPrefix(key, "accord.dev/sensitive"), key == "metadata", key == "annotations":
				out[key] = w.kept(v[key])
			case w.Intn(12) == 0:
			default:
				out[key] = w.changed(v[key])
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if w.Intn(10) != 0 {
				out = append(out, w.changed(item))
			}
		}
		if w.Intn(6) == 0 {
			w.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		}
		return out
	case int64:
		if w.Intn(2) == 0 {
			return float64(v)
		}
	case string:
		if w.Intn(6) == 0 {
			return v + w.text()
		}
	}
	return v
}

// kept changes only nested values.
func (w world) kept(v any) any {
	if _, ok := v.(string); ok {
		return v
	}
	return w.changed(v)
}
