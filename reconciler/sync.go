package reconciler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fluxcd/pkg/apis/meta"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/source"
)

// syncer keeps the plan of every Federation up to date with its sources. It writes to the ledger and to no member.
type syncer struct {
	client.Client
	// secrets are read when they are needed, and never cached.
	secrets client.Reader
	cache   *source.Cache
	engine  *engine
	// taint has Clusters tainted as ClusterTaintPolicies say, by name: all taints beside those that are declared.
	taint func(map[string][]corev1.Taint)
}

// Reconcile looks at the sources of one Federation and puts in force what they say.
func (s *syncer) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	s.engine.lead() // only the replica that does gets here
	fed := &v1alpha1.Federation{}
	err := s.Get(ctx, req.NamespacedName, fed)
	switch {
	case apierrors.IsNotFound(err) || err == nil && fed.DeletionTimestamp != nil:
		s.engine.forget(req.NamespacedName)
		return ctrl.Result{}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	f, err := s.engine.open(ctx, fed)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := s.engine.forgetLeft(ctx, f, fed); err != nil {
		return ctrl.Result{}, err
	}
	interval := fed.Spec.Interval.Duration
	if fed.Spec.Suspend {
		s.engine.suspended(f)
	} else {
		if err := errors.Join(s.settle(ctx, f, fed), s.look(ctx, f, fed), s.ordered(ctx, f)); err != nil {
			return ctrl.Result{}, err
		}
		if f.trouble() {
			interval = min(interval, retryInterval)
		}
		if at := f.releasedAt(time.Now()); !at.IsZero() {
			interval = min(interval, time.Until(at)+time.Second)
		}
		if again := f.again(); again > 0 {
			interval = min(interval, again)
		}
	}
	f.handled(requestedAt(fed))
	s.engine.looked(f)
	return ctrl.Result{RequeueAfter: interval}, s.engine.reporter.writeRelease(ctx, f)
}

// look fetches, compiles and puts in force. A mistake in Git ends here without an error: trying again does not help,
// the next commit does. What runs stays as it is.
func (s *syncer) look(ctx context.Context, f *federation, fed *v1alpha1.Federation) error {
	c, err := fetch(ctx, s.cache, fed, s.secretOf(fed))
	if err != nil {
		s.engine.unread(f, err)
		return nil
	}
	members, err := s.fleet(ctx)
	if err != nil {
		return err
	}
	b := basisOf(fed, c, s.engine.inform(members), f.sight())
	if f.rests(b) {
		s.engine.resync(f)
		return nil
	}
	defer f.planning.begin()()
	p, err := s.propose(ctx, f, fed, c, members)
	if m, ok := errors.AsType[mistake](err); ok {
		return s.engine.refuse(ctx, f, b, c.release(fed), m.error)
	} else if err != nil {
		return err
	}
	return s.decide(ctx, f, fed, p)
}

// fleet lists the clusters of the hub, without those that are being deleted.
func (s *syncer) fleet(ctx context.Context) ([]v1alpha1.Cluster, error) {
	list := &v1alpha1.ClusterList{}
	if err := s.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing clusters: %w", err)
	}
	return byName(staying(list.Items)), nil
}

// byName sorts clusters: a cache lists them in any order, and the same fleet is the same basis of a plan.
func byName(members []v1alpha1.Cluster) []v1alpha1.Cluster {
	slices.SortFunc(members, func(a, b v1alpha1.Cluster) int { return strings.Compare(a.Name, b.Name) })
	return members
}

// secretOf reads the Secrets beside a Federation.
func (s *syncer) secretOf(fed *v1alpha1.Federation) func(context.Context, string) (map[string][]byte, error) {
	return func(ctx context.Context, name string) (map[string][]byte, error) {
		secret := &corev1.Secret{}
		err := s.secrets.Get(ctx, types.NamespacedName{Namespace: fed.Namespace, Name: name}, secret)
		return secret.Data, err
	}
}

// requestedAt is the value of the annotation that asks for a look now: ours, or Flux's. With both it is the later one;
// ours, if they are not times.
func requestedAt(obj client.Object) string {
	ours, flux := obj.GetAnnotations()[v1alpha1.RequestedAtAnnotation], obj.GetAnnotations()[meta.ReconcileRequestAnnotation]
	if ours == "" {
		return flux
	}
	a, errA := time.Parse(time.RFC3339Nano, ours)
	b, errB := time.Parse(time.RFC3339Nano, flux)
	if errA == nil && errB == nil && b.After(a) {
		return flux
	}
	return ours
}

// retryInterval is how soon a source that could not be read is tried again, if its interval is longer.
const retryInterval = 15 * time.Second
