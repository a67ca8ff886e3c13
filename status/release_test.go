package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/readiness"
)

// legs makes one leg for each named state, on clusters c0, c1, ...: through the Delivery, as the loops do.
func legs(names ...string) []DeliveryState {
	var out []DeliveryState
	for i, n := range names {
		d := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, completed, CountCells(objects(n)), t0)
		out = append(out, NewDeliveryState(fmt.Sprint("c", i), 1, d))
	}
	return out
}

func TestReleaseInvariants(t *testing.T) {
	combinations(3, func(names []string) {
		in := ReleaseInput{Objects: 1, Deliveries: legs(names...)}
		s := Release(v1alpha1.ReleaseStatus{}, 3, in, t1)
		where := strings.Join(names, ", ")
		wellFormed(t, 3, s.ObservedGeneration, s.Conditions)
		allCurrent := !slices.ContainsFunc(names, func(n string) bool { return !current[n] })
		isStalled := meta.IsStatusConditionTrue(s.Conditions, stalled)
		require.Equal(t, allCurrent, meta.IsStatusConditionTrue(s.Conditions, ready), where)
		require.Equal(t, allCurrent, !kubectlWaits(t, 3, s), where)
		require.Equal(t, allCurrent, kstatusSays(t, 3, s) == kstatus.CurrentStatus, where)
		require.Equal(t, slices.ContainsFunc(names, stalls), isStalled, where)
		require.Equal(t, !allCurrent && !isStalled, s.WaitingFor != nil, where)
		if s.WaitingFor != nil {
			require.NotEmpty(t, s.WaitingFor.Cluster, where)
			require.NotEmpty(t, s.WaitingFor.Message, where)
			require.NotNil(t, s.WaitingFor.Since, where)
		}
		require.Equal(t, s, Release(s, 3, in, t1.Add(time.Hour)), "%s: not idempotent", where)
		slices.Reverse(in.Deliveries)
		require.Equal(t, s, Release(v1alpha1.ReleaseStatus{}, 3, in, t1), "%s: depends on the order", where)

		in.Starting = true
		s = Release(s, 4, in, t1)
		wellFormed(t, 4, s.ObservedGeneration, s.Conditions)
		require.True(t, meta.IsStatusConditionPresentAndEqual(s.Conditions, ready, metav1.ConditionUnknown), where)
		require.Zero(t, s.Summary.Total-s.Summary.Progressing, where)

		s = Release(s, 4, ReleaseInput{SupersededBy: "prod-b"}, t1)
		wellFormed(t, 4, s.ObservedGeneration, s.Conditions)
		require.False(t, meta.IsStatusConditionTrue(s.Conditions, ready), where)
		require.Nil(t, s.WaitingFor, where)
	})
}

