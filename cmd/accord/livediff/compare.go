// Package livediff compares the objects of members with the objects that a tree renders for them.
package livediff

import (
	"context"
	"crypto/rand"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/propagate/diff/hunk"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// ClusterDiff is the outcome of one cluster.
type ClusterDiff struct {
	Cluster string `json:"cluster"`
	// Compared counts the objects that were compared.
	Compared int `json:"compared"`
	// Objects are those that differ.
	Objects []ObjectDiff `json:"objects"`
	// Held are objects that accord does not change on the cluster now, with the reason.
	Held []Reason `json:"held,omitempty"`
	// Errors are objects that could not be compared. The object is empty if the cluster as a whole could not.
	Errors []Reason `json:"errors,omitempty"`
}

// ObjectDiff is one object that differs.
type ObjectDiff struct {
	Object string `json:"object"`
	// At is the place of the manifest in Git; empty if Git does not have the object.
	At string `json:"at,omitempty"`
	// Action is create, change or delete: the step that makes the live object the wanted one.
	Action diff.Action `json:"action"`
	Hunks  []diff.Hunk `json:"hunks,omitempty"`
}

// Reason is an object with a reason.
type Reason struct {
	Object string `json:"object,omitempty"`
	Why    string `json:"why"`
}

// comparison compares the objects of one cluster.
type comparison struct {
	objects dynamic.Interface
	kinds   apimeta.RESTMapper
	// key is that of the fingerprints of secret values, new in each run.
	key    []byte
	result ClusterDiff
}

// fingerprintKey returns a new key.
func fingerprintKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return key
}

// compareCluster compares the wanted objects with those of the cluster, and reports those of the inventory that are not wanted. An API
// server computes the objects after a server-side apply as a dry-run, so that defaults, admission and fields of others are no differences.
func compareCluster(ctx context.Context, cfg *rest.Config, cluster string, wanted []propagate.Placed, inventory []manifest.ID, key []byte) (ClusterDiff, error) {
	m, err := clusters.Connect(cfg, cluster)
	if err != nil {
		return ClusterDiff{}, err
	}
	defer m.Close()
	kinds, err := restMapper(cfg)
	if err != nil {
		return ClusterDiff{}, err
	}
	c := &comparison{objects: m.Objects, kinds: kinds, key: key, result: ClusterDiff{Cluster: cluster, Objects: []ObjectDiff{}}}
	known := map[manifest.ID]bool{}
	for _, p := range wanted {
		known[p.ID] = true
		if p.Held != "" {
			c.result.Held = append(c.result.Held, Reason{p.ID.String(), p.Held})
			continue
		}
		c.note(p.ID, c.compare(ctx, p))
	}
	for _, id := range inventory {
		if !known[id] {
			c.note(id, c.unwanted(ctx, id))
		}
	}
	return c.result, ctx.Err()
}

// restMapper returns the kinds that the cluster serves, which it reads when they are needed.
func restMapper(cfg *rest.Config) (apimeta.RESTMapper, error) {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, err
	}
	return apiutil.NewDynamicRESTMapper(cfg, client)
}

func (c *comparison) note(id manifest.ID, err error) {
	if err != nil {
		c.result.Errors = append(c.result.Errors, Reason{id.String(), err.Error()})
		return
	}
	c.result.Compared++
}

// compare compares one wanted object.
func (c *comparison) compare(ctx context.Context, p propagate.Placed) error {
	wanted := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(p.Body.Bytes(), &wanted.Object); err != nil {
		return fmt.Errorf("reading the rendered object: %w", err)
	}
	resource, err := c.resource(p.ID, p.GVK.Version)
	var live *unstructured.Unstructured
	if err == nil {
		live, err = resource.Get(ctx, p.ID.Name, metav1.GetOptions{})
	}
	if apierrors.IsNotFound(err) || apimeta.IsNoMatchError(err) { // a definition of the tree may bring the kind
		c.differs(ObjectDiff{p.ID.String(), p.Origin.String(), diff.Create, c.hunks(nil, wanted)})
		return nil
	}
	if err != nil {
		return err
	}
	yield(wanted, live, p)
	after, err := dryRun(ctx, resource, wanted)
	if apierrors.IsInvalid(err) {
		return fmt.Errorf("the cluster rejects the change: %w", err)
	}
	if err != nil {
		return err
	}
	if hunks := c.hunks(withoutBookkeeping(live), withoutBookkeeping(after)); len(hunks) > 0 {
		c.differs(ObjectDiff{p.ID.String(), p.Origin.String(), diff.Modify, hunks})
	}
	return nil
}

// unwanted reports an object that accord delivered and that the tree does not place on the cluster.
func (c *comparison) unwanted(ctx context.Context, id manifest.ID) error {
	resource, err := c.resource(id)
	if err == nil {
		_, err = resource.Get(ctx, id.Name, metav1.GetOptions{})
	}
	if apierrors.IsNotFound(err) || apimeta.IsNoMatchError(err) {
		return nil
	}
	if err == nil {
		c.differs(ObjectDiff{Object: id.String(), Action: diff.Delete})
	}
	return err
}

func (c *comparison) differs(o ObjectDiff) { c.result.Objects = append(c.result.Objects, o) }

func (c *comparison) resource(id manifest.ID, version ...string) (dynamic.ResourceInterface, error) {
	mapping, err := c.kinds.RESTMapping(id.GroupKind(), version...)
	if err != nil {
		return nil, err
	}
	if id.Namespace == "" {
		return c.objects.Resource(mapping.Resource), nil
	}
	return c.objects.Resource(mapping.Resource).Namespace(id.Namespace), nil
}

// hunks returns the differences. Values of Secrets are fingerprints.
func (c *comparison) hunks(before, after *unstructured.Unstructured) []diff.Hunk {
	var all []diff.Hunk
	for _, h := range hunk.Compare(before, after, hunk.Options{Key: c.key}) {
		all = append(all, diff.Hunk(h))
	}
	return all
}

// yield removes the fields that belong to the member from the wanted object, as the controllers do.
func yield(wanted, live *unstructured.Unstructured, p propagate.Placed) {
	present := ownership.Present(p.Yields, p.Body.Bytes())
	for _, left := range ownership.Differing(ownership.Of(live).Yielded(present, live.Object), wanted.Object, live.Object) {
		ownership.Remove(wanted.Object, left.Path)
	}
}

// dryRun returns the object as it would be after the apply. Nothing is written.
func dryRun(ctx context.Context, resource dynamic.ResourceInterface, wanted *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return resource.Apply(ctx, wanted.GetName(), wanted, metav1.ApplyOptions{FieldManager: v1alpha1.FieldManager, Force: true, DryRun: []string{metav1.DryRunAll}})
}

// withoutBookkeeping removes the metadata of the API server that an apply may change, and the status.
func withoutBookkeeping(u *unstructured.Unstructured) *unstructured.Unstructured {
	for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	delete(u.Object, "status")
	return u
}
