package apply

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/list"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

const (
	// listFrom is the number of unseen objects of one kind in one namespace from which one list replaces single
	// reads.
	listFrom = 4
	// listPage is the number of objects per page of a list.
	listPage = 500
)

// checkExisting checks whether objects that are about to be created exist already and belong to somebody else. A
// server-side apply has no create-only mode, so this is checked before: by one list of metadata per kind and
// namespace, or by single reads of a few objects. New namespaces and kinds that the cluster does not serve yet need
// no request. An object that is created between the check and the apply, milliseconds later, is overwritten in the
// fields of our manifest; that window is the price of one request per object.
func (d *delivery) checkExisting(ctx context.Context) error {
	var spaces, others []*task
	for _, t := range d.tasks {
		switch {
		case !t.unseen:
		case t.ID.GroupKind() == namespaceKind:
			spaces = append(spaces, t)
		default:
			others = append(others, t)
		}
	}
	if err := d.checkAll(ctx, spaces); err != nil {
		return err
	}
	fresh := map[string]bool{}
	for _, t := range spaces {
		fresh[t.ID.Name] = !t.adopt && !t.rejected && t.drift == nil
	}
	var open []*task
	for _, t := range others {
		if !fresh[t.ID.Namespace] {
			open = append(open, t)
			continue
		}
		d.decideOwner(t, nil)
	}
	return d.checkAll(ctx, open)
}

// place is the scope of one list.
type place struct {
	gvk       schema.GroupVersionKind
	namespace string
}

// checkAll checks all tasks, those of one place together.
func (d *delivery) checkAll(ctx context.Context, tasks []*task) error {
	var places []place
	at := map[place][]*task{}
	for _, t := range tasks {
		p := place{t.GVK, t.ID.Namespace}
		if at[p] == nil {
			places = append(places, p)
		}
		at[p] = append(at[p], t)
	}
	return each(ctx, d.options.Workers, places, func(ctx context.Context, p place) error {
		mapping, err := d.member.Kinds.Mapping(p.gvk)
		if err == nil && len(at[p]) >= listFrom {
			return d.checkByList(ctx, mapping.Resource, p, at[p])
		}
		return d.checkEach(ctx, at[p])
	})
}

