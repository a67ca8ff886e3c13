package review

import (
	"cmp"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/source"
)

// observations returns the last observation of every cluster, nil without deliveries.
func observations(k *load.HubSnapshot, now time.Time) map[string]diff.Observation {
	if k == nil || len(k.Deliveries) == 0 {
		return nil
	}
	all := map[string]diff.Observation{}
	for i := range k.Deliveries {
		d := &k.Deliveries[i]
		revision := d.Status.LastAppliedRevision
		s := diff.Observation{Revision: revision, RevisionsBehind: revisionsBehind(k, revision)}
		if p := progress.DeliveryState(d, ""); p.State == v1alpha1.Unreachable {
			s.Unreachable = true
			if since := cmp.Or(d.Status.LastProbeTime, p.Since); since != nil {
				s.UnreachableFor = now.Sub(since.Time)
			}
		}
		all[d.Spec.Cluster] = s
	}
	return all
}

// revisionsBehind returns the number of newer revisions; 0 if it is not known.
func revisionsBehind(k *load.HubSnapshot, revision string) int {
	i := slices.IndexFunc(k.Releases, func(r v1alpha1.Release) bool { return source.SameCommit(r.Spec.Revision, revision) })
	if i < 0 {
		return 0
	}
	n := 0
	for j := range k.Releases {
		if k.Releases[i].CreationTimestamp.Before(&k.Releases[j].CreationTimestamp) {
			n++
		}
	}
	return n
}

// healthyRevision returns the last revision of a rollout that was healthy on a cluster, and "" if it is not known.
func healthyRevision(k *load.HubSnapshot, rollout, cluster string) string {
	if k == nil {
		return ""
	}
	for i := range k.Deliveries {
		d := &k.Deliveries[i]
		if d.Spec.Cluster != cluster {
			continue
		}
		at := slices.IndexFunc(d.Status.Rollouts, func(r v1alpha1.DeliveryRollout) bool { return r.Policy == rollout })
		switch {
		case at < 0:
			return d.Status.LastHealthyRevision
		case d.Status.Rollouts[at].HealthySince != nil:
			return d.Status.Rollouts[at].Current.Revision
		case d.Status.Rollouts[at].LastHealthy != nil:
			return d.Status.Rollouts[at].LastHealthy.Revision
		}
	}
	return ""
}