func TestRelease(t *testing.T) {
	braked := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, Run{Started: true, Finished: true, PruneBlocked: "too many deletes"}, CountCells(objects("healthy")), t0)
	refusing := &Preflight{Refused: []Refusal{
		{"c1", "ConfigMap shop/a", "QuotaExceeded", "exceeded quota"}, {"c1", "ConfigMap shop/b", "Forbidden", "no"}, {"c2", "ConfigMap shop/a", "QuotaExceeded", "exceeded quota"},
	}}
	for name, tt := range map[string]struct {
		in      ReleaseInput
		ready   metav1.ConditionStatus
		reason  string
		message string
		kstatus kstatus.Status
		waits   string
	}{
		"done": {ReleaseInput{Objects: 2, Deliveries: legs("healthy", "healthy")},
			"True", ReconciliationSucceeded, "2 of 2 clusters healthy", "Current", ""},
		"about to start": {ReleaseInput{Objects: 2, Deliveries: legs("healthy", "healthy"), Starting: true},
			"Unknown", Progressing, "about to be delivered to 2 clusters", "InProgress", "c0: about to be delivered"},
		"on its way": {ReleaseInput{Deliveries: legs("healthy", "older")},
			"Unknown", Progressing, "1 of 2 clusters healthy, 1 progressing: c1 (apps/Deployment shop/web0: still runs another version)", "InProgress", "c1: apps/Deployment shop/web0: still runs another version"},
		"one held": {ReleaseInput{Deliveries: legs("healthy", "held", "healthy")},
			"Unknown", Held, "2 of 3 clusters healthy, 1 held: c1 (apps/Deployment shop/web0: suspended)", "InProgress", "c1: apps/Deployment shop/web0: suspended"},
		"one unreachable": {ReleaseInput{Deliveries: legs("healthy", "unreachable")},
			"False", ClustersUnreachable, "1 of 2 clusters healthy, 1 unreachable: c1 (1 of 1 objects)", "InProgress", ""},
		"one unhealthy": {ReleaseInput{Deliveries: legs("failed")},
			"False", HealthCheckFailed, "0 of 1 clusters healthy, 1 failed: c0 (apps/Deployment shop/web0: 1 of 2 available)", "InProgress", "c0: apps/Deployment shop/web0: 1 of 2 available"},
		"one refused": {ReleaseInput{Deliveries: legs("refused")},
			"False", ApplyFailed, "0 of 1 clusters healthy, 1 failed: c0 (apps/Deployment shop/web0: quota)", "InProgress", "c0: apps/Deployment shop/web0: quota"},
		"not approved": {ReleaseInput{Objects: 2, Deliveries: legs("healthy", "held", "failed"), Approval: &Approval{Digest: "sha256:01", Namespace: "demo", Federation: "prod", Release: "prod-a"}},
			"Unknown", Held, "the plan sha256:01 is not approved, and none of it is delivered; the clusters keep their objects. " +
				"To approve it: accord approve --plan sha256:01 -n demo -f prod", "InProgress", ": approval of the plan sha256:01"},
		"approved": {ReleaseInput{Objects: 2, Deliveries: legs("healthy"), Approval: &Approval{Digest: "sha256:01", By: "by the message of its commit"}},
			"True", ReconciliationSucceeded, "1 of 1 clusters healthy", "Current", ""},
		"not approved, and suspended": {ReleaseInput{Deliveries: legs("held"), Suspended: true, Approval: &Approval{Digest: "sha256:01", Namespace: "demo", Release: "prod-a"}},
			"Unknown", Held, (&Approval{Digest: "sha256:01", Namespace: "demo", Release: "prod-a"}).Message(), "InProgress", ": approval of the plan sha256:01"},
		"tried": {ReleaseInput{Deliveries: legs("healthy"), Preflight: &Preflight{}},
			"Unknown", Progressing, "it is tried on the clusters before anything is written to any", "InProgress", ": it is tried on the clusters before anything is written to any"},
		"tried and refused": {ReleaseInput{Deliveries: []DeliveryState{refusing.DeliveryState("c0"), refusing.DeliveryState("c1"), refusing.DeliveryState("c2")}, Preflight: refusing},
			"False", PreflightFailed, "c1 (and 1 more) refuses ConfigMap shop/a: exceeded quota; 1 other refusal; nothing is written to any cluster, and they keep their objects",
			"InProgress", "c1: ConfigMap shop/a: exceeded quota"},
		"tried, refused and suspended": {ReleaseInput{Deliveries: []DeliveryState{refusing.DeliveryState("c0")}, Preflight: refusing, Suspended: true},
			"Unknown", Suspended, "the federation is suspended; " + refusing.message(), "InProgress", ": the federation to be resumed"},
		"tried and taken": {ReleaseInput{Deliveries: legs("healthy"), Preflight: &Preflight{Passed: "tried 1 object"}},
			"True", ReconciliationSucceeded, "1 of 1 clusters healthy", "Current", ""},
		"broken commit": {ReleaseInput{Errors: []string{"web.yaml:3: bad indent"}},
			"False", BuildFailed, "the commit cannot be delivered; the clusters keep their objects: web.yaml:3: bad indent", "Failed", ""},
		"braked": {ReleaseInput{Deliveries: []DeliveryState{legs("healthy")[0], NewDeliveryState("c1", 1, braked)}},
			"False", PruneBlocked, "1 of 2 clusters healthy, 1 failed: c1 (pruning is stopped: too many deletes; 1 of 1 objects healthy)", "Failed", ""},
		"no cluster fits one object": {ReleaseInput{Deliveries: legs("healthy"), Unplaced: []string{"apps/Deployment shop/db: all are tainted"}},
			"False", NoClusterFits, "1 of 1 clusters healthy; no cluster fits 1 object: apps/Deployment shop/db: all are tainted", "InProgress", ": a cluster that fits apps/Deployment shop/db: all are tainted"},
		"one object stays where it was": {ReleaseInput{Deliveries: legs("healthy"), Retained: []string{"apps/Deployment shop/db: 5 replicas do not fit"}},
			"False", Unschedulable, "1 of 1 clusters healthy; no new choice could be made for 1 object, and the last one is kept: apps/Deployment shop/db: 5 replicas do not fit",
			"InProgress", ": clusters with room for apps/Deployment shop/db: 5 replicas do not fit"},
		"one stays where it was, another fits nowhere": {ReleaseInput{Deliveries: legs("healthy"), Unplaced: []string{"ConfigMap shop/a: all are tainted"}, Retained: []string{"apps/Deployment shop/db: 5 replicas do not fit"}},
			"False", NoClusterFits, "1 of 1 clusters healthy; no cluster fits 1 object: ConfigMap shop/a: all are tainted", "InProgress", ": a cluster that fits ConfigMap shop/a: all are tainted"},
		"one stays where it was, and a cluster is on its way": {ReleaseInput{Deliveries: legs("older"), Retained: []string{"apps/Deployment shop/db: 5 replicas do not fit"}},
			"Unknown", Progressing, "0 of 1 clusters healthy, 1 progressing: c0 (apps/Deployment shop/web0: still runs another version)", "InProgress", "c0: apps/Deployment shop/web0: still runs another version"},
		"suspended with something pending": {ReleaseInput{Deliveries: legs("healthy", "older"), Suspended: true},
			"Unknown", Suspended, "the federation is suspended; 1 of 2 clusters healthy, 1 progressing: c1 (apps/Deployment shop/web0: still runs another version)", "InProgress", ": the federation to be resumed"},
		"suspended with an object that fits nowhere": {ReleaseInput{Deliveries: legs("healthy"), Unplaced: []string{"ConfigMap shop/a: all are tainted"}, Suspended: true},
			"Unknown", Suspended, "the federation is suspended; 1 of 1 clusters healthy", "InProgress", ": the federation to be resumed"},
		"suspended with nothing pending": {ReleaseInput{Deliveries: legs("healthy"), Suspended: true},
			"True", ReconciliationSucceeded, "1 of 1 clusters healthy", "Current", ""},
		"nothing is decided": {ReleaseInput{},
			"True", ReconciliationSucceeded, "0 of 0 clusters healthy", "Current", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Release(v1alpha1.ReleaseStatus{}, 1, tt.in, t0)
			wellFormed(t, 1, s.ObservedGeneration, s.Conditions)
			r := meta.FindStatusCondition(s.Conditions, ready)
			require.Equal(t, tt.ready, r.Status)
			require.Equal(t, tt.reason, r.Reason)
			if name == "one unreachable" { // the sentence of the Delivery, cut
				require.True(t, strings.HasPrefix(r.Message, "1 of 2 clusters healthy, 1 unreachable: c1 ("), r.Message)
				require.Equal(t, "c1", s.WaitingFor.Cluster)
			} else {
				require.Equal(t, tt.message, r.Message)
				waits := ""
				if s.WaitingFor != nil {
					waits = s.WaitingFor.Cluster + ": " + s.WaitingFor.Message
				}
				require.Equal(t, tt.waits, waits)
			}
			require.Equal(t, tt.kstatus, kstatusSays(t, 1, s))
			require.Equal(t, tt.in.Suspended, meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Suspended))
			require.Equal(t, tt.in.Errors == nil, meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Rendered))
			require.Equal(t, s, Release(s, 1, tt.in, t1), "not idempotent")
		})
	}
}