func (d *delivery) checkEach(ctx context.Context, tasks []*task) error {
	for _, t := range tasks {
		if err := d.checkOne(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (d *delivery) checkByList(ctx context.Context, gvr schema.GroupVersionResource, p place, tasks []*task) error {
	wanted := map[string]bool{}
	for _, t := range tasks {
		wanted[t.ID.Name] = true
	}
	items, err := d.list(ctx, d.tenant, gvr, p.namespace, "", func(o *metav1.PartialObjectMetadata) bool { return wanted[o.Name] })
	if isDenied(err) && !cannotImpersonate(err) {
		return d.checkEach(ctx, tasks) // the account may have the right to read single objects
	} else if err != nil {
		return d.rejectAll(ctx, tasks, "reading the live objects", err)
	}
	existing := map[string]*metav1.PartialObjectMetadata{}
	for i := range items {
		existing[items[i].Name] = &items[i]
	}
	for _, t := range tasks {
		if err := d.resolve(ctx, t, existing[t.ID.Name]); err != nil {
			return err
		}
	}
	return nil
}

func (d *delivery) checkOne(ctx context.Context, t *task) error {
	objects, err := d.objects(t.GVK, t.ID)
	if meta.IsNoMatchError(err) {
		d.decideOwner(t, nil)
		return nil
	} else if err != nil {
		return d.rejectAll(ctx, []*task{t}, "reading the live object", err)
	}
	var found *metav1.PartialObjectMetadata
	err = d.request(ctx, func(ctx context.Context) (err error) {
		found, err = objects.Get(ctx, t.ID.Name, metav1.GetOptions{})
		return err
	})
	if apierrors.IsNotFound(err) {
		found, err = nil, nil
	}
	switch {
	case t.Implied && isDenied(err) && !cannotImpersonate(err): // the API server answers for each object whether it exists
		d.share(t)
		return nil
	case err != nil:
		return d.rejectAll(ctx, []*task{t}, "reading the live object", err)
	}
	return d.resolve(ctx, t, found)
}

// rejectAll rejects all tasks for the same reason.
func (d *delivery) rejectAll(ctx context.Context, tasks []*task, doing string, err error) error {
	for _, t := range tasks {
		t.rejected = true
		if err := d.fail(ctx, t.ID, doing, err); err != nil {
			return err
		}
	}
	return nil
}

// share leaves a namespace alone that only has to exist.
func (d *delivery) share(t *task) {
	t.rejected = true
	d.note(func(o *live.Outcome) { o.Shared = append(o.Shared, t.ID) })
}

// resolve decides about an object that is not known to be owned; found is nil if it does not exist.
func (d *delivery) resolve(ctx context.Context, t *task, found *metav1.PartialObjectMetadata) error {
	p := d.decideOwner(t, found)
	switch {
	case t.Implied && (p != nil || t.adopt && d.impersonates()): // it only has to be there, and a Tenant seldom may change it
		d.share(t)
		return nil
	case p == nil:
		return nil
	}
	return d.rejectAll(ctx, []*task{t}, "", d.nameOwner(ctx, p, found))
}

// decideOwner returns the conflict of an object that belongs to somebody else, or nil if it may be applied, and updates t:
//
//	not there                           create; drift if it was owned
//	our label, in inventory or applied  owned; the watch has not delivered it yet
//	our label, to be overwritten        adopted
//	our label                           rejected; somebody copied the label
//	label of another ApplySet           rejected, for any policy
//	no label, in inventory, own fields  owned; somebody removed the label
//	no label, a Namespace               adopted
//	no label, to be overwritten         adopted
//	no label                            rejected
func (d *delivery) decideOwner(t *task, found *metav1.PartialObjectMetadata) *live.Problem {
	if found == nil {
		if d.previous.Has(t.ID) {
			t.drift = &live.Drift{ID: t.ID, What: live.Deleted}
		}
		return nil
	}
	t.exists = true
	seen := live.ObserveMetadata(t.GVK, found)
	switch owner := found.Labels[v1alpha1.PartOfLabel]; {
	case owner == d.applySet && (d.previous.Has(t.ID) || seen.Applied()):
		return nil
	case owner == d.applySet && t.Overwrite:
		t.adopt = true
	case owner == d.applySet:
		return live.NewConflict("%s exists with the label of this federation, and accord did not create it; it stays as it is. conflictResolution: Overwrite in its policy takes it over", t.ID)
	case owner != "":
		return live.NewConflict("%s exists and belongs to another ApplySet, %s; it stays as it is", t.ID, owner)
	case d.previous.Has(t.ID) && seen.Fields != (ownership.Hash{}):
		t.drift = &live.Drift{ID: t.ID, Manager: seen.ChangedBy, What: live.Changed}
	case t.ID.GroupKind() == namespaceKind, t.Overwrite:
		t.adopt = true
	default:
		return live.NewConflict("%s exists and is not managed by accord; it stays as it is. conflictResolution: Overwrite in its policy takes it over", t.ID)
	}
	return nil
}

// nameOwner adds the name of the Federation that owns found to the problem, if accord manages it.
func (d *delivery) nameOwner(ctx context.Context, p *live.Problem, found *metav1.PartialObjectMetadata) *live.Problem {
	owner := found.Labels[v1alpha1.PartOfLabel]
	if owner == "" {
		return p
	}
	parents, err := d.list(ctx, d.tenant, configMapsResource, applyset.InventoryNamespace, v1alpha1.ApplySetLabel+"="+owner, anyObject)
	if err != nil || len(parents) == 0 { // the sentence without the name is true, too
		return p
	}
	return live.NewConflict("%w: that of federation %s", p, parents[0].Annotations[federationAnnotation])
}

func anyObject(*metav1.PartialObjectMetadata) bool { return true }

// list lists the metadata of a kind with the account of m; namespace "" means all namespaces. It keeps one page, and the objects for
// which keep is true: others may have created any number.
func (d *delivery) list(ctx context.Context, m *clusters.Member, gvr schema.GroupVersionResource, namespace, selector string, keep func(*metav1.PartialObjectMetadata) bool) ([]metav1.PartialObjectMetadata, error) {
	var all []metav1.PartialObjectMetadata
	var pages list.Pages
	for next := ""; ; {
		if err := pages.Next(); err != nil {
			return nil, fmt.Errorf("listing %s: %w", gvr.Resource, err)
		}
		var page *metav1.PartialObjectMetadataList
		err := d.request(ctx, func(ctx context.Context) (err error) {
			page, err = m.Metadata.Resource(gvr).Namespace(namespace).
				List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: listPage, Continue: next})
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", gvr.Resource, err)
		}
		for i := range page.Items {
			if keep(&page.Items[i]) {
				all = append(all, page.Items[i])
			}
		}
		if next = page.Continue; next == "" {
			return all, nil
		}
	}
}
