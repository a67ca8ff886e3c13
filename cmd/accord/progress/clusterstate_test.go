package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// TestDeliverySnapshot reads Deliveries as package status writes them.
func TestDeliverySnapshot(t *testing.T) {
	const revision, older = "main@sha1:2222222222", "main@sha1:1111111111"
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	cell := func(c status.Cell) status.Cell {
		c.Object, c.Cluster, c.Want = manifest.ID{Kind: "ConfigMap", Name: "web"}, "eu-1", "digest"
		return c
	}
	live := &status.Report{Digest: "digest", Health: kind.Healthy}
	sick := &status.Report{Digest: "digest", Health: kind.Failed, Message: "broken"}
	finished := status.Run{Started: true, Finished: true}

	for _, c := range []struct {
		state         string
		run           status.Run
		cell          status.Cell
		revision      string
		toBe, toApply Result
	}{
		{"healthy", finished, cell(status.Cell{Report: live}), revision, Done, Done},
		{"healthy on an older revision", finished, cell(status.Cell{Report: live}), older, "", ""},
		{"unhealthy", finished, cell(status.Cell{Report: sick}), revision, "", Done},
		{"not there yet", status.Run{Started: true}, cell(status.Cell{}), revision, "", ""},
		{"refused", finished, cell(status.Cell{Error: "quota"}), revision, "", ""},
		{"held", finished, cell(status.Cell{Held: "suspended"}), revision, Held, Held},
		{"held, nothing pending", finished, cell(status.Cell{Held: "suspended", Report: live}), revision, Done, Done},
		{"unreachable", status.Run{Unreachable: "timeout"}, cell(status.Cell{Unreachable: "timeout"}), revision, Unreachable, Unreachable},
		{"stopped by the prune limits", status.Run{Started: true, PruneBlocked: "9 of 10"}, cell(status.Cell{Report: live}), revision, Failed, Failed},
	} {
		t.Run(c.state, func(t *testing.T) {
			fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Name: "prod"}}
			rel := &v1alpha1.Release{
				ObjectMeta: metav1.ObjectMeta{Name: "prod-2", Generation: 1},
				Spec:       v1alpha1.ReleaseSpec{Revision: revision},
			}
			d := v1alpha1.Delivery{
				ObjectMeta: metav1.ObjectMeta{Generation: 3},
				Spec:       v1alpha1.DeliverySpec{Federation: "prod", Cluster: "eu-1", Revision: c.revision},
			}
			d.Status = status.Delivery(v1alpha1.DeliveryStatus{}, 3, c.revision, c.run, status.CountCells([]status.Cell{c.cell}), now)
			judged := func(g Goal) Result {
				return Judge(DeliverySnapshot(fed, rel, []v1alpha1.Delivery{d}, []string{"eu-1"}), g, now.Add(time.Hour)).Result
			}
			require.Equal(t, c.toBe, judged(Goal{}))
			require.Equal(t, c.toApply, judged(Goal{Applied: true}))

			d.Generation = 4 // the plan changed since: what is known is about the past
			require.Empty(t, judged(Goal{}))
		})
	}
}

// TestDeliverySnapshotWithoutDelivery: a wait for a cluster that the release does not go to ends as soon as the plan is
// complete.
func TestDeliverySnapshotWithoutDelivery(t *testing.T) {
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Name: "prod"}}
	rel := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: "prod-2", Generation: 1}}
	now := time.Now()
	moving := status.DeliveryState{Cluster: "eu-1", State: v1alpha1.Progressing, Reason: status.Progressing}
	rel.Status = status.Release(v1alpha1.ReleaseStatus{}, 1, status.ReleaseInput{Objects: 1, Deliveries: []status.DeliveryState{moving}}, now)
	require.Empty(t, Judge(DeliverySnapshot(fed, rel, nil, []string{"us-9"}), Goal{}, now).Result)

	healthy := status.DeliveryState{Cluster: "eu-1", State: v1alpha1.Healthy, Applied: true}
	rel.Status = status.Release(rel.Status, 1, status.ReleaseInput{Objects: 1, Deliveries: []status.DeliveryState{healthy}}, now)
	v := Judge(DeliverySnapshot(fed, rel, nil, []string{"us-9"}), Goal{}, now)
	require.Equal(t, Failed, v.Result)
	require.Equal(t, "nothing of this release goes to us-9", v.Message)
}
