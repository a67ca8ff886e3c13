package commitstatus

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/source/forge"
	"github.com/accord-dev/accord/status"
)

// TestRolloutOf translates the statuses that status.Release computes.
func TestRolloutOf(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	leg := func(cluster string, state v1alpha1.State, reason string) status.DeliveryState {
		done := state == v1alpha1.Healthy
		return status.DeliveryState{Cluster: cluster, State: state, Reason: reason, Message: "so it is", Applied: done, Written: done}
	}
	healthy, moving := leg("a", v1alpha1.Healthy, status.ReconciliationSucceeded), leg("b", v1alpha1.Progressing, status.Progressing)
	held, lost := leg("c", v1alpha1.Held, status.Held), leg("d", v1alpha1.Unreachable, status.ClustersUnreachable)
	sick := leg("e", v1alpha1.Failed, status.HealthCheckFailed)
	braked := status.DeliveryState{Cluster: "f", State: v1alpha1.Failed, Reason: status.PruneBlocked, Message: "7 of 9 objects", Stalled: true}
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	done, over := status.ReleaseInput{Objects: 1, Deliveries: []status.DeliveryState{healthy}}, status.ReleaseInput{SupersededBy: "prod-b"}
	many := []string{"web.yaml:3: " + strings.Repeat("a bad indent ", 20), "b", "c"}
	for name, c := range map[string]struct {
		inputs      []status.ReleaseInput // in turn
		state       forge.State
		description string
	}{
		"nothing is known yet":              {nil, forge.Pending, "prod plans this commit"},
		"about to be delivered":             {[]status.ReleaseInput{{Starting: true, Deliveries: []status.DeliveryState{healthy}}}, forge.Pending, "prod 0/1 healthy, 1 progressing"},
		"on its way":                        {[]status.ReleaseInput{{Deliveries: []status.DeliveryState{healthy, moving}}}, forge.Pending, "prod 1/2 healthy, 1 progressing"},
		"done":                              {[]status.ReleaseInput{done}, forge.Success, "prod 1/1 healthy"},
		"nothing is decided":                {[]status.ReleaseInput{{}}, forge.Success, "prod has nothing to do"},
		"held and lost":                     {[]status.ReleaseInput{{Deliveries: []status.DeliveryState{healthy, held, lost}}}, forge.Pending, "prod 1/3 healthy, 1 held, 1 unreachable"},
		"unhealthy, which may mend":         {[]status.ReleaseInput{{Deliveries: []status.DeliveryState{healthy, sick}}}, forge.Pending, "prod 1/2 healthy, 1 failed"},
		"unhealthy after it was done":       {[]status.ReleaseInput{done, {Deliveries: []status.DeliveryState{sick}}}, forge.Pending, "prod 0/1 healthy, 1 failed"},
		"the prune limits":                  {[]status.ReleaseInput{{Deliveries: []status.DeliveryState{healthy, braked}}}, forge.Failure, "1 of 2 clusters healthy, 1 failed: f (7 of 9 objects)"},
		"suspended":                         {[]status.ReleaseInput{{Suspended: true, Deliveries: []status.DeliveryState{healthy, held}}}, forge.Pending, "prod 1/2 healthy, 1 held, and is suspended"},
		"nothing fits":                      {[]status.ReleaseInput{{Unplaced: []string{"web: all are tainted"}}}, forge.Pending, "prod: 0 of 0 clusters healthy; no cluster fits 1 object: web: all are tainted"},
		"not approved":                      {[]status.ReleaseInput{{Approval: &status.Approval{Digest: digest}, Deliveries: []status.DeliveryState{held}}}, forge.Pending, "prod holds the plan sha256:0123456789ab, which is not approved"},
		"approved":                          {[]status.ReleaseInput{{Approval: &status.Approval{Digest: digest, By: "x"}, Deliveries: []status.DeliveryState{healthy}}}, forge.Success, "prod 1/1 healthy"},
		"one mistake":                       {[]status.ReleaseInput{{Errors: []string{"web.yaml:3: bad indent"}}}, forge.Failure, "web.yaml:3: bad indent"},
		"mistakes, the first too long":      {[]status.ReleaseInput{{Errors: many}}, forge.Failure, many[0][:124] + "... (and 2 more)"},
		"superseded before it began":        {[]status.ReleaseInput{over}, forge.Superseded, "superseded by prod-b"},
		"superseded on its way":             {[]status.ReleaseInput{{Deliveries: []status.DeliveryState{moving}}, over}, forge.Superseded, "superseded by prod-b"},
		"superseded before it was approved": {[]status.ReleaseInput{{Approval: &status.Approval{Digest: digest}, Deliveries: []status.DeliveryState{held}}, over}, forge.Superseded, "superseded by prod-b"},
		"superseded when it was done":       {[]status.ReleaseInput{done, over}, forge.Success, "prod 1/1 healthy"},
		"superseded when it was hopeless":   {[]status.ReleaseInput{{Errors: []string{"web.yaml:3: bad indent"}}, over}, forge.Failure, "web.yaml:3: bad indent"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: "prod-a", Generation: 2}, Spec: v1alpha1.ReleaseSpec{Federation: "prod", PlanDigest: digest}}
			for _, in := range c.inputs {
				r.Status = status.Release(r.Status, 2, in, at)
			}
			said := statusOf(r, &v1alpha1.CommitStatus{Instance: "eu", TargetURL: "https://hub.example/{release}"})
			require.Equal(t, forge.Status{Context: "accord/rollout/eu", State: c.state, Description: c.description, TargetURL: "https://hub.example/prod-a"}, said)
			require.LessOrEqual(t, utf8.RuneCountInString(said.Description), maxDescription)

			r.Generation = 3 // another plan: nothing was said of it yet
			if state, _ := rolloutOf(r); r.Status.SupersededBy == "" {
				require.Equal(t, forge.Pending, state)
			}
		})
	}
}