func TestReleaseSuperseded(t *testing.T) {
	over := ReleaseInput{SupersededBy: "prod-b"}
	for name, tt := range map[string]struct {
		before     v1alpha1.ReleaseStatus
		generation int64
		ready      metav1.ConditionStatus
		reason     string
		kstatus    kstatus.Status
	}{
		"what was earned stays":           {Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Deliveries: legs("healthy")}, t0), 1, "True", ReconciliationSucceeded, "Current"},
		"earned for another plan":         {Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Deliveries: legs("healthy")}, t0), 2, "False", Superseded, "Failed"},
		"overtaken on its way":            {Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Deliveries: legs("older")}, t0), 1, "False", Superseded, "Failed"},
		"overtaken before it was written": {v1alpha1.ReleaseStatus{ObservedGeneration: -1}, 1, "False", Superseded, "Failed"},
		"broken commit":                   {Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Errors: []string{"bad"}}, t0), 1, "False", BuildFailed, "Failed"},
		"broken with another fleet":       {Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Errors: []string{"bad"}}, t0), 2, "False", Superseded, "Failed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Release(tt.before, tt.generation, over, t1)
			wellFormed(t, tt.generation, s.ObservedGeneration, s.Conditions)
			r := meta.FindStatusCondition(s.Conditions, ready)
			require.Equal(t, tt.ready, r.Status)
			require.Equal(t, tt.reason, r.Reason)
			require.Equal(t, tt.kstatus, kstatusSays(t, tt.generation, s))
			require.True(t, meta.IsStatusConditionTrue(s.Conditions, v1alpha1.Superseded))
			require.Equal(t, "prod-b", s.SupersededBy)
			if tt.before.ObservedGeneration == tt.generation {
				require.Equal(t, tt.before.Summary, s.Summary)
				require.Equal(t, reasonOf(tt.before.Conditions, v1alpha1.Applied), reasonOf(s.Conditions, v1alpha1.Applied))
			} else {
				require.Zero(t, s.Summary.Applied+s.Summary.Healthy, "what another plan reached is not what this one did")
				require.Nil(t, meta.FindStatusCondition(s.Conditions, v1alpha1.Applied))
			}
			require.Equal(t, s, Release(s, tt.generation, over, t1.Add(time.Hour)), "not idempotent")
			back := Release(s, tt.generation, ReleaseInput{Deliveries: legs("older")}, t1)
			require.Empty(t, back.SupersededBy, "it can become the newest again")
			require.Nil(t, meta.FindStatusCondition(back.Conditions, v1alpha1.Superseded))
		})
	}
}

