package ownership

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// The hash of text equals that of the decoded text.
func TestHashOfText(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	usual := 0
	for range 1000 {
		text, err := json.Marshal(randomFields(random, 5))
		require.NoError(t, err)
		text = shuffled(text)
		names, ok := appendText(nil, text)
		tree := Fields{text: text}.tree()
		if ok {
			usual++
			require.Equal(t, string(appendTree(nil, tree)), string(names), "%s", text)
		}
		require.Equal(t, Fields{decoded: tree}.Hash(), Fields{text: text}.Hash(), "%s", text)
		require.Equal(t, Fields{decoded: tree}.Hash(), fieldsOf(string(text)).Hash(), "%s", text)
		require.True(t, Fields{decoded: tree}.Set().Equals(Fields{text: text}.Set()), "%s", text)
	}
	require.Greater(t, usual, 200)
	for _, text := range []string{``, `[]`, `null`, `{`, `{"f:a"}`, `{"f:a":1}`, `{"f:a":{},}`, `{"f:a":{}}}`, `{"f:a":{},"f:a":{"f:b":{}}}`, `{"f:\u0061":{}}`, `{"f:ä":{}}`} {
		_, ok := appendText(nil, []byte(text))
		require.False(t, ok, text)
	}
}

func randomFields(random *rand.Rand, depth int) map[string]any {
	all := map[string]any{}
	for range random.IntN(5) {
		name := []string{"f:a%d", "f:b%d", `k:{"name":"w%d"}`, `k:{"containerPort":%d,"protocol":"TCP"}`, `v:"x\y%d"`, "f:<%d>"}[random.IntN(6)]
		below := map[string]any{}
		if depth > 0 {
			below = randomFields(random, depth-1)
		}
		if len(below) > 0 && random.IntN(2) == 0 {
			below["."] = map[string]any{}
		}
		all[fmt.Sprintf(name, random.IntN(30))] = below
	}
	return all
}

// shuffled returns the text of an object with its fields in another order, with space.
func shuffled(text []byte) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || len(object) == 0 {
		return text
	}
	out := []byte("{ ")
	for name, value := range object { // in any order
		if len(out) > 2 {
			out = append(out, ", "...)
		}
		name, _ := json.Marshal(name)
		out = append(append(append(out, name...), ": "...), shuffled(value)...)
	}
	return append(out, '}')
}

// An exact match leaves nothing Beyond the applied object, whatever is live.
func TestMatchIsExact(t *testing.T) {
	owned := `{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{},"f:name":{}}},"f:finalizers":{"v:\"a\"":{}}}}`
	for applied, want := range map[string]bool{
		`{"metadata":{"name":"n","labels":{"app":"x"}},"spec":{"ports":[{"port":80,"name":"web"}],"finalizers":["a"]}}`:              true,
		`{"metadata":{"labels":{"app":"x","b":"y"}},"spec":{"ports":[{"port":81},{"port":80,"name":"web"}],"finalizers":["b","a"]}}`: true,
		`{"metadata":{"labels":{}},"spec":{"ports":[{"port":80,"name":"web"}],"finalizers":["a"]}}`:                                  false,
		`{"metadata":{"labels":{"app":"x"}},"spec":{"ports":[{"port":81,"name":"web"}],"finalizers":["a"]}}`:                         false,
		`{"metadata":{"labels":{"app":"x"}},"spec":{"ports":[{"port":80}],"finalizers":["a"]}}`:                                      false,
		`{"metadata":{"labels":{"app":"x"}},"spec":{"ports":[{"port":80,"name":"web"}],"finalizers":["b"]}}`:                         false,
		`{"metadata":{"labels":{"app":"x"}},"spec":{"ports":[{"port":80,"name":null}],"finalizers":["a"]}}`:                          false,
		`{"metadata":{"labels":{"app":"x"}}}`: false,
	} {
		_, exact := Fields{text: []byte(owned)}.Match([]byte(applied), nil)
		require.Equal(t, want, exact, applied)
		var object map[string]any
		require.NoError(t, utiljson.Unmarshal([]byte(applied), &object))
		live := parsed(`{"metadata":{"labels":{"app":"z"}},"spec":{"ports":[{"port":80,"protocol":"TCP","name":"z"}],"finalizers":["a"]}}`)
		require.Equal(t, exact, len(Fields{decoded: parsed(owned)}.Beyond(object, live)) == 0, applied)
	}
}

const deploymentFields = `{"f:metadata":{"f:annotations":{"f:accord.dev/digest":{}},"f:labels":{"f:app":{},"f:applyset.kubernetes.io/part-of":{}}},"f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:env":{"k:{\"name\":\"COLOR\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:name":{},"f:ports":{"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}},"f:resources":{"f:limits":{"f:memory":{}},"f:requests":{"f:cpu":{},"f:memory":{}}}}}}}}}`

func BenchmarkHash(b *testing.B) {
	tree := parsed(deploymentFields)
	b.Run("text", func(b *testing.B) {
		f := Fields{text: []byte(deploymentFields)}
		b.ReportAllocs()
		for b.Loop() {
			f.Hash()
		}
	})
	b.Run("decoded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Fields{decoded: tree}.Hash()
		}
	})
	b.Run("decoding", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Fields{decoded: Fields{text: []byte(deploymentFields)}.tree()}.Hash()
		}
	})
}

const deploymentApplied = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{"accord.dev/digest":"0123456789abcdef0123456789abcdef"},"labels":{"app":"web-0001","applyset.kubernetes.io/part-of":"applyset-0123456789abcdef"},"name":"web-0001","namespace":"shop"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web-0001"}},"template":{"metadata":{"labels":{"app":"web-0001"}},"spec":{"containers":[{"env":[{"name":"COLOR","value":"blue"}],"image":"registry.example.com/web:1.27.0","name":"web","ports":[{"containerPort":8080}],"resources":{"limits":{"memory":"128Mi"},"requests":{"cpu":"10m","memory":"64Mi"}}}]}}}}`

func BenchmarkMatch(b *testing.B) {
	f := Fields{text: []byte(deploymentFields)}
	b.ReportAllocs()
	for b.Loop() {
		if lost, _ := f.Match([]byte(deploymentApplied), nil); len(lost) > 0 {
			b.Fatal(lost)
		}
	}
}
