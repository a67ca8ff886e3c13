package digest

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuotedTextIsThatOfStrconv: the digests of plans depend on each byte.
func TestQuotedTextIsThatOfStrconv(t *testing.T) {
	texts := []string{"", "web", "shop/web:1.0", strings.Repeat("a", 300), "ünï", "\u2028", "\xff", "line\nline"}
	for c := range 300 {
		texts = append(texts, string(rune(c)), "a"+string(rune(c))+"b", string([]byte{byte(c)}))
	}
	for _, text := range texts {
		require.Equal(t, "x"+strconv.Quote(text), string(appendQuoted([]byte("x"), text)))
	}
}