// What is not held was written, even where it then failed: Applied does not go on as if something were under way.
func TestReleaseWrittenButHeld(t *testing.T) {
	leg := func(names ...string) DeliveryState {
		return NewDeliveryState("c0", 1, Delivery(v1alpha1.DeliveryStatus{}, 1, revision, completed, CountCells(objects(names...)), t0))
	}
	for name, tt := range map[string]struct {
		legs    []DeliveryState
		applied metav1.ConditionStatus
		reason  string
	}{
		"held":                        {[]DeliveryState{leg("held")}, "True", Succeeded},
		"held beside healthy":         {[]DeliveryState{leg("healthy", "held")}, "True", Succeeded},
		"held beside unhealthy":       {[]DeliveryState{leg("failed", "held")}, "True", Succeeded},
		"held beside what starts":     {[]DeliveryState{leg("progressing", "held")}, "True", Succeeded},
		"held beside what is older":   {[]DeliveryState{leg("older", "held")}, "Unknown", Progressing},
		"held beside what is refused": {[]DeliveryState{leg("refused", "held")}, "False", ApplyFailed},
	} {
		s := Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Deliveries: tt.legs}, t0)
		applied := meta.FindStatusCondition(s.Conditions, v1alpha1.Applied)
		require.Equal(t, tt.applied, applied.Status, name)
		require.Equal(t, tt.reason, applied.Reason, name)
		require.Zero(t, s.Summary.Applied, "%s: the count is of clusters that run all of it", name)
	}
}

func TestReleaseFindings(t *testing.T) {
	findings := make([]string, 12)
	for i := range findings {
		findings[i] = fmt.Sprint("finding ", i)
	}
	s := Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Warnings: findings[:10]}, t0)
	require.Equal(t, findings[:10], s.Warnings)
	s = Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Warnings: findings}, t0)
	require.Len(t, s.Warnings, 10)
	require.Equal(t, "and 3 more", s.Warnings[9])
	require.Equal(t, s.Warnings, Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Warnings: findings[:MaxWarnings], MoreWarnings: 2}, t0).Warnings)
}