func TestDescriptionsAreBounded(t *testing.T) {
	require.Equal(t, "one line", firstLine("one line\nand another"))
	long := firstLine(strings.Repeat("\u00e9", 200))
	require.Equal(t, maxDescription, utf8.RuneCountInString(long))
	require.True(t, strings.HasSuffix(long, "\u00e9..."))
	require.True(t, utf8.ValidString(long))
}

func TestPrintTellsApart(t *testing.T) {
	source := func() v1alpha1.Source {
		return v1alpha1.Source{URL: "https://github.com/acme/shop", CommitStatus: &v1alpha1.CommitStatus{}}
	}
	said := forge.Status{Context: rolloutContext, State: forge.Pending, Description: "prod 1/2 healthy"}
	print := printOf(source(), "c1", said)
	require.Regexp(t, "^pending [0-9a-f]{12}$", print)
	require.Equal(t, print, printOf(source(), "c1", said))
	elsewhere, another := source(), said
	elsewhere.URL = "https://github.com/acme/other"
	another.Description = "prod 2/2 healthy"
	require.NotEqual(t, print, printOf(elsewhere, "c1", said))
	require.NotEqual(t, print, printOf(source(), "c2", said))
	require.NotEqual(t, print, printOf(source(), "c1", another))
}

// One commit of a source can be in many Releases when another source moves.
func TestReportingRelease(t *testing.T) {
	release := func(name, by string, minute int) v1alpha1.Release {
		r := v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(int64(60*minute), 0))}}
		r.Status.SupersededBy = by
		return r
	}
	for name, c := range map[string]struct {
		releases []v1alpha1.Release
		want     string
	}{
		"the one that is in force":                {[]v1alpha1.Release{release("a", "b", 1), release("b", "", 2)}, "b"},
		"the one in force, although it is older":  {[]v1alpha1.Release{release("a", "", 1), release("b", "a", 2)}, "a"},
		"the newest, when all were overtaken":     {[]v1alpha1.Release{release("a", "b", 1), release("b", "c", 2)}, "b"},
		"one of two of the same second, the same": {[]v1alpha1.Release{release("b", "c", 1), release("a", "c", 1)}, "a"},
	} {
		require.Equal(t, c.want, reporting(c.releases), name)
	}
}

