package policy

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// Override is an OverridePolicy or ClusterOverridePolicy (Karmada §1.5).
type Override struct {
	Meta
	Spec OverrideSpec
}

// Title returns "OverridePolicy shop/web" or "ClusterOverridePolicy web".
func (o *Override) Title() string {
	if o.ClusterWide() {
		return "ClusterOverridePolicy " + o.String()
	}
	return "OverridePolicy " + o.String()
}

// OverrideSpec is .spec of an OverridePolicy. The deprecated top-level targetCluster and overriders
// are folded into OverrideRules when a manifest is decoded.
type OverrideSpec struct {
	ResourceSelectors []ResourceSelector `json:"resourceSelectors,omitempty"`
	OverrideRules     []OverrideRule     `json:"overrideRules,omitempty"`
	TargetCluster     *ClusterAffinity   `json:"targetCluster,omitempty"`
	Overriders        *Overriders        `json:"overriders,omitempty"`
}

// OverrideRule changes objects on the clusters it targets; nil targets every cluster.
type OverrideRule struct {
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`
	Overriders    Overriders       `json:"overriders"`
}

// Overriders are applied in the order image, command, args, labels, annotations, field, plaintext (Karmada §3.2).
type Overriders struct {
	Plaintext            []PlaintextOverrider `json:"plaintext,omitempty"`
	ImageOverrider       []ImageOverrider     `json:"imageOverrider,omitempty"`
	CommandOverrider     []CommandOverrider   `json:"commandOverrider,omitempty"`
	ArgsOverrider        []CommandOverrider   `json:"argsOverrider,omitempty"`
	LabelsOverrider      []MetadataOverrider  `json:"labelsOverrider,omitempty"`
	AnnotationsOverrider []MetadataOverrider  `json:"annotationsOverrider,omitempty"`
	FieldOverrider       []FieldOverrider     `json:"fieldOverrider,omitempty"`
}

// empty reports whether there are no overriders; fieldOverrider counts, unlike in Karmada (B9).
func (o Overriders) empty() bool {
	return len(o.Plaintext)+len(o.ImageOverrider)+len(o.CommandOverrider)+len(o.ArgsOverrider)+
		len(o.LabelsOverrider)+len(o.AnnotationsOverrider)+len(o.FieldOverrider) == 0
}

// PlaintextOverrider is one operation of a JSON Patch document (RFC 6902).
type PlaintextOverrider struct {
	Path     string                `json:"path"`
	Operator string                `json:"operator"`
	Value    *apiextensionsv1.JSON `json:"value,omitempty"`
}

// ImageOverrider changes one component of images (Karmada §3.3).
type ImageOverrider struct {
	Predicate *ImagePredicate `json:"predicate,omitempty"`
	Component string          `json:"component"`
	Operator  string          `json:"operator"`
	Value     string          `json:"value,omitempty"`
}

// ImagePredicate selects exactly one image.
type ImagePredicate struct {
	Path string `json:"path"`
}

// CommandOverrider adds to or removes from the command or args of the containers with one name (Karmada §3.4).
type CommandOverrider struct {
	ContainerName string   `json:"containerName"`
	Operator      string   `json:"operator"`
	Value         []string `json:"value,omitempty"`
}

// MetadataOverrider changes labels or annotations (Karmada §3.5).
type MetadataOverrider struct {
	Operator string            `json:"operator"`
	Value    map[string]string `json:"value"`
}

// FieldOverrider patches JSON or YAML inside a string field (Karmada §3.5).
type FieldOverrider struct {
	FieldPath string           `json:"fieldPath"`
	JSON      []FieldOperation `json:"json,omitempty"`
	YAML      []FieldOperation `json:"yaml,omitempty"`
}

// FieldOperation is one operation inside the string.
type FieldOperation struct {
	SubPath  string                `json:"subPath"`
	Operator string                `json:"operator"`
	Value    *apiextensionsv1.JSON `json:"value,omitempty"`
}
