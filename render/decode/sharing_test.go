package decode

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
)

// Objects with shared parts are equal to those without.
func TestSharingChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := &Sharing{}
	var all, copies []map[string]any
	for range 2000 {
		object, _ := randomValue(random, 5).(map[string]any)
		copies = append(copies, runtime.DeepCopyJSON(object))
		s.Share(object)
		all = append(all, object)
	}
	require.Equal(t, copies, all)
}

func randomValue(random *rand.Rand, depth int) any {
	switch n := random.IntN(9); {
	case depth == 5 || depth > 0 && n < 3:
		object := map[string]any{}
		for range random.IntN(5) {
			object[fmt.Sprint("k", random.IntN(6))] = randomValue(random, depth-1)
		}
		return object
	case depth > 0 && n < 5:
		list := []any{}
		for range random.IntN(4) {
			list = append(list, randomValue(random, depth-1))
		}
		return list
	case n == 5:
		return random.Int64N(3)
	case n == 6:
		return float64(random.IntN(3))
	case n == 7:
		return []any{true, false, nil}[random.IntN(3)]
	}
	return []string{"", "0", "1", "t", "web"}[random.IntN(5)]
}

func TestEqualPartsAreInMemoryOnce(t *testing.T) {
	s := &Sharing{}
	object := func(name string) map[string]any {
		return map[string]any{"name": name, "spec": map[string]any{"ports": []any{map[string]any{"port": int64(80)}}, "name": name}}
	}
	a, b := object("a"), object("b")
	s.Share(a)
	s.Share(b)
	port := func(object map[string]any) any { return object["spec"].(map[string]any)["ports"].([]any)[0] }
	require.Equal(t, reflect.ValueOf(port(a)).Pointer(), reflect.ValueOf(port(b)).Pointer())
	require.NotEqual(t, reflect.ValueOf(a["spec"]).Pointer(), reflect.ValueOf(b["spec"]).Pointer())
	for i := range 3 * mostShared { // others push it out, but not while it is used
		s.Share(map[string]any{"name": fmt.Sprint(i)})
		if i%mostShared/2 == 0 {
			s.Share(object("x"))
		}
	}
	c := object("c")
	s.Share(c)
	require.Equal(t, reflect.ValueOf(port(a)).Pointer(), reflect.ValueOf(port(c)).Pointer())
	require.LessOrEqual(t, len(s.recent), mostShared)
}

// The values of a document are the same with and without shared parts.
func TestDecodingWithSharing(t *testing.T) {
	long := strings.Repeat("x", longestShared+1)
	s := &Sharing{}
	for _, text := range []string{
		`{a: 1, b: [x, 1.5, true, null, {}], c: {a: 1, b: {}}}`, `{b: [x, 1.5, true, null, {}], a: 1}`, `[]`, `text`, `{` + long + `: ` + long + `}`,
		"a: &a {x: 1, y: {z: 2}}\nb: {<<: *a, x: 2}\nc: {<<: [{y: 3}, *a]}\n", "a: &a [1]\nb: *a\n",
		"a1: 1\na2: 1\na3: 1\na4: 1\na5: 1\na6: 1\na7: 1\na8: 1\na9: 1\nb1: 1\nb2: 1\nb3: 1\nb4: 1\nb5: 1\nb6: 1\nb7: 1\nb8: 1\nb9: 1\n",
		"a1: 1\na2: 1\na3: 1\na4: 1\na5: 1\na6: 1\na7: 1\na8: 1\na9: 1\nb1: 1\nb2: 1\nb3: 1\nb4: 1\nb5: 1\nb6: 1\nb7: 1\nb8: 1\nb8: 1\n",
		"a: 1\nb: 2\na: 3\n", "{1: 2, [a]: 3}", "{<<: 1}",
	} {
		node, err := File{}.Parse(Document{Text: []byte(text), Line: 1})
		require.NoError(t, err)
		want, wrong := (&Decoder{}).Value(node, 0)
		got, err := (&Decoder{Sharing: s}).Value(node, 0)
		require.Equal(t, wrong, err, text)
		require.Equal(t, want, got, text)
	}
}
