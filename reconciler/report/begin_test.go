package report

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/reconciler/store"
)

// releaseWrites counts the writes of Releases. With hold, a put sends to begun and waits until hold is closed. With lost, the next put stores
// the Release and fails.
type releaseWrites struct {
	store.Store
	puts, wholes, statuses int
	begun, hold            chan bool
	lost                   bool
}

func (w *releaseWrites) Put(ctx context.Context, o client.Object) error {
	_, is := o.(*v1alpha1.Release)
	if !is {
		return w.Store.Put(ctx, o)
	}
	w.puts++
	if w.hold != nil {
		w.begun <- true
		<-w.hold
	}
	err := w.Store.Put(ctx, o)
	if w.lost {
		w.lost = false
		return errors.New("the answer is lost")
	}
	return err
}

func (w *releaseWrites) PutWhole(ctx context.Context, o client.Object) error {
	if _, is := o.(*v1alpha1.Release); is {
		w.wholes++
	}
	return w.Store.PutWhole(ctx, o)
}

func (w *releaseWrites) PutStatus(ctx context.Context, o client.Object) error {
	if _, is := o.(*v1alpha1.Release); is {
		w.statuses++
	}
	return w.Store.PutStatus(ctx, o)
}

func newRelease(revision string) *v1alpha1.Release {
	return &v1alpha1.Release{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod-" + revision, Labels: map[string]string{v1alpha1.FederationLabel: "prod"}},
		Spec:       v1alpha1.ReleaseSpec{Revision: revision},
	}
}

// stored returns a Release on the hub.
func (a *persisted) stored(revision string) *v1alpha1.Release {
	r := newRelease(revision)
	require.NoError(a, a.store.Get(a.Context(), r))
	return r
}

// writeStatus writes the status of the newest Release and of the older ones.
func (a *persisted) writeStatus() {
	require.NoError(a, a.reporter.write(a.Context(), changes.Status{Federation: a.f.Key()}))
}

func countReleases(t *testing.T) (*persisted, *releaseWrites) {
	a := persistTo(t)
	w := &releaseWrites{Store: a.store}
	a.reporter.store = w
	a.push("1", "", "a=1")
	a.writeStatus()
	*w = releaseWrites{Store: w.Store}
	return a, w
}

// TestAReleaseBeginsBesideThePlan has a push wait for no write of its Release, which has its digest and its status in one.
func TestAReleaseBeginsBesideThePlan(t *testing.T) {
	a, w := countReleases(t)
	a.reporter.BeginRelease(t.Context(), a.f, newRelease("2"))()
	require.Empty(t, a.stored("2").Spec.PlanDigest)
	require.EqualValues(t, 1, a.stored("2").Generation)
	newest, _ := a.f.NewestRelease()
	require.Equal(t, "prod-1", newest, "the commit is not planned")

	a.push("2", "", "a=2")
	require.Equal(t, 1, w.puts, "nothing is written between the plan and the delivery")
	a.writeStatus()
	require.Equal(t, 1, w.puts)
	require.Equal(t, 1, w.wholes)
	r := a.stored("2")
	require.Equal(t, a.f.Plan().Digest(), r.Spec.PlanDigest)
	require.EqualValues(t, 2, r.Generation)
	require.EqualValues(t, 2, r.Status.ObservedGeneration)
	require.Equal(t, "prod-2", a.stored("1").Status.SupersededBy)

	a.reporter.BeginRelease(t.Context(), a.f, newRelease("2"))()
	require.Equal(t, 1, w.puts, "the hub has it")
	a.reporter.BeginRelease(t.Context(), a.f, newRelease("1"))()
	require.Equal(t, 1, w.puts, "the hub has it, too: somebody pushed the commit before again")
}

// TestAPlanIsMadeBeforeItsReleaseBegan has the delivery wait for the write, which has no digest: it must not come after the digest.
func TestAPlanIsMadeBeforeItsReleaseBegan(t *testing.T) {
	a, w := countReleases(t)
	w.begun, w.hold = make(chan bool, 1), make(chan bool)
	wait := a.reporter.BeginRelease(t.Context(), a.f, newRelease("2"))
	<-w.begun
	pushed := make(chan bool)
	go func() {
		defer close(pushed)
		a.push("2", "", "a=2")
	}()
	select {
	case <-pushed:
		require.Fail(t, "the plan was persisted meanwhile")
	case <-time.After(50 * time.Millisecond):
	}
	close(w.hold)
	wait()
	<-pushed
	require.Equal(t, 1, w.puts)
	a.writeStatus()
	require.Equal(t, a.f.Plan().Digest(), a.stored("2").Spec.PlanDigest)
}

// TestALostAnswerToTheBeginning has a Release whose first write failed written with its digest before the delivery.
func TestALostAnswerToTheBeginning(t *testing.T) {
	a, w := countReleases(t)
	w.lost = true
	a.reporter.BeginRelease(t.Context(), a.f, newRelease("2"))()
	a.push("2", "", "a=2")
	require.Equal(t, 2, w.puts)
	require.Equal(t, a.f.Plan().Digest(), a.stored("2").Spec.PlanDigest)
	require.EqualValues(t, 2, a.stored("2").Status.ObservedGeneration, "the hub had it without a digest")
}

// TestACommitThatCannotBePlannedAfterItsReleaseBegan has the Release report the reason in the generation that it has.
func TestACommitThatCannotBePlannedAfterItsReleaseBegan(t *testing.T) {
	a, _ := countReleases(t)
	a.reporter.BeginRelease(t.Context(), a.f, newRelease("2"))()
	reason := errors.New("web.yaml:1: unknown field")
	release := a.f.Reject(inputkey.Key{}, newRelease("2"), reason)
	require.NoError(t, a.reporter.PutRelease(t.Context(), a.f, release, func() changes.Changes {
		return a.f.Rejected(inputkey.Key{}, release, release.Status, reason, time.Now())
	}))
	r := a.stored("2")
	require.Empty(t, r.Spec.PlanDigest)
	require.EqualValues(t, 1, r.Generation)
	require.EqualValues(t, 1, r.Status.ObservedGeneration)
	require.Equal(t, []string{reason.Error()}, r.Status.Errors)
}

// TestARevisionThatIsNotPlannedInTheEnd has the Release of the next revision supersede its Release.
func TestARevisionThatIsNotPlannedInTheEnd(t *testing.T) {
	a, _ := countReleases(t)
	a.reporter.BeginRelease(t.Context(), a.f, newRelease("2"))()
	a.push("3", "", "a=3")
	a.writeStatus()
	require.Equal(t, "prod-3", a.stored("2").Status.SupersededBy)
	require.Equal(t, "prod-3", a.stored("1").Status.SupersededBy)
}

// TestARevisionIsSupersededBeforeItsFirstStatus has an older Release get its digest: after a restart, the digest proves which plan was
// active last.
func TestARevisionIsSupersededBeforeItsFirstStatus(t *testing.T) {
	a, w := countReleases(t)
	a.reporter.BeginRelease(t.Context(), a.f, newRelease("2"))()
	a.push("2", "", "a=2")
	digest := a.f.Plan().Digest()
	a.push("3", "", "a=3")
	a.writeStatus()
	r := a.stored("2")
	require.Equal(t, digest, r.Spec.PlanDigest)
	require.Equal(t, "prod-3", r.Status.SupersededBy)
	require.EqualValues(t, 2, r.Generation)
	require.EqualValues(t, 2, r.Status.ObservedGeneration)
	require.Equal(t, 1, w.wholes)
	a.push("4", "", "a=4")
	a.writeStatus()
	require.Equal(t, 1, w.wholes, "once")
}
