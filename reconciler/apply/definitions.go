package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/reconciler/apply/live"
)

const (
	// establishLimit is the longest wait until a CustomResourceDefinition is served; establishPause is the time
	// between two requests.
	establishLimit = 30 * time.Second
	establishPause = 50 * time.Millisecond
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// waitUntilServed returns when the API server serves the kinds of the definitions that were just applied. A
// definition that is not served in time has a Problem, and so have its custom resources.
func (d *delivery) waitUntilServed(ctx context.Context, definitions []*task) error {
	definitions = slices.DeleteFunc(definitions, func(t *task) bool { return d.outcome.Errors[t.ID] != nil })
	if len(definitions) == 0 {
		return nil
	}
	if err := each(ctx, d.options.Workers, definitions, d.waitUntilEstablished); err != nil {
		return err
	}
	return d.waitForDiscovery(ctx, slices.DeleteFunc(definitions, func(t *task) bool { return d.outcome.Errors[t.ID] != nil }))
}

// waitForDiscovery refreshes discovery until it lists the kinds of the definitions, which happens a moment after
// they are established. The objects of a kind that it does not list in time have a Problem.
func (d *delivery) waitForDiscovery(ctx context.Context, definitions []*task) error {
	var kinds []schema.GroupVersionKind
	for _, t := range definitions {
		kinds = append(kinds, definedKinds(t.Body.Bytes())...)
	}
	for deadline := time.Now().Add(establishLimit); ; {
		d.requests.Add(1)
		if err := d.member.Kinds.Refresh(); err != nil {
			return fmt.Errorf("cluster %s: %w", d.member.Name, err)
		}
		kinds = slices.DeleteFunc(kinds, func(gvk schema.GroupVersionKind) bool {
			_, err := d.member.Kinds.Mapping(gvk)
			return !meta.IsNoMatchError(err)
		})
		if len(kinds) == 0 || time.Now().After(deadline) {
			return nil
		}
		select {
		case <-time.After(establishPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// definedKinds returns the kinds that a definition serves.
func definedKinds(definition []byte) []schema.GroupVersionKind {
	var crd struct {
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Served bool
			}
		}
	}
	if json.Unmarshal(definition, &crd) != nil {
		return nil // the API server took it: there is nothing to wait for
	}
	var kinds []schema.GroupVersionKind
	for _, v := range crd.Spec.Versions {
		if v.Served {
			kinds = append(kinds, schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind})
		}
	}
	return kinds
}

func (d *delivery) waitUntilEstablished(ctx context.Context, t *task) error {
	deadline := time.Now().Add(establishLimit)
	for {
		var crd *unstructured.Unstructured
		err := d.request(ctx, func(ctx context.Context) (err error) {
			crd, err = d.tenant.Objects.Resource(definitions).Get(ctx, t.ID.Name, metav1.GetOptions{})
			return err
		})
		switch {
		case err != nil:
			return d.fail(ctx, t.ID, "waiting until its kind is served", err)
		case established(crd):
			return nil
		case time.Now().After(deadline):
			return d.fail(ctx, t.ID, "", &live.Problem{Reason: live.Timeout, Retry: true, Err: fmt.Errorf("its kind is not served %s after it was applied", establishLimit)})
		}
		select {
		case <-time.After(establishPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func established(definition *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(definition.Object, "status", "conditions") // none: not yet
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, ok := c.(map[string]any)
		return ok && condition["type"] == "Established" && condition["status"] == "True"
	})
}
