package ownership

import (
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