func TestReleaseIsBounded(t *testing.T) {
	long := strings.Repeat("\"long\" ", 2000)
	in := ReleaseInput{Objects: 1000}
	for i := range 1000 {
		in.Deliveries = append(in.Deliveries, DeliveryState{Cluster: fmt.Sprintf("%s-%d", strings.Repeat("c", 40), i), State: v1alpha1.Failed, Reason: ApplyFailed, Object: web.String(), Message: long})
		in.Warnings, in.Unplaced = append(in.Warnings, long), append(in.Unplaced, long)
	}
	s := Release(v1alpha1.ReleaseStatus{}, 1, in, t0)
	wellFormed(t, 1, s.ObservedGeneration, s.Conditions)
	in.Errors = in.Warnings
	broken := Release(s, 2, in, t0)
	wellFormed(t, 2, broken.ObservedGeneration, broken.Conditions)
	for _, status := range []v1alpha1.ReleaseStatus{s, broken} {
		raw, err := json.Marshal(status)
		require.NoError(t, err)
		require.Less(t, len(raw), 64<<10)
		t.Log("bytes at 1,000 clusters:", len(raw))
	}
	require.Equal(t, int32(990), s.Omitted)
	require.Equal(t, int32(990), broken.ErrorsOmitted)
}

func TestFederation(t *testing.T) {
	release := func(names ...string) v1alpha1.ReleaseStatus {
		return Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Deliveries: legs(names...)}, t0)
	}
	prev := v1alpha1.FederationStatus{LastAppliedRevision: older, LastHealthyRevision: older, LastHandledReconcileAt: "before"}
	for name, tt := range map[string]struct {
		in               FederationInput
		ready            metav1.ConditionStatus
		reason           string
		kstatus          kstatus.Status
		applied, healthy string
	}{
		"nothing read":           {FederationInput{}, "Unknown", Progressing, "InProgress", older, older},
		"suspended from birth":   {FederationInput{Suspended: true}, "Unknown", Suspended, "InProgress", older, older},
		"done":                   {FederationInput{Release: "prod-a", Revision: revision, Newest: release("healthy")}, "True", ReconciliationSucceeded, "Current", revision, revision},
		"the next is planned":    {FederationInput{Release: "prod-a", Revision: revision, Newest: release("healthy"), Planning: "main@sha1:1111"}, "Unknown", Progressing, "InProgress", older, older},
		"held":                   {FederationInput{Release: "prod-a", Revision: revision, Newest: release("healthy", "held")}, "Unknown", Held, "InProgress", revision, older},
		"on its way":             {FederationInput{Release: "prod-a", Revision: revision, Newest: release("older")}, "Unknown", Progressing, "InProgress", older, older},
		"cannot be rendered":     {FederationInput{Release: "prod-a", Revision: revision, Newest: release("unrenderable")}, "False", BuildFailed, "Failed", older, older},
		"unread, then suspended": {FederationInput{Release: "prod-a", Revision: revision, Newest: release("healthy"), FetchError: errors.New("authentication required"), Suspended: true}, "Unknown", Suspended, "InProgress", revision, revision},
		"refused by a tenant":    {FederationInput{Release: "prod-a", Revision: revision, Newest: release("healthy"), FetchError: &RefusalError{errors.New("not this source")}}, "False", RefusedByTenant, "Failed", revision, revision},
		"sources cannot be read": {FederationInput{Release: "prod-a", Revision: revision, Newest: release("healthy"), FetchError: errors.New("authentication required")}, "False", FetchFailed, "InProgress", revision, revision},
	} {
		t.Run(name, func(t *testing.T) {
			s := Federation(prev, 3, tt.in, t0)
			wellFormed(t, 3, s.ObservedGeneration, s.Conditions)
			r := meta.FindStatusCondition(s.Conditions, ready)
			require.Equal(t, tt.ready, r.Status)
			require.Equal(t, tt.reason, r.Reason)
			require.Equal(t, tt.kstatus, kstatusSays(t, 3, s))
			require.Equal(t, tt.applied, s.LastAppliedRevision)
			require.Equal(t, tt.healthy, s.LastHealthyRevision)
			if tt.in.Planning == "" {
				require.Equal(t, tt.in.Revision, s.LastAttemptedRevision)
			}
			require.Equal(t, "before", s.LastHandledReconcileAt)
			require.Equal(t, s, Federation(s, 3, tt.in, t1), "not idempotent")
		})
	}
	require.EqualValues(t, -1, Federation(prev, 0, FederationInput{FetchError: errors.New("refused")}, t0).ObservedGeneration, "0 is left out by JSON")
	require.Equal(t, "now", Federation(prev, 3, FederationInput{HandledAt: "now"}, t0).LastHandledReconcileAt)
}