func TestBackoff(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	one, two := target{types.NamespacedName{Name: "one"}, "app"}, target{types.NamespacedName{Name: "two"}, "app"}
	token, other := target{source: "secret/bot"}, target{source: "secret/other"}
	limited := fmt.Errorf("set the status: %w", &forge.RateLimitError{Until: now.Add(20 * time.Minute)})
	denied := fmt.Errorf("set the status: %w", forge.ErrDenied)

	t.Run("the first one goes at once, the next one after five seconds", func(t *testing.T) {
		p := newBackoff()
		require.Zero(t, p.wait(one, token, forge.Pending, 0, now))
		p.succeeded(one, token, "pending 1", now)
		require.Equal(t, "pending 1", p.last(one, "what the hub remembers").print)
		require.Equal(t, 5*time.Second, p.wait(one, token, forge.Pending, 0, now))
		require.Equal(t, time.Second, p.wait(one, token, forge.Pending, 0, now.Add(4*time.Second)))
		require.Zero(t, p.wait(one, token, forge.Pending, 0, now.Add(5*time.Second)))
		require.Zero(t, p.wait(two, token, forge.Pending, 0, now), "another commit")
		for _, state := range []forge.State{forge.Success, forge.Failure, forge.Superseded} {
			require.Zero(t, p.wait(one, token, state, 0, now), "the end is told at once")
		}
	})
	t.Run("what takes long is told of seldom", func(t *testing.T) {
		p := newBackoff()
		p.succeeded(one, token, "pending 1", now)
		require.Equal(t, 3*time.Minute, p.wait(one, token, forge.Pending, time.Hour, now))
	})
	t.Run("a rate limit holds for the token, and as long as the forge says", func(t *testing.T) {
		p := newBackoff()
		require.Equal(t, 20*time.Minute, p.failed(one, token, limited, now))
		require.Equal(t, 20*time.Minute, p.wait(two, token, forge.Success, 0, now))
		require.Zero(t, p.wait(two, other, forge.Success, 0, now))
		later := now.Add(20 * time.Minute)
		require.Zero(t, p.wait(one, token, forge.Success, 0, later))
		require.Equal(t, 10*time.Second, p.failed(one, token, limited, later), "it named a time that is over: twice the first pause")
	})
	t.Run("what is denied is tried less and less often", func(t *testing.T) {
		p, at := newBackoff(), now
		var waited []time.Duration
		for range 9 {
			waited = append(waited, p.failed(one, token, denied, at))
			require.Equal(t, waited[len(waited)-1], p.failed(two, token, denied, at), "those who ask at the same time count once")
			at = at.Add(waited[len(waited)-1])
		}
		require.Equal(t, []time.Duration{5e9, 10e9, 20e9, 40e9, 80e9, 160e9, 320e9, 600e9, 600e9}, waited)
		p.succeeded(one, token, "success 1", at)
		require.Equal(t, 5*time.Second, p.failed(two, token, denied, at), "it worked in between")
	})
	t.Run("a commit that is not there holds nobody else up", func(t *testing.T) {
		p := newBackoff()
		require.Equal(t, 5*time.Second, p.failed(one, token, forge.ErrNotFound, now))
		require.Equal(t, 5*time.Second, p.wait(one, token, forge.Success, 0, now))
		require.Zero(t, p.wait(two, token, forge.Success, 0, now))
		require.Equal(t, 10*time.Second, p.failed(one, token, errors.New("connection refused"), now.Add(5*time.Second)))
	})
	t.Run("what is gone is forgotten", func(t *testing.T) {
		p := newBackoff()
		p.succeeded(one, token, "success 1", now)
		p.failed(one, token, forge.ErrNotFound, now)
		p.forget(one.release)
		require.Empty(t, p.sent)
		require.Empty(t, p.pauses)
	})
}
