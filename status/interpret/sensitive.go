package interpret

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind"
)

// hideSensitive returns scripted with the built-in rules for sensitive objects: a script or an expression of Git could write
// their values into a status or a message, which leave the cluster. A rule that is not built in has no result for them.
func hideSensitive(scripted, built kind.Kind) kind.Kind {
	scripted.Replicas = unlessSensitive2(scripted.Replicas, built.Replicas)
	scripted.Requirements = unlessSensitive(scripted.Requirements, built.Requirements)
	scripted.Mistakes = unlessSensitive(scripted.Mistakes, built.Mistakes)
	scripted.Dependencies = unlessSensitive(scripted.Dependencies, built.Dependencies)
	scripted.Health = unlessSensitive2(scripted.Health, built.Health)
	scripted.Reflect = unlessSensitive(scripted.Reflect, built.Reflect)
	if set := scripted.SetReplicas; set != nil {
		scripted.SetReplicas = func(u *unstructured.Unstructured, n int32) {
			if !manifest.IsSensitive(u) {
				set(u, n)
			} else if built.SetReplicas != nil {
				built.SetReplicas(u, n)
			}
		}
	}
	return scripted
}

func unlessSensitive[A any](scripted, built func(*unstructured.Unstructured) A) func(*unstructured.Unstructured) A {
	if scripted == nil {
		return nil
	}
	return func(u *unstructured.Unstructured) (a A) {
		switch {
		case !manifest.IsSensitive(u):
			return scripted(u)
		case built != nil:
			return built(u)
		}
		return a
	}
}

func unlessSensitive2[A, B any](scripted, built func(*unstructured.Unstructured) (A, B)) func(*unstructured.Unstructured) (A, B) {
	if scripted == nil {
		return nil
	}
	return func(u *unstructured.Unstructured) (a A, b B) {
		switch {
		case !manifest.IsSensitive(u):
			return scripted(u)
		case built != nil:
			return built(u)
		}
		return a, b
	}
}
