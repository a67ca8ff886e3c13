package memberserver

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// remove deletes an object, and a namespace with all objects in it. It only marks an object that has finalizers. It returns the
// marked object, or the last state of the deleted one.
func (s *contents) remove(r resource, name types.NamespacedName, o metav1.DeleteOptions) (last *record, marked bool, err error) {
	before := s.records[r][name]
	if before == nil {
		return nil, false, apierrors.NewNotFound(r.GroupResource(), name.Name)
	}
	live, err := before.object()
	if err != nil {
		return nil, false, err
	}
	if err := admitRemoval(r, live, o.Preconditions); err != nil {
		return nil, false, err
	}
	if marked = len(live.GetFinalizers()) > 0; marked {
		if live.GetDeletionTimestamp() != nil {
			return before, true, nil
		}
		now := metav1.NewTime(time.Now().UTC().Truncate(time.Second))
		live.SetDeletionTimestamp(&now)
		zero := int64(0)
		live.SetDeletionGracePeriodSeconds(&zero)
		if live.GetGeneration() > 0 {
			live.SetGeneration(live.GetGeneration() + 1)
		}
	}
	if len(o.DryRun) > 0 {
		return before, marked, nil
	}
	if r == s.host.spaces() {
		if err := s.clear(name.Name); err != nil {
			return nil, false, err
		}
	}
	if last, err = newRecord(live, s.version+1); err != nil {
		return nil, false, err
	}
	s.add(change{r, before, last, !marked})
	return last, marked, nil
}

// clear deletes all objects of a namespace, finalizers or not.
func (s *contents) clear(namespace string) error {
	for r, records := range s.records {
		for name, before := range records {
			if name.Namespace != namespace {
				continue
			}
			live, err := before.object()
			if err != nil {
				return err
			}
			last, err := newRecord(live, s.version+1)
			if err != nil {
				return err
			}
			s.add(change{r, before, last, true})
		}
	}
	return nil
}

// admitRemoval checks the preconditions of a deletion.
func admitRemoval(r resource, live metav1.Object, p *metav1.Preconditions) error {
	switch {
	case p == nil:
	case p.UID != nil && *p.UID != live.GetUID():
		return apierrors.NewConflict(r.GroupResource(), live.GetName(),
			unmet("UID", *p.UID, live.GetUID()))
	case p.ResourceVersion != nil && *p.ResourceVersion != live.GetResourceVersion():
		return apierrors.NewConflict(r.GroupResource(), live.GetName(),
			unmet("ResourceVersion", *p.ResourceVersion, live.GetResourceVersion()))
	}
	return nil
}

// unmet returns the error of an API server, which begins with a capital, for a precondition that does not hold.
func unmet(field string, wanted, found any) error {
	return errors.New(fmt.Sprint("Precondition failed: ", field, " in precondition: ", wanted, ", ", field, " in object meta: ", found))
}