func TestCluster(t *testing.T) {
	isReady, limits := readiness.State{Known: true, Ready: true}, readiness.Thresholds{Failure: 30 * time.Second, Success: time.Minute}
	s := Cluster(v1alpha1.ClusterStatus{}, 1, Probe{Version: "v1.34.1", NodesTotal: 3, NodesReady: 2, Readiness: isReady}, t0)
	wellFormed(t, 1, s.ObservedGeneration, s.Conditions)
	require.True(t, meta.IsStatusConditionTrue(s.Conditions, ready))
	require.Equal(t, "2/3", s.NodeSummary.Display)
	require.Equal(t, stamp(t0), *s.LastProbeTime)

	lost := Cluster(s, 1, Probe{Err: errors.New("dial tcp: timeout")}, t1)
	wellFormed(t, 1, lost.ObservedGeneration, lost.Conditions)
	require.Equal(t, "ClusterNotReachable", reasonOf(lost.Conditions, ready))
	require.Equal(t, kstatus.InProgressStatus, kstatusSays(t, 1, lost))
	require.Equal(t, s.NodeSummary, lost.NodeSummary)
	require.Equal(t, stamp(t0), *lost.LastProbeTime, "the age of what is known")
	require.Equal(t, "Unauthorized", reasonOf(Cluster(s, 1, Probe{Err: errors.New("401"), Reason: "Unauthorized"}, t1).Conditions, ready))

	flap := Cluster(s, 1, Probe{Err: errors.New("dial tcp: timeout"), Readiness: readiness.State{Known: true, Ready: true, Contradicted: t0}, Thresholds: limits}, t1)
	require.Equal(t, "ClusterReady", reasonOf(flap.Conditions, ready))
	require.Equal(t, "no answer since "+t0.UTC().Format(time.RFC3339)+"; Ready becomes False after 30s: dial tcp: timeout", meta.FindStatusCondition(flap.Conditions, ready).Message)
	require.Equal(t, stamp(t0), *flap.LastProbeTime)
	back := Cluster(lost, 1, Probe{Version: "v1.34.2", Readiness: readiness.State{Known: true, Contradicted: t1}, Thresholds: limits}, t1)
	require.Equal(t, "ClusterNotReachable", reasonOf(back.Conditions, ready), "the threshold is not over")
	require.True(t, meta.IsStatusConditionFalse(back.Conditions, ready))
	require.Equal(t, "the cluster answers since "+t1.UTC().Format(time.RFC3339)+"; Ready becomes True after 1m0s", back.Message)
	require.Equal(t, "v1.34.2", back.KubernetesVersion)

	silent := ClusterUnknown(s, 1, "replica", t1)
	wellFormed(t, 1, silent.ObservedGeneration, silent.Conditions)
	require.Equal(t, "ClusterStatusUnknown", reasonOf(silent.Conditions, ready))
	require.Equal(t, "its replica has reported no probe since "+t0.UTC().Format(time.RFC3339), silent.Message)
	again := Cluster(silent, 1, Probe{Readiness: readiness.State{Known: true, Contradicted: t1}, Thresholds: limits}, t1)
	require.Equal(t, metav1.ConditionUnknown, meta.FindStatusCondition(again.Conditions, ready).Status, "the threshold is not over")
}
