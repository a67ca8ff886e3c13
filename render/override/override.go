// Package override rewrites one object for one cluster, following Karmada's override policies (Karmada §3.2 to §3.5),
// and remembers which rule made each change.
package override

import "github.com/accord-dev/accord/api/manifest"

// Edit is one change that an override made.
type Edit struct {
	At     manifest.Origin // the overrider that made it
	Policy string          // "<namespace>/<name>", or "<name>" for a cluster-wide policy
	// Field is the path of the overrider in the policy: "spec.overrideRules[0].overriders.imageOverrider[1]".
	Field string
	Path  string // JSON pointer of what it changed
}
