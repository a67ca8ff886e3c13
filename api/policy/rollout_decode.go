package policy

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// DecodeRollout decodes a RolloutPolicy strictly, sets its defaults and validates it. Text and error are as in
// Decode.
func DecodeRollout(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Rollout, error) {
	written, doc := read[RolloutSpec](u, text, origin)
	r := Rollout{Meta: written.meta(doc, ""), Spec: written.Spec, Commands: CommandsIn(written.Metadata.Annotations)}
	r.Namespace = written.Metadata.Namespace
	written.check(doc, RolloutGroup, "RolloutPolicy")
	r.setDefaults()
	r.validate(doc)
	return r, doc.Err()
}

func (r *Rollout) setDefaults() {
	s := &r.Spec
	defaultNamespaces(r.Meta, s.ResourceSelectors)
	s.ProgressDeadline = cmp.Or(s.ProgressDeadline, DefaultProgressDeadline)
	orElse(&s.OnFailure, Halt)
	orElse(&s.CatchUpPolicy, Immediate)
	for i := range s.Stages {
		orElse(&s.Stages[i].Gate.Approval, None)
	}
}
