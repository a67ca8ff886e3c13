package policy

import (
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
)

// validate applies the rules of Karmada §4.11.
func (r *Rebalancer) validate(doc *manifest.Doc) {
	if len(r.Spec.Workloads) == 0 {
		doc.Errorf("spec.workloads", "spec.workloads needs at least one entry")
	}
	for i, w := range r.Spec.Workloads {
		field := fmt.Sprintf("spec.workloads[%d]", i)
		checkVersion(doc, field+".apiVersion", w.APIVersion)
		doc.Require(field+".kind", w.Kind != "")
		doc.Require(field+".name", w.Name != "")
	}
}
