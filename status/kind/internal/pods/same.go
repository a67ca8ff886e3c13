package pods

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/accord-dev/accord/api/manifest"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// Same reports whether two templates are equal to the API server, after its defaults are filled in and after strip
// removed fields from both. Templates that cannot be decoded are equal if their text is.
func Same(before, after map[string]any, strip func(*corev1.PodTemplateSpec)) bool {
	if read.Equal(before, after) {
		return true
	}
	var was, is corev1.PodTemplateSpec
	if !decode(before, &was) || !decode(after, &is) {
		return false
	}
	for _, t := range []*corev1.PodTemplateSpec{&was, &is} {
		strip(t)
		fillPod(&t.Spec)
	}
	return equality.Semantic.DeepEqual(was, is)
}

// decode decodes a part of an object as the API server would; ok is false if it cannot.
func decode(v, into any) (ok bool) {
	if endless(v, false) {
		return false
	}
	text, err := json.Marshal(v)
	return err == nil && json.Unmarshal(text, into) == nil
}

// endless reports whether a quantity is too long to compute with, below the fields that have quantities.
func endless(v any, quantities bool) bool {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			switch key {
			case "requests", "limits", "overhead", "capacity", "sizeLimit", "divisor":
				if endless(v[key], true) {
					return true
				}
			default:
				if endless(v[key], quantities) {
					return true
				}
			}
		}
	case []any:
		for _, item := range v {
			if endless(item, quantities) {
				return true
			}
		}
	case string:
		return quantities && manifest.Endless(v)
	}
	return false
}
