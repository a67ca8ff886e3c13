package policy

import (
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Override is an OverridePolicy or ClusterOverridePolicy (Karmada §1.5).
type Override struct {
	Meta
	Spec OverrideSpec
	// RecordsReplicas keeps the replicas that the policy changes in ReplicasAnnotation. A RecoveryPlan sets it, no manifest.
	RecordsReplicas bool
}

// ReplicasAnnotation has the replicas of a workload in production, on a standby that does not run it.
const ReplicasAnnotation = "recovery.accord.dev/replicas"

// Equal reports whether two override policies have the same content, name and place in Git.
func (o *Override) Equal(other *Override) bool { return o == other || reflect.DeepEqual(o, other) }

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
	// ResourceSelectors select the objects to change; without selectors the policy applies to all objects of its
	// scope.
	ResourceSelectors []ResourceSelector `json:"resourceSelectors,omitempty"`
	// OverrideRules are applied in their order.
	OverrideRules []OverrideRule `json:"overrideRules,omitempty"`
	// TargetCluster is deprecated: write overrideRules[].targetCluster.
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`
	// Overriders is deprecated: write overrideRules[].overriders.
	Overriders *Overriders `json:"overriders,omitempty"`
}

// OverrideRule changes objects on the clusters it targets; nil targets every cluster.
type OverrideRule struct {
	// TargetCluster selects the clusters on which the rule applies; without it the rule applies on every cluster.
	TargetCluster *ClusterAffinity `json:"targetCluster,omitempty"`
	// Overriders are the changes.
	Overriders Overriders `json:"overriders"`
}

// Overriders are applied in the order image, command, args, labels, annotations, field, plaintext (Karmada §3.2).
type Overriders struct {
	// Plaintext has operations of a JSON Patch (RFC 6902). They apply last.
	Plaintext []PlaintextOverrider `json:"plaintext,omitempty"`
	// ImageOverrider changes the registry, repository or tag of container images.
	ImageOverrider []ImageOverrider `json:"imageOverrider,omitempty"`
	// CommandOverrider adds entries to the command of containers, or removes them.
	CommandOverrider []CommandOverrider `json:"commandOverrider,omitempty"`
	// ArgsOverrider adds entries to the args of containers, or removes them.
	ArgsOverrider []CommandOverrider `json:"argsOverrider,omitempty"`
	// LabelsOverrider changes labels of the object.
	LabelsOverrider []MetadataOverrider `json:"labelsOverrider,omitempty"`
	// AnnotationsOverrider changes annotations of the object.
	AnnotationsOverrider []MetadataOverrider `json:"annotationsOverrider,omitempty"`
	// FieldOverrider changes JSON or YAML that is inside a string, such as the data of a ConfigMap.
	FieldOverrider []FieldOverrider `json:"fieldOverrider,omitempty"`
}

// empty reports whether there are no overriders; fieldOverrider counts, unlike in Karmada (B9).
func (o Overriders) empty() bool {
	return len(o.Plaintext)+len(o.ImageOverrider)+len(o.CommandOverrider)+len(o.ArgsOverrider)+
		len(o.LabelsOverrider)+len(o.AnnotationsOverrider)+len(o.FieldOverrider) == 0
}

// PlaintextOverrider is one operation of a JSON Patch document (RFC 6902).
type PlaintextOverrider struct {
	// Path is the JSON pointer of the value to change, "/spec/replicas".
	Path string `json:"path"`
	// Operator is add, remove or replace.
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator string `json:"operator"`
	// Value is the new value. remove ignores it.
	Value *apiextensionsv1.JSON `json:"value,omitempty"`
}

// ImageOverrider changes one component of images (Karmada §3.3).
type ImageOverrider struct {
	// Predicate selects one image; without it the images of all containers of the kinds with a pod template change.
	Predicate *ImagePredicate `json:"predicate,omitempty"`
	// Component is the part of the image reference that changes.
	// +kubebuilder:validation:Enum=Registry;Repository;Tag
	Component string `json:"component"`
	// Operator is add, remove or replace.
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator string `json:"operator"`
	// Value is the new component, or the text to add to it. remove ignores it.
	Value string `json:"value,omitempty"`
}

// ImagePredicate selects exactly one image.
type ImagePredicate struct {
	// Path of the image from the root of the object, "/spec/template/spec/containers/0/image".
	Path string `json:"path"`
}

// CommandOverrider adds to or removes from the command or args of the containers with one name (Karmada §3.4).
type CommandOverrider struct {
	// ContainerName is the name of the containers to change.
	ContainerName string `json:"containerName"`
	// Operator is add or remove.
	// +kubebuilder:validation:Enum=add;remove
	Operator string `json:"operator"`
	// Value has the entries to add at the end, or to remove.
	Value []string `json:"value,omitempty"`
}

// MetadataOverrider changes labels or annotations (Karmada §3.5).
type MetadataOverrider struct {
	// Operator is add, remove or replace.
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator string `json:"operator"`
	// Value has the keys and their values. remove ignores the values.
	Value map[string]string `json:"value"`
}

// FieldOverrider patches JSON or YAML inside a string field (Karmada §3.5).
type FieldOverrider struct {
	// FieldPath is the JSON pointer of the string, "/data/app.yaml".
	FieldPath string `json:"fieldPath"`
	// JSON has the operations on JSON in the string. It excludes yaml.
	JSON []FieldOperation `json:"json,omitempty"`
	// YAML has the operations on YAML in the string. It excludes json.
	YAML []FieldOperation `json:"yaml,omitempty"`
}

// FieldOperation is one operation inside the string.
type FieldOperation struct {
	// SubPath is the JSON pointer of the value inside the string.
	SubPath string `json:"subPath"`
	// Operator is add, remove or replace.
	// +kubebuilder:validation:Enum=add;remove;replace
	Operator string `json:"operator"`
	// Value is the new value. add and replace require it; remove does not allow it.
	Value *apiextensionsv1.JSON `json:"value,omitempty"`
}
