package hunk

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// copyAnnotations are annotations in which tools keep a copy of the whole object.
var copyAnnotations = []string{
	"kubectl.kubernetes.io/last-applied-configuration",
	"kapp.k14s.io/original",
	"kapp.k14s.io/original-diff",
	"objectset.rio.cattle.io/applied",
	"banzaicloud.com/last-applied",
}

// minCopiedLength is the length from which a secret value is searched in annotations. Shorter values ("no", "80") are
// common text.
const minCopiedLength = 4

// copyRules returns rules for annotations that repeat values that are secret by r: copyAnnotations, and annotations
// that contain one of the values.
func copyRules(r rules, objects ...*unstructured.Unstructured) rules {
	var values []string
	found := map[string]bool{}
	for _, key := range copyAnnotations {
		found[key] = true
	}
	for _, u := range objects {
		if u != nil {
			values = appendSecrets(values, r, u.Object)
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

// appendSecrets appends the secret strings in v in three forms: as they are, decoded from base64, and as in JSON.
func appendSecrets(values []string, r rules, v any) []string {
	if len(r) == 0 {
		return values
	}
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			values = appendSecrets(values, r.key(key), v[key])
		}
	case []any:
		for _, item := range v {
			values = appendSecrets(values, r.item(), item)
		}
	case string:
		if !r.all() {
			break
		}
		values = appendSecret(values, v)
		if plain, ok := decodeBase64(v, r); ok {
			values = appendSecret(values, plain)
		}
	}
	return values
}

func appendSecret(values []string, v string) []string {
	if len(v) < minCopiedLength {
		return values
	}
	return append(values, v, strings.Trim(strconv.Quote(v), `"`))
}

// decodeBase64 returns the decoded value of a string in the data of a Secret.
func decodeBase64(v string, r rules) (string, bool) {
	if !r.encoded() {
		return "", false
	}
	plain, err := base64.StdEncoding.DecodeString(v)
	return string(plain), err == nil
}

// annotations returns the annotations that are strings, whatever the shape of the object. A nil object has none.
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
