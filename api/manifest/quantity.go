package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Endless reports whether arithmetic with a quantity would take minutes or more: "1e99999999" is valid, and a
// comparison writes out all its digits. The longest plausible quantity has about 20 digits. Quantities from Git are
// checked before they are decoded.
func Endless(quantity string) bool {
	const maxLength, maxExponentDigits = 64, 3
	_, exponent, _ := strings.Cut(strings.ToLower(quantity), "e")
	return len(quantity) > maxLength || len(strings.TrimLeft(exponent, "+-0")) > maxExponentDigits
}

// Finite records a mistake for every Endless quantity in value, a tree of maps and lists, and reports whether there
// was none.
func (d *Doc) Finite(path string, value any) bool {
	finite := true
	switch v := value.(type) {
	case string:
		if Endless(v) {
			d.Errorf(path, "%s is too large or too precise a quantity, %q", path, short(v))
			return false
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			finite = d.Finite(child(path, key), v[key]) && finite
		}
	case []any:
		for i, item := range v {
			finite = d.Finite(fmt.Sprintf("%s[%d]", path, i), item) && finite
		}
	}
	return finite
}
