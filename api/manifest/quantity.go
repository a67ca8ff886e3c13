package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Endless says that to compute with a quantity would take minutes or more: "1e99999999" is a valid one, and all its
// digits are written out when it is compared with another. The longest honest one has 20 digits or so. Quantities from
// Git are asked before they are read.
func Endless(quantity string) bool {
	const maxLength, maxExponentDigits = 64, 3
	_, exponent, _ := strings.Cut(strings.ToLower(quantity), "e")
	return len(quantity) > maxLength || len(strings.TrimLeft(exponent, "+-0")) > maxExponentDigits
}

// Finite notes a mistake for every quantity in value, a tree of maps and lists, that is Endless, and says whether there
// was none.
func (d *Doc) Finite(path string, value any) bool {
	finite := true
	switch v := value.(type) {
	case string:
		if Endless(v) {
			d.Errorf(path, "%s is a quantity that nobody can compute with, %q", path, short(v))
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
