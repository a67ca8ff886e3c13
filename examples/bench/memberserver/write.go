package memberserver

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// counted has the groups whose kinds have a generation.
var counted = []string{"apps", "batch", "networking.k8s.io", "policy", "apiextensions.k8s.io"}

// write is one change that a client requests.
type write struct {
	resource resource
	name     types.NamespacedName
	sent     *unstructured.Unstructured
	text     []byte // sent, as it was read from the wire
	manager  string
	force    bool
	dryRun   bool
}

// apply creates an object, or merges a request into the live one.
func (s *contents) apply(w write) (now *record, created bool, err error) {
	before := s.records[w.resource][w.name]
	live := empty(w.resource.kind)
	if before != nil {
		if live, err = before.object(); err != nil {
			return nil, false, err
		}
	}
	if err := s.admit(w, before != nil, live); err != nil {
		return nil, false, err
	}
	unstructured.RemoveNestedField(w.sent.Object, "status") // this path does not write it
	merged, err := s.host.merge(w, before == nil, live)
	if err != nil {
		return nil, false, err
	}
	now, err = s.put(w, before, live, merged)
	return now, before == nil, err
}

// create creates an object, and fails if the object exists.
func (s *contents) create(w write) (*record, error) {
	if s.records[w.resource][w.name] != nil {
		return nil, apierrors.NewAlreadyExists(w.resource.GroupResource(), w.name.Name)
	}
	live := empty(w.resource.kind)
	if err := s.admit(w, false, live); err != nil {
		return nil, err
	}
	merger, err := s.host.merger(w.resource.kind)
	if err != nil {
		return nil, err
	}
	unstructured.RemoveNestedField(w.sent.Object, "status")
	return s.put(w, nil, live, merger.UpdateNoErrors(live.DeepCopy(), w.sent, w.manager))
}

// admit returns an error for a write that conflicts with the live object, or whose namespace does not exist.
func (s *contents) admit(w write, exists bool, live *unstructured.Unstructured) error {
	if space := (types.NamespacedName{Name: w.name.Namespace}); w.resource.namespaced && s.records[s.host.spaces()][space] == nil {
		return apierrors.NewNotFound(namespaces.GroupResource(), space.Name)
	}
	uid, version := w.sent.GetUID(), w.sent.GetResourceVersion()
	switch {
	case !exists && uid != "":
		return apierrors.NewConflict(w.resource.GroupResource(), w.name.Name,
			fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	case exists && uid != "" && uid != live.GetUID():
		return apierrors.NewInvalid(w.resource.kind.GroupKind(), w.name.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "uid"), string(uid), "field is immutable"),
		})
	case version != "" && version != live.GetResourceVersion():
		return apierrors.NewConflict(w.resource.GroupResource(), w.name.Name,
			errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	}
	return nil
}

// put adds the result of a write, unless it equals the live object.
func (s *contents) put(w write, before *record, live *unstructured.Unstructured, result runtime.Object) (*record, error) {
	next, ok := result.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("merging %s made a %T", w.name, result)
	}
	w.furnish(live, next, before == nil)
	if before != nil {
		same, err := newRecord(next, before.version)
		if err != nil || bytes.Equal(same.text, before.text) {
			return before, err
		}
	}
	now, err := newRecord(next, s.version+1)
	if err != nil || w.dryRun {
		return now, err
	}
	s.add(change{w.resource, before, now, next.GetDeletionTimestamp() != nil && len(next.GetFinalizers()) == 0})
	return now, nil
}

// furnish sets the fields that an API server sets, whatever was sent.
func (w write) furnish(live, next *unstructured.Unstructured, created bool) {
	next.SetGroupVersionKind(w.resource.kind)
	next.SetName(w.name.Name)
	next.SetNamespace(w.name.Namespace)
	uid, born := live.GetUID(), live.GetCreationTimestamp()
	if created {
		uid, born = uuid.NewUUID(), metav1.NewTime(time.Now().UTC().Truncate(time.Second))
	}
	next.SetUID(uid)
	next.SetCreationTimestamp(born)
	next.SetDeletionTimestamp(live.GetDeletionTimestamp())
	if slices.Contains(counted, w.resource.Group) {
		next.SetGeneration(live.GetGeneration())
		if created || !equality.Semantic.DeepEqual(wanted(live), wanted(next)) {
			next.SetGeneration(live.GetGeneration() + 1)
		}
	}
	switch w.resource.kind.GroupKind() {
	case schema.GroupKind{Kind: "Namespace"}:
		furnishNamespace(next)
	case schema.GroupKind{Group: "apps", Kind: "Deployment"}:
		rollOut(next)
	}
}

// wanted returns the part of an object whose changes raise the generation; of Deployments it includes the annotations.
func wanted(u *unstructured.Unstructured) map[string]any {
	part := make(map[string]any, len(u.Object))
	if u.GetKind() == "Deployment" {
		part["metadata"] = u.GetAnnotations()
	}
	for key, value := range u.Object {
		if key != "metadata" && key != "status" {
			part[key] = value
		}
	}
	return part
}

func furnishNamespace(u *unstructured.Unstructured) {
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels["kubernetes.io/metadata.name"] = u.GetName()
	u.SetLabels(labels)
	u.Object["spec"] = map[string]any{"finalizers": []any{"kubernetes"}}
	u.Object["status"] = map[string]any{"phase": "Active"}
}

// rollOut replaces the controllers: all replicas are available at once.
func rollOut(u *unstructured.Unstructured) {
	replicas := int64(1)
	if n, found, err := unstructured.NestedInt64(u.Object, "spec", "replicas"); found && err == nil {
		replicas = n
	}
	status, _ := u.Object["status"].(map[string]any)
	if status != nil && status["observedGeneration"] == u.GetGeneration() {
		return
	}
	at := time.Now().UTC().Format(time.RFC3339)
	condition := func(kind, reason string) map[string]any {
		return map[string]any{"type": kind, "status": "True", "reason": reason, "lastUpdateTime": at, "lastTransitionTime": at}
	}
	u.Object["status"] = map[string]any{
		"observedGeneration": u.GetGeneration(),
		"replicas":           replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
		"conditions": []any{condition("Available", "MinimumReplicasAvailable"), condition("Progressing", "NewReplicaSetAvailable")},
	}
}

// begin creates a namespace that exists from the start.
func (s *contents) begin(namespace string) {
	w := write{resource: s.host.spaces(), name: types.NamespacedName{Name: namespace}, sent: empty(s.host.spaces().kind)}
	w.furnish(w.sent, w.sent, true)
	now, err := newRecord(w.sent, s.version+1)
	if err != nil {
		panic("a namespace that cannot be encoded: " + strconv.Quote(namespace)) // names are constants
	}
	s.add(change{resource: w.resource, now: now})
}

// spaces returns the resource of namespaces.
func (h *Host) spaces() resource { return h.catalog.resources[namespaces] }
