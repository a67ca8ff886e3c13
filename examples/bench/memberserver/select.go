package memberserver

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

// selection of objects of a kind.
type selection struct {
	namespace string // empty: all
	labels    labels.Selector
	fields    fields.Selector
}

func (c *call) selection(o metav1.ListOptions) (s selection, err error) {
	s.namespace = c.name.Namespace
	if s.labels, err = labels.Parse(o.LabelSelector); err != nil {
		return s, apierrors.NewBadRequest(err.Error())
	}
	if s.fields, err = fields.ParseSelector(o.FieldSelector); err != nil {
		return s, apierrors.NewBadRequest(err.Error())
	}
	for _, r := range s.fields.Requirements() {
		if r.Field != "metadata.name" && r.Field != "metadata.namespace" {
			return s, apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", r.Field))
		}
	}
	return s, nil
}

func (s selection) has(r *record) bool {
	return r != nil && (s.namespace == "" || s.namespace == r.Namespace) && s.labels.Matches(r.labels) &&
		s.fields.Matches(fields.Set{"metadata.name": r.Name, "metadata.namespace": r.Namespace})
}

// everything reports whether the selectors match every object.
func (s selection) everything() bool { return s.labels.Empty() && s.fields.Empty() }

// page returns the first selected objects, all or at most limit of them, and the objects from the first selected one after them on.
func (s selection) page(all []*record, limit int) (page, rest []*record) {
	for i, r := range all {
		switch {
		case !s.has(r):
		case limit > 0 && len(page) == limit:
			return page, all[i:]
		default:
			page = append(page, r)
		}
	}
	return page, nil
}

// count returns the number of selected objects.
func (s selection) count(all []*record) (n int64) {
	for _, r := range all {
		if s.has(r) {
			n++
		}
	}
	return n
}
