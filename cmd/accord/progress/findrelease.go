package progress

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// read returns the current snapshot of the commit.
func (w *Wait) read(ctx context.Context) (Snapshot, error) {
	fed := &v1alpha1.Federation{}
	if err := w.Hub.Get(ctx, client.ObjectKeyFromObject(w.Federation), fed); err != nil {
		return Snapshot{}, w.Hub.Wrap("reading federation "+w.Federation.Name, err)
	}
	releases := &v1alpha1.ReleaseList{}
	if err := w.Hub.List(ctx, releases, hub.ListOptions(fed)...); err != nil {
		return Snapshot{}, w.Hub.Wrap("listing the releases of "+fed.Name, err)
	}
	rel, err := findRelease(releases.Items, w.Commit)
	if err != nil {
		return Snapshot{}, err
	}
	if len(w.Clusters) == 0 || rel == nil {
		s := ReleaseSnapshot(fed, rel)
		if rel == nil {
			s.Refused = w.refusal(ctx, fed, releases.Items)
		}
		return w.located(ctx, s, fed, releases.Items), nil
	}
	deliveries := &v1alpha1.DeliveryList{}
	if err := w.Hub.List(ctx, deliveries, hub.ListOptions(fed)...); err != nil {
		return Snapshot{}, w.Hub.Wrap("listing the deliveries of "+fed.Name, err)
	}
	return w.located(ctx, DeliverySnapshot(fed, rel, deliveries.Items, w.Clusters), fed, releases.Items), nil
}

// commit can be in several Releases: findRelease prefers one that is not superseded, then the newest.
func findRelease(releases []v1alpha1.Release, commit string) (*v1alpha1.Release, error) {
	var found *v1alpha1.Release
	var is string
	for i := range releases {
		rel := &releases[i]
		full, ok := commitIn(rel, commit)
		switch {
		case !ok:
			continue
		case found != nil && full != is:
			return nil, fmt.Errorf("revision %s is ambiguous: %s or %s", commit, is, full)
		case found == nil || newer(rel, found):
			found, is = rel, full
		}
	}
	return found, nil
}

// newer reports whether findRelease prefers a.
func newer(a, b *v1alpha1.Release) bool {
	if isSuperseded(a) != isSuperseded(b) {
		return isSuperseded(b)
	}
	return b.CreationTimestamp.Before(&a.CreationTimestamp)
}

// commitIn returns the whole commit of the release that begins with these digits.
func commitIn(rel *v1alpha1.Release, digits string) (string, bool) {
	for label, commit := range rel.Labels {
		if strings.HasPrefix(label, v1alpha1.RevisionLabelPrefix) && strings.HasPrefix(commit, digits) {
			return commit, true
		}
	}
	whole := text.CommitOf(rel.Spec.Revision)
	return whole, strings.HasPrefix(whole, digits)
}
