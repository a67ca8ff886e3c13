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

// read reads what the hub knows about the commit now.
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
	if len(w.Clusters) == 0 {
		return ReleaseSnapshot(fed, rel), nil
	}
	deliveries := &v1alpha1.DeliveryList{}
	if err := w.Hub.List(ctx, deliveries, hub.ListOptions(fed)...); err != nil {
		return Snapshot{}, w.Hub.Wrap("listing the deliveries of "+fed.Name, err)
	}
	return DeliverySnapshot(fed, rel, deliveries.Items, w.Clusters), nil
}

// findRelease is the Release of a commit, given by its first digits; nil when there is none yet. With several
// sources one commit can be part of several Releases: the one that is not superseded counts, else the newest.
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

// newer tells whether a counts rather than b.
func newer(a, b *v1alpha1.Release) bool {
	if isSuperseded(a) != isSuperseded(b) {
		return isSuperseded(b)
	}
	return b.CreationTimestamp.Before(&a.CreationTimestamp)
}

// commitIn is the whole commit of the release that begins with these digits.
func commitIn(rel *v1alpha1.Release, digits string) (string, bool) {
	for label, commit := range rel.Labels {
		if strings.HasPrefix(label, v1alpha1.RevisionLabelPrefix) && strings.HasPrefix(commit, digits) {
			return commit, true
		}
	}
	whole := text.CommitOf(rel.Spec.Revision)
	return whole, strings.HasPrefix(whole, digits)
}
