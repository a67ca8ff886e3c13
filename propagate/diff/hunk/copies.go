package hunk

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// keepsakes are annotations in which tools keep a copy of the whole object.
var keepsakes = []string{
	"kubectl.kubernetes.io/last-applied-configuration",
	"kapp.k14s.io/original",
	"kapp.k14s.io/original-diff",
	"objectset.rio.cattle.io/applied",
	"banzaicloud.com/last-applied",
}

// telling is how long a secret value has to be to be looked for elsewhere. Shorter ones ("no", "80") are everywhere.
const telling = 4

// copies are rules for the annotations that repeat what is secret by r: those that are known to, and those in which one of
// the values is found.
func copies(r rules, objects ...*unstructured.Unstructured) rules {
	var values []string
	found := map[string]bool{}
	for _, key := range keepsakes {
		found[key] = true
	}
	for _, u := range objects {
		if u != nil {
			values = gather(values, r, u.Object)
		}
	}
	for _, u := range objects {
		for key, text := range annotations(u) {
			if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(text, v) }) {
				found[key] = true
			}
		}
	}
	var out rules
	for _, key := range slices.Sorted(maps.Keys(found)) {
		out = append(out, rule{steps: []step{{name: "metadata"}, {name: "annotations"}, {name: key}}})
	}
	return out
}

// gather appends the secret strings in v, as they are, decoded, and as they stand in JSON.
func gather(values []string, r rules, v any) []string {
	if len(r) == 0 {
		return values
	}
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			values = gather(values, r.key(key), v[key])
		}
	case []any:
		for _, item := range v {
			values = gather(values, r.item(), item)
		}
	case string:
		if !r.all() {
			break
		}
		values = remember(values, v)
		if plain, ok := decoded(v, r); ok {
			values = remember(values, plain)
		}
	}
	return values
}

func remember(values []string, v string) []string {
	if len(v) < telling {
		return values
	}
	return append(values, v, strings.Trim(strconv.Quote(v), `"`))
}

// decoded is what a string of a Secret's data says.
func decoded(v string, r rules) (string, bool) {
	if !r.encoded() {
		return "", false
	}
	plain, err := base64.StdEncoding.DecodeString(v)
	return string(plain), err == nil
}

// annotations never fail, whatever the shape of the object; nil has none.
func annotations(u *unstructured.Unstructured) map[string]string {
	if u == nil {
		return nil
	}
	metadata, _ := u.Object["metadata"].(map[string]any)
	entries, _ := metadata["annotations"].(map[string]any)
	out := make(map[string]string, len(entries))
	for key, v := range entries {
		if s, ok := v.(string); ok {
			out[key] = s
		}
	}
	return out
}
