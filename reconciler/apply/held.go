package apply

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// neededByHeld returns the objects among going that held objects need: a held object keeps its dependencies. It
// reads the dependencies from the live objects, because those in Git may be newer or gone. That costs one request
// for every held object of a kind with references, and none while nothing is removed.
func (d *delivery) neededByHeld(ctx context.Context, going []manifest.ID) (map[manifest.ID]bool, error) {
	spared := map[manifest.ID]bool{}
	for owners := slices.Collect(maps.Keys(d.outcome.Held)); len(owners) > 0 && len(spared) < len(going); {
		needed, err := d.dependencies(ctx, owners)
		if err != nil {
			return nil, err
		}
		owners = nil
		for _, owner := range slices.SortedFunc(maps.Keys(needed), manifest.ID.Compare) {
			for _, id := range d.referenced(going, needed[owner]) {
				if !spared[id] {
					spared[id] = true
					d.outcome.Held[id] = fmt.Sprintf("%s needs it and stays: %s", owner, d.outcome.Held[owner])
					owners = append(owners, id) // and the objects that it needs
				}
			}
		}
	}
	return spared, nil
}

// referenced returns the objects among going that a reference matches.
func (d *delivery) referenced(going []manifest.ID, refs []kind.Reference) []manifest.ID {
	var found []manifest.ID
	for _, id := range going {
		if slices.ContainsFunc(refs, func(r kind.Reference) bool { return d.matches(r, id) }) {
			found = append(found, id)
		}
	}
	return found
}

// matches reports whether a reference is to a live owned object.
func (d *delivery) matches(r kind.Reference, id manifest.ID) bool {
	if r.Name != "" {
		return r.ID == id
	}
	seen, _ := d.live.Get(id)
	return r.GroupKind() == id.GroupKind() && r.Namespace == id.Namespace &&
		labels.SelectorFromSet(r.Labels).Matches(labels.Set(seen.Labels))
}

// dependencies returns the references of live objects, by object.
func (d *delivery) dependencies(ctx context.Context, owners []manifest.ID) (map[manifest.ID][]kind.Reference, error) {
	var mu sync.Mutex
	all := map[manifest.ID][]kind.Reference{}
	err := each(ctx, d.options.Workers, owners, func(ctx context.Context, id manifest.ID) error {
		seen, there := d.live.Get(id)
		dependencies := d.kindOf(id.GroupKind()).Dependencies
		if !there || dependencies == nil {
			return nil
		}
		u, err := d.getObject(ctx, seen.GVK, id)
		if apierrors.IsNotFound(err) {
			return nil
		} else if err != nil {
			return d.fail(ctx, id, "looking for its dependencies", err)
		}
		mu.Lock()
		defer mu.Unlock()
		all[id] = dependencies(u)
		return nil
	})
	return all, err
}

// getObject reads a whole object.
func (d *delivery) getObject(ctx context.Context, gvk schema.GroupVersionKind, id manifest.ID) (u *unstructured.Unstructured, err error) {
	mapping, err := d.member.Kinds.Mapping(gvk)
	if err != nil {
		return nil, err
	}
	err = d.request(ctx, func(ctx context.Context) (err error) {
		u, err = d.tenant.Objects.Resource(mapping.Resource).Namespace(id.Namespace).Get(ctx, id.Name, metav1.GetOptions{})
		return err
	})
	return u, err
}

// kindOf returns the Kind of a group and kind.
func (d *delivery) kindOf(gk schema.GroupKind) kind.Kind {
	if d.options.Known == nil {
		return interpret.Of(gk)
	}
	return d.options.Known(gk)
}
