package memberserver

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// remove deletes an object that has no finalizers, and a namespace with everything in it. One that has finalizers is only
// marked; then it is returned, and else what it was last.
func (s *store) remove(r resource, name types.NamespacedName, o metav1.DeleteOptions) (last *record, marked bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.shelves[r][name]
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
	s.keep(change{r, before, last, !marked})
	return last, marked, nil
}

// clear deletes everything in a namespace, finalizers or not. The caller holds s.mu.
func (s *store) clear(namespace string) error {
	for r, shelf := range s.shelves {
		for name, before := range shelf {
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
			s.keep(change{r, before, last, true})
		}
	}
	return nil
}

// admitRemoval checks what the client thinks that it deletes.
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

// unmet says in the API server's words, which begin with a capital, what does not hold.
func unmet(what string, wanted, found any) error {
	return errors.New(fmt.Sprint("Precondition failed: ", what, " in precondition: ", wanted, ", ", what, " in object meta: ", found))
}
