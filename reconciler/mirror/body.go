package mirror

import (
	"encoding/json"
	"fmt"
	"math"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/render"
)

const (
	// DecisionAnnotation is on every mirrored object, and on its pod template if it has one. Its value identifies the decision.
	DecisionAnnotation = "accord.dev/decision"
	// OwnerAnnotation is on every mirrored object. Its value is the Federation, "<namespace>/<name>".
	OwnerAnnotation = "accord.dev/mirror-of"
)

var (
	jobKind         = schema.GroupKind{Group: "batch", Kind: "Job"}
	cronJobKind     = schema.GroupKind{Group: "batch", Kind: "CronJob"}
	statefulSetKind = schema.GroupKind{Group: "apps", Kind: "StatefulSet"}
	namespaceKind   = schema.GroupKind{Kind: "Namespace"}
)

// body returns the object that is applied to the hub: the template with the sum of the replicas of all clusters, and with the
// decision in a field that moves the generation. replicas other than nil replaces the sum: an autoscaler of a member may run
// another number. total is the number of replicas in the body; nil for kinds without a sum.
func (t Template) body(owner string, replicas *int64) (text []byte, total *int64, err error) {
	u := t.Manifest.DeepCopy()
	render.Strip(u)
	mark(u, owner, t.Decision())
	if err := t.total(u, replicas); err != nil {
		return nil, nil, err
	}
	annotateTemplate(u, t.ID.GroupKind(), t.Decision())
	if t.ID.GroupKind() == manifest.DefinitionKind {
		// The conversion webhook runs on members. The hub serves only the version that was written.
		unstructured.RemoveNestedField(u.Object, "spec", "conversion")
	}
	if text, err = json.Marshal(u.Object); err != nil {
		return nil, nil, fmt.Errorf("mirroring %s: %w", t.ID, err)
	}
	return text, t.counted(u), nil
}

// counted returns the number of replicas in spec; nil for kinds without a sum.
func (t Template) counted(u *unstructured.Unstructured) *int64 {
	if !t.sums() {
		return nil
	}
	n, _ := t.Kind.Replicas(u)
	return new(int64(n))
}

// sums reports whether spec has the sum of the replicas of all clusters: readers of these kinds compare spec with the counts in
// status, which are sums.
func (t Template) sums() bool {
	return t.Kind.Replicas != nil && t.Kind.SetReplicas != nil && len(t.Shares) > 0 && (t.ID.Group == "apps" || t.ID.Group == "apps.kruise.io")
}

// mark sets the label of the mirror, the owner and the decision, and replaces marks that the manifest has.
func mark(u *unstructured.Unstructured, owner, decision string) {
	labels, annotations := u.GetLabels(), u.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	labels[v1alpha1.PartOfLabel] = setID
	delete(annotations, v1alpha1.DigestAnnotation)
	annotations[OwnerAnnotation], annotations[DecisionAnnotation] = owner, decision
	u.SetLabels(labels)
	u.SetAnnotations(annotations)
}

// annotateTemplate puts the decision into the pod template, where it moves the generation. The template of a Job is immutable:
// its mirror is recreated instead.
func annotateTemplate(u *unstructured.Unstructured, gk schema.GroupKind, decision string) {
	path := []string{"spec", "template"}
	switch gk {
	case jobKind:
		return
	case cronJobKind:
		path = []string{"spec", "jobTemplate", "spec", "template"}
	}
	if _, found, err := unstructured.NestedSlice(u.Object, append(path, "spec", "containers")...); !found || err != nil {
		return // no pod template
	}
	// The API server refuses a template whose annotations are no map.
	_ = unstructured.SetNestedField(u.Object, decision, append(path, "metadata", "annotations", DecisionAnnotation)...)
}

// total sets the replicas and the partition in spec to the sums over all clusters.
func (t Template) total(u *unstructured.Unstructured, replicas *int64) error {
	if !t.sums() {
		return nil
	}
	var sum, partition int64
	partitioned := false
	parsed := map[string]*unstructured.Unstructured{}
	for _, s := range t.Shares {
		if s.Rendered == nil {
			continue
		}
		r, err := parse(parsed, s)
		if err != nil {
			return fmt.Errorf("mirroring %s: the object for cluster %s: %w", t.ID, s.Cluster, err)
		}
		n, _ := t.Kind.Replicas(r)
		sum += int64(n)
		if p, found, _ := unstructured.NestedInt64(r.Object, "spec", "updateStrategy", "rollingUpdate", "partition"); found {
			partition, partitioned = partition+min(max(p, 0), int64(n)), true
		}
	}
	if replicas != nil {
		sum = *replicas
	}
	t.Kind.SetReplicas(u, int32(min(sum, math.MaxInt32)))
	if partitioned && t.ID.GroupKind() == statefulSetKind {
		return unstructured.SetNestedField(u.Object, min(partition, sum), "spec", "updateStrategy", "rollingUpdate", "partition")
	}
	return nil
}

// parse returns the rendered object of a share, and reads each distinct object once.
func parse(parsed map[string]*unstructured.Unstructured, s Share) (*unstructured.Unstructured, error) {
	if u := parsed[s.Digest]; u != nil {
		return u, nil
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(s.Rendered); err != nil {
		return nil, err
	}
	parsed[s.Digest] = u
	return u, nil
}
