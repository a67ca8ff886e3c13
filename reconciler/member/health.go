package member

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate/taint"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/status/readiness"
)

const (
	// defaultEvictionTimeout is the time from the taint NoSchedule to the taint NoExecute, as in Karmada 1.3.
	defaultEvictionTimeout = 5 * time.Minute
	// defaultMaxUnreachable is the percentage of clusters that are not Ready above which accord adds no taint NoExecute.
	defaultMaxUnreachable = 30
	// countReadyInterval is the least time between two counts of the clusters that are not Ready.
	countReadyInterval = time.Second
)

// Health has the times after which the condition Ready of a Cluster and its automatic taints change. The zero Health has the defaults.
type Health struct {
	Thresholds      readiness.Thresholds
	EvictionTimeout time.Duration
	// MaxUnreachable is the percentage of clusters that are not Ready above which accord adds no taint NoExecute.
	MaxUnreachable int
}

// defaultHealth returns the defaults.
func defaultHealth() Health {
	return Health{
		Thresholds:      readiness.Thresholds{Failure: readiness.DefaultThreshold, Success: readiness.DefaultThreshold},
		EvictionTimeout: defaultEvictionTimeout, MaxUnreachable: defaultMaxUnreachable,
	}
}

// MostUnreachable returns MaxUnreachable, of the zero Health its default.
func (h Health) MostUnreachable() int {
	if h == (Health{}) {
		return defaultMaxUnreachable
	}
	return h.MaxUnreachable
}

// Register adds the flags. Where Karmada 1.3 has a flag, the name is the same.
func (h *Health) Register(f *pflag.FlagSet) {
	*h = defaultHealth()
	f.DurationVar(&h.Thresholds.Failure, "cluster-failure-threshold", h.Thresholds.Failure, "time for which all probes of a cluster have to fail before Ready becomes False")
	f.DurationVar(&h.Thresholds.Success, "cluster-success-threshold", h.Thresholds.Success, "time for which all probes of a cluster have to succeed before Ready becomes True")
	f.DurationVar(&h.EvictionTimeout, "failover-eviction-timeout", h.EvictionTimeout, "time after which a cluster that is not Ready gets a taint with the effect NoExecute")
	f.Var((*percentage)(&h.MaxUnreachable), "failover-max-unreachable", "share of the clusters that are not Ready, at least two, above which no cluster gets that taint")
}

// percentage is a flag from 0% to 100%.
type percentage int

// String implements pflag.Value.
func (p *percentage) String() string { return strconv.Itoa(int(*p)) + "%" }

// Type implements pflag.Value.
func (*percentage) Type() string { return "percentage" }

// Set implements pflag.Value.
func (p *percentage) Set(text string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || n < 0 || n > 100 || !strings.HasSuffix(text, "%") {
		return fmt.Errorf("%q: expected a percentage from 0%% to 100%%, such as 30%%", text)
	}
	*p = percentage(n)
	return nil
}

// unusable is the error of a cluster that accord cannot connect to before a person changes its Cluster or its Secret, which is missing
// or malformed.
type unusable struct{ error }

// Unwrap returns the cause.
func (u unusable) Unwrap() error { return u.error }

// observe records the result of a probe, and returns the readiness of the cluster after it. A cluster without usable credentials counts
// as refused: the first probe with others counts at once.
func (c *Controller) observe(member *v1alpha1.Cluster, err error, now time.Time) readiness.State {
	_, refused := errors.AsType[unusable](err)
	refused = refused || slices.Contains(refusals, clusters.Reason(err))
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.readiness[member.Name]
	if !known {
		before = readiness.Recorded(meta.FindStatusCondition(member.Status.Conditions, fluxmeta.ReadyCondition), refusals)
	}
	after := before.After(readiness.Observation{Ready: err == nil, Refused: refused, At: now}, c.Health.Thresholds)
	c.readiness[member.Name] = after
	return after
}

// readyReason returns the reason of Ready for the error of a probe: Karmada's, or that of a refusal.
func readyReason(err error) string {
	if apierrors.IsNotFound(err) { // its Secret is missing, or no Kubernetes API server is there
		return v1alpha1.ClusterNotReachable
	}
	switch reason := clusters.Reason(err); reason {
	case clusters.AnotherCluster, clusters.DuplicateCluster, clusters.CredentialsRefused:
		return reason
	case clusters.AuthFailed, clusters.Forbidden, clusters.Unavailable:
		return v1alpha1.ClusterNotReady
	}
	return v1alpha1.ClusterNotReachable
}

// taint puts the automatic taints of a Cluster, and the condition FailoverBlocked, into its next status. answers is the result of the
// last probe.
func (c *Controller) taint(ctx context.Context, member *v1alpha1.Cluster, next *v1alpha1.ClusterStatus, answers bool, now time.Time) error {
	health := taint.Health{Answers: answers, EvictionTimeout: c.Health.EvictionTimeout}
	if ready := meta.FindStatusCondition(next.Conditions, fluxmeta.ReadyCondition); ready != nil {
		health.Ready = ready.Status
	}
	blocked := false
	if health.Ready != metav1.ConditionTrue {
		fleet, err := c.countNotReady(ctx, now)
		if err != nil {
			return err
		}
		before := meta.FindStatusCondition(member.Status.Conditions, v1alpha1.FailoverBlocked)
		if health.Blocked = fleet.Blocked(before, member.Generation, now); health.Blocked != nil {
			next.Conditions = append(next.Conditions, *health.Blocked)
			blocked = health.Blocked.Status == metav1.ConditionTrue
			if blocked && (before == nil || before.Status != metav1.ConditionTrue) {
				c.Emit(changes.Event{About: member, Type: changes.Warning, Reason: v1alpha1.FailoverBlocked, Message: health.Blocked.Message})
			}
		}
	}
	next.Taints = taint.Automatic(next.Taints, health, now)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.blocked[member.Name] = blocked
	return nil
}

// Conditions returns whether a cluster is Ready, and whether its taint NoExecute is blocked, for a cluster that this replica owns.
func (c *Controller) Conditions(cluster string) (ready, blocked bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readiness[cluster].Ready, c.blocked[cluster]
}

// countNotReady counts the clusters that are not Ready, at most once in countReadyInterval. A cluster that accord refuses, or has not
// probed yet, is no sign of a broken network.
func (c *Controller) countNotReady(ctx context.Context, now time.Time) (taint.Fleet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.fleetCounted) < countReadyInterval {
		return c.fleet, nil
	}
	var all v1alpha1.ClusterList
	if err := c.Hub.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return taint.Fleet{}, fmt.Errorf("listing the clusters: %w", err)
	}
	c.fleet, c.fleetCounted = fleetOf(all.Items, c.Health.MaxUnreachable), now
	c.fleet.Witness = c.Witness.Unreachable()
	return c.fleet, nil
}

func fleetOf(all []v1alpha1.Cluster, maxUnreachable int) taint.Fleet {
	fleet := taint.Fleet{MaxNotReady: maxUnreachable}
	failures := []string{v1alpha1.ClusterNotReachable, v1alpha1.ClusterNotReady, v1alpha1.ClusterStatusUnknown}
	for i := range all {
		if all[i].DeletionTimestamp != nil {
			continue
		}
		fleet.All++
		ready := meta.FindStatusCondition(all[i].Status.Conditions, fluxmeta.ReadyCondition)
		if ready != nil && ready.Status != metav1.ConditionTrue && slices.Contains(failures, ready.Reason) {
			fleet.NotReady++
		}
	}
	return fleet
}
