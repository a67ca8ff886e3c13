package policy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// The sites of a RecoveryPlan.
const (
	ProductionSite = "Production"
	StandbySite    = "Standby"
)

// Recovery is a RecoveryPlan (accord.dev/v1alpha1): a standby cluster that follows a live cluster and takes over from it. It has no
// namespace.
type Recovery struct {
	Meta
	Spec RecoverySpec
}

// Title returns "RecoveryPlan shop".
func (r *Recovery) Title() string { return "RecoveryPlan " + r.String() }

// RecoverySpec is .spec of a RecoveryPlan.
type RecoverySpec struct {
	// Source is the name of the source of the Federation that reads production, which is a live cluster.
	Source string `json:"source"`
	// Standby is the Cluster that takes over.
	Standby string `json:"standby"`
	// Active is the site that runs the workloads: Production (the default) or Standby. While it is Standby, accord does not follow
	// production: the standby runs the revision of the source below.
	// +kubebuilder:validation:Enum=Production;Standby
	Active string `json:"active,omitempty"`
	// Revision of the source that the standby runs while it is active: "cluster@sha256:<64 hex digits>". "accord dr switch" writes it.
	Revision string `json:"revision,omitempty"`
	// PassiveOverrides are the override policies that keep the standby passive, such as one that sets replicas to 0. They do not
	// apply to the standby while it is active. Each may target other clusters as well, where it always applies.
	PassiveOverrides []PassiveOverride `json:"passiveOverrides,omitempty"`
}

// PassiveOverride names an OverridePolicy or ClusterOverridePolicy.
type PassiveOverride struct {
	// Kind is OverridePolicy or ClusterOverridePolicy.
	// +kubebuilder:validation:Enum=OverridePolicy;ClusterOverridePolicy
	Kind string `json:"kind"`
	// Namespace of an OverridePolicy; default by default.
	Namespace string `json:"namespace,omitempty"`
	// Name of the policy.
	Name string `json:"name"`
}

// Title returns "OverridePolicy shop/web", as that of the policy.
func (p PassiveOverride) Title() string {
	return p.Kind + " " + Meta{Namespace: p.Namespace, Name: p.Name}.String()
}

// SwitchesOff reports whether an override policy with the title does not apply to the standby, because that is active.
func (s *RecoverySpec) SwitchesOff(override string) bool {
	return s.Active == StandbySite && slices.ContainsFunc(s.PassiveOverrides, func(p PassiveOverride) bool { return p.Title() == override })
}

// DecodeRecovery decodes a RecoveryPlan strictly, sets its defaults and validates it. Text and error are as in Decode.
func DecodeRecovery(u *unstructured.Unstructured, text []byte, origin manifest.Origin) (Recovery, error) {
	written, doc := read[RecoverySpec](u, text, origin)
	r := Recovery{Meta: written.meta(doc, ""), Spec: written.Spec}
	written.check(doc, RolloutGroup, "RecoveryPlan")
	r.Spec.Active = cmp.Or(r.Spec.Active, ProductionSite)
	for i := range r.Spec.PassiveOverrides {
		if p := &r.Spec.PassiveOverrides[i]; p.Kind == "OverridePolicy" {
			p.Namespace = cmp.Or(p.Namespace, DefaultNamespace)
		}
	}
	r.validate(doc)
	return r, doc.Err()
}

var clusterRevision = regexp.MustCompile(`^cluster@sha256:[0-9a-f]{64}$`)

// validate checks everything that needs neither the Federation nor other manifests.
func (r *Recovery) validate(doc *manifest.Doc) {
	s := r.Spec
	doc.Require("spec.source", s.Source != "")
	doc.Require("spec.standby", s.Standby != "")
	doc.OneOf("spec.active", s.Active, ProductionSite, StandbySite)
	switch {
	case s.Revision != "" && !clusterRevision.MatchString(s.Revision):
		doc.Errorf("spec.revision", "spec.revision is %q, expected cluster@sha256: and 64 hexadecimal digits", s.Revision)
	case s.Active == StandbySite && s.Revision == "":
		doc.Errorf("spec.active", "spec.active is Standby, which needs spec.revision: the objects of production that the standby runs; accord dr switch writes both")
	case s.Active == ProductionSite && s.Revision != "":
		doc.Errorf("spec.revision", "spec.revision is for spec.active: Standby; remove it, because the standby follows production")
	}
	seen := map[string]bool{}
	for i, p := range s.PassiveOverrides {
		field := fmt.Sprintf("spec.passiveOverrides[%d]", i)
		doc.Require(field+".kind", p.Kind != "")
		doc.OneOf(field+".kind", p.Kind, "OverridePolicy", "ClusterOverridePolicy")
		doc.Require(field+".name", p.Name != "")
		if p.Kind == "ClusterOverridePolicy" && p.Namespace != "" {
			doc.Errorf(field+".namespace", "%s.namespace is %q, but a ClusterOverridePolicy has none", field, p.Namespace)
		}
		if seen[p.Title()] && p.Name != "" {
			doc.Errorf(field, "%s is %s, which is a duplicate", field, p.Title())
		}
		seen[p.Title()] = true
	}
}
