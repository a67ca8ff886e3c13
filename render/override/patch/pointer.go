package patch

import (
	"fmt"
	"strconv"
	"strings"
)

// Lookup returns the value at a JSON pointer, nil if there is none.
func Lookup(doc any, pointer string) any {
	if pointer == "" {
		return doc
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch node := doc.(type) {
		case map[string]any:
			doc = node[unescape(token)]
		case []any:
			i, err := index(token, len(node), false)
			if err != nil {
				return nil
			}
			doc = node[i]
		default:
			return nil
		}
	}
	return doc
}

// index parses a list index. For an insertion the index may be the length, also written "-". As in Karmada, a negative
// index counts from the end.
func index(key string, length int, inserts bool) (int, error) {
	if inserts {
		length++
		if key == "-" {
			return length - 1, nil
		}
	}
	i, err := strconv.Atoi(key)
	if err != nil || i >= length || i < -length {
		return 0, fmt.Errorf("%q is not an index of the list", key)
	}
	if i < 0 {
		i += length
	}
	return i, nil
}

// unescape decodes one token of a JSON pointer (RFC 6901).
func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// Escape encodes a key as one token of a JSON pointer.
func Escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
