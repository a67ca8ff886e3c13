package mutation

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// same reports whether the API server may have written the live scalar for the applied one.
func same(applied, live any) bool {
	if empty(applied) && empty(live) {
		return true
	}
	if _, nested := live.(map[string]any); nested {
		return false
	}
	x, y := fmt.Sprint(applied), fmt.Sprint(live)
	if x == y {
		return true
	}
	return parsedSame(resource.ParseQuantity, resource.Quantity.Equal, x, y) ||
		parsedSame(time.ParseDuration, func(a, b time.Duration) bool { return a == b }, x, y) ||
		parsedSame(parseTime, time.Time.Equal, x, y)
}

func parseTime(text string) (time.Time, error) { return time.Parse(time.RFC3339Nano, text) }

// parsedSame reports whether both texts can be parsed, to equal values.
func parsedSame[T any](parse func(string) (T, error), equal func(a, b T) bool, x, y string) bool {
	a, err := parse(x)
	if err != nil {
		return false
	}
	b, err := parse(y)
	return err == nil && equal(a, b)
}

// sameBytes reports whether two values are base64 of the same bytes: the API server removes line breaks.
func sameBytes(applied, live any) bool {
	text, _ := applied.(string)
	return strings.NewReplacer("\r", "", "\n", "").Replace(text) == live
}

// empty reports whether the API server may drop a value.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// assigned reports whether the API server assigns the field where the applied value is the empty one.
func assigned(applied any, path string) bool {
	return applied == nil || applied == "" || empty(applied) && strings.HasSuffix(strings.ToLower(path), "nodeport")
}
