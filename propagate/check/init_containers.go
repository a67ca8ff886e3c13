package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/podspec"
	"github.com/accord-dev/accord/render/override"
)

var initContainers = Check{
	Code:     "init-containers",
	Severity: propagate.Warning,
	Summary:  "an image override that changes containers and not the init containers beside them",
	Why: "`imageOverrider` without a `predicate` changes `containers` alone, as in Karmada. If the cluster reaches only a mirror, " +
		"the pod cannot pull the image of its init container. accord reports init containers with the registry or repository that " +
		"the override replaces.",
	Fix: "Add an entry with the path of the init container's image in `predicate`.",
	Example: `
imageOverrider:
- {component: Registry, operator: replace, value: mirror.example.com}
# and for the init container:
- {component: Registry, operator: replace, value: mirror.example.com, predicate: {path: /spec/template/spec/initContainers/0/image}}`,
	rendered: true,
	run: func(r *Review) []propagate.Finding {
		byField := r.overriders()
		var findings []propagate.Finding
		reported := map[string]bool{}
		for _, v := range r.variants() {
			for _, e := range v.edits() {
				entry := byField[e.Policy+" "+e.Field]
				if entry.image == nil || entry.image.Predicate != nil || v.object == nil || reported[e.Policy+" "+e.Field] {
					continue
				}
				if left, ok := leftOut(v, e, entry.image); ok {
					reported[e.Policy+" "+e.Field] = true
					findings = append(findings, at(e.At, fmt.Sprintf("add an entry with predicate.path %s/image", left.Pointer),
						"%s: %s changes the images of %s, and not the image of init container %q", entry.title, e.Field, short(v.id), left.Name))
				}
			}
		}
		return findings
	},
}

// leftOut returns an init container with the value that an edit replaced in a container beside it.
func leftOut(v *variant, e override.Edit, o *policy.ImageOverrider) (podspec.Container, bool) {
	for _, c := range podspec.Containers(v.object.manifest.Get(), "initContainers") {
		for _, edited := range podspec.Containers(v.object.manifest.Get(), "containers") {
			same := podspec.Repository(c.Image) == podspec.Repository(edited.Image)
			if o.Component == "Registry" {
				same = podspec.Registry(c.Image) == podspec.Registry(edited.Image)
			}
			reached := slices.ContainsFunc(v.edits(), func(other override.Edit) bool { return strings.HasPrefix(other.Path, c.Pointer) })
			if edited.Pointer+"/image" == e.Path && same && !reached {
				return c, true
			}
		}
	}
	return podspec.Container{}, false
}
