package dump

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/policy"
)

var secretKind = schema.GroupKind{Kind: "Secret"}

// lastApplied is the annotation in which kubectl keeps a copy of a whole manifest, data included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// redactor numbers secret values. A number reveals nothing about a value; the input of a hash could be guessed.
type redactor struct {
	seen map[string]int
}

func (r *redactor) number(value string) string {
	if r.seen == nil {
		r.seen = map[string]int{}
	}
	if r.seen[value] == 0 {
		r.seen[value] = len(r.seen) + 1
	}
	return fmt.Sprintf("REDACTED-%d", r.seen[value])
}

// secret returns a copy of u without its values. data stays valid base64; equal values in data and stringData share a
// number.
func (r *redactor) secret(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	unstructured.RemoveNestedField(u.Object, "metadata", "annotations", lastApplied)
	if data, ok := u.Object["data"].(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(data)) {
			plain, err := base64.StdEncoding.DecodeString(fmt.Sprint(data[key]))
			if err != nil {
				plain = fmt.Append(nil, data[key])
			}
			data[key] = base64.StdEncoding.EncodeToString([]byte(r.number(string(plain))))
		}
	}
	if data, ok := u.Object["stringData"].(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(data)) {
			data[key] = r.number(fmt.Sprint(data[key]))
		}
	}
	return u
}

// override returns a copy of o without the values that it writes into Secrets.
func (r *redactor) override(o *policy.Override) *policy.Override {
	writes := len(o.Spec.ResourceSelectors) == 0 || slices.ContainsFunc(o.Spec.ResourceSelectors, func(s policy.ResourceSelector) bool {
		return schema.FromAPIVersionAndKind(s.APIVersion, s.Kind).GroupKind() == secretKind
	})
	if !writes {
		return o
	}
	copied := *o
	copied.Spec.OverrideRules = slices.Clone(o.Spec.OverrideRules)
	for i := range copied.Spec.OverrideRules {
		overriders := &copied.Spec.OverrideRules[i].Overriders
		overriders.Plaintext = slices.Clone(overriders.Plaintext)
		for j := range overriders.Plaintext {
			p := &overriders.Plaintext[j]
			if p.Value != nil && (strings.HasPrefix(p.Path, "/data") || strings.HasPrefix(p.Path, "/stringData")) {
				p.Value = &apiextensionsv1.JSON{Raw: r.json(p.Value.Raw, strings.HasPrefix(p.Path, "/data"))}
			}
		}
	}
	return &copied
}

// json replaces every value in a JSON document by its number; with encoded the numbers are valid base64.
func (r *redactor) json(raw []byte, encoded bool) []byte {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		value = string(raw)
	}
	text, err := json.Marshal(r.value(value, encoded))
	if err != nil { // impossible: it was JSON
		panic(err)
	}
	return text
}

func (r *redactor) value(v any, encoded bool) any {
	if fields, ok := v.(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			fields[key] = r.value(fields[key], encoded)
		}
		return fields
	}
	plain := fmt.Sprint(v)
	if !encoded {
		return r.number(plain)
	}
	if decoded, err := base64.StdEncoding.DecodeString(plain); err == nil {
		plain = string(decoded)
	}
	return base64.StdEncoding.EncodeToString([]byte(r.number(plain)))
}
