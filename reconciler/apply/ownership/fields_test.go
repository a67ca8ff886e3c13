package ownership

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHashOfFields(t *testing.T) {
	hash := func(text string) Hash { return fieldsOf(parsed(text)).Hash() }
	require.Equal(t, hash(`{"f:a":{},"f:b":{".":{},"f:c":{}}}`), Fields{text: []byte(`{"f:b":{"f:c":{},".":{}},"f:a":{}}`)}.Hash(), "order is nothing")
	different := map[Hash]string{}
	for _, text := range []string{`{}`, `{"f:a":{}}`, `{"f:b":{}}`, `{"f:a":{"f:b":{}}}`, `{"f:a":{},"f:b":{}}`, `{"f:a":{"f:b":{"f:c":{}}}}`, `{"f:a":{"f:b":{},"f:c":{}}}`, `{"f:a":{"f:b":{}},"f:c":{}}`} {
		require.Empty(t, different[hash(text)], text)
		different[hash(text)] = text
	}
	require.Zero(t, Fields{}.Hash())
	require.Zero(t, Fields{text: []byte(`[`)}.Hash())
}

// TestSetsAreKept: a set is decoded once, and a text that replaces another one in its place has its own set.
func TestSetsAreKept(t *testing.T) {
	ofText := func(i int) Fields { return Fields{text: fmt.Appendf(nil, `{"f:a%d":{}}`, i)} }
	require.Same(t, ofText(0).Set(), ofText(0).Set())
	for range 2 {
		for i := range 3 * len(sets) {
			require.Equal(t, fmt.Sprintf(".a%d", i), strings.TrimSpace(ofText(i).Set().String()))
		}
	}
	long := Fields{text: fmt.Appendf(nil, `{"f:%s":{}}`, strings.Repeat("a", longestKept))}
	require.NotSame(t, long.Set(), long.Set())
	require.True(t, Fields{text: []byte(`{"f:`)}.Set().Empty())
	require.True(t, Fields{}.Set().Empty())
}
