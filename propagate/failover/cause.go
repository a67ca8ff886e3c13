package failover

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/taint"
)

// cause is the reason why an object should leave a cluster.
type cause struct {
	// due is the time from which on the eviction may begin; in the future while the policy tolerates the cause.
	due              time.Time
	reason, producer string
	message          string
	purge            v1alpha1.PurgeMode
	grace            *int32
	keep             *policy.StatePreservation
	// automatic means that a taint that accord sets by the health of the cluster is the cause.
	automatic bool
}

// cause returns the earliest reason why an object should leave a cluster.
func (d *decider) cause(o *Object, c *Cluster) (cause, bool) {
	if c.Removing {
		return d.removal(o, c), true
	}
	if !d.in.Settings.Enabled || o.Policy.Spec.Failover == nil {
		return cause{}, false
	}
	byTaint, tainted := d.byTaint(o, c)
	byHealth, unhealthy := d.byHealth(o, c)
	if unhealthy && (!tainted || byHealth.due.Before(byTaint.due)) {
		return byHealth, true
	}
	return byTaint, tainted
}

// removal returns the cause of an object on a cluster that a person removes.
func (d *decider) removal(o *Object, c *Cluster) cause {
	e := cause{reason: ClusterRemoved, producer: ClusterRemoval, message: fmt.Sprintf("cluster %s is being removed", c.Name)}
	if o.Policy.Spec.Failover != nil {
		e.follow(o.Policy.Spec.Failover.Cluster)
	} else {
		e.follow(nil)
	}
	return e
}

// follow sets the rules of a policy for evictions from clusters.
func (e *cause) follow(rules *policy.ClusterFailover) {
	e.purge = v1alpha1.PurgeGracefully
	if rules != nil {
		if rules.PurgeMode != "" {
			e.purge = v1alpha1.PurgeMode(rules.PurgeMode)
		}
		e.keep = rules.StatePreservation
	}
}

// byTaint returns the cause of an object whose policy does not tolerate a taint NoExecute, or only for a time (Karmada 5.4).
func (d *decider) byTaint(o *Object, c *Cluster) (cause, bool) {
	if o.Policy.Spec.Failover.Cluster == nil {
		return cause{}, false
	}
	evicts, found := d.in.Settings.expiry(o.Policy.Spec.Placement, c.Taints, d.now)
	if !found {
		return cause{}, false
	}
	e := cause{
		due: evicts.at, reason: TaintUntolerated, producer: TaintManager, automatic: taint.IsAutomatic(evicts.by.Key),
		message: fmt.Sprintf("cluster %s has the taint %s, which no clusterToleration tolerates", c.Name, evicts.by.ToString()),
	}
	if evicts.tolerated > 0 {
		e.message = fmt.Sprintf("cluster %s has the taint %s for longer than the tolerated %s", c.Name, evicts.by.ToString(), phrase.Duration(evicts.tolerated))
	}
	e.follow(o.Policy.Spec.Failover.Cluster)
	return e, true
}

// expiry is the time at which a taint evicts.
type expiry struct {
	at        time.Time
	by        corev1.Taint
	tolerated time.Duration
}

// expiry returns the earliest time at which a taint NoExecute evicts: at once if no toleration tolerates it, otherwise at the end of the
// shortest toleration in use, which begins when the taint is added. found is false if all are tolerated for ever.
func (s Settings) expiry(p policy.Placement, taints []corev1.Taint, now time.Time) (first expiry, found bool) {
	earlier := func(e expiry) {
		if !found || e.at.Before(first.at) {
			first, found = e, true
		}
	}
	all := s.tolerations(p)
	var used []corev1.Toleration
	for _, t := range taints {
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		tolerated := false
		for _, toleration := range all {
			if tolerated = policy.Tolerates(toleration, t); tolerated {
				used = append(used, toleration)
				break
			}
		}
		if !tolerated {
			earlier(expiry{at: addedAt(t, now), by: t})
		}
	}
	for _, toleration := range used {
		if toleration.TolerationSeconds == nil {
			continue
		}
		length := time.Duration(max(0, *toleration.TolerationSeconds)) * time.Second
		for _, t := range taints {
			if t.Effect == corev1.TaintEffectNoExecute && policy.Tolerates(toleration, t) {
				earlier(expiry{at: addedAt(t, now).Add(length), by: t, tolerated: length})
			}
		}
	}
	return first, found
}

// addedAt returns the time at which a taint was added.
func addedAt(t corev1.Taint, now time.Time) time.Time {
	if t.TimeAdded == nil {
		return now
	}
	return t.TimeAdded.Time
}

// byHealth returns the cause of a copy that is unhealthy, at the end of its toleration (Karmada 5.6).
func (d *decider) byHealth(o *Object, c *Cluster) (cause, bool) {
	rules := o.Policy.Spec.Failover.Application
	since, unhealthy := d.out.UnhealthySince[o.ID][c.Name]
	if rules == nil || !unhealthy || !c.Answers || o.copyOn(c.Name).Health != Unhealthy {
		return cause{}, false
	}
	tolerated := defaultApplicationToleration
	if s := rules.DecisionConditions.TolerationSeconds; s != nil {
		tolerated = time.Duration(*s) * time.Second
	}
	e := cause{
		due: since.Add(tolerated), reason: ApplicationFailure, producer: ApplicationFailover, purge: v1alpha1.PurgeGracefully,
		message: fmt.Sprintf("the copy on %s is unhealthy for longer than the tolerated %s", c.Name, phrase.Duration(tolerated)), keep: rules.StatePreservation,
	}
	if rules.PurgeMode != "" {
		e.purge = v1alpha1.PurgeMode(rules.PurgeMode)
	}
	if e.purge == v1alpha1.PurgeGracefully {
		e.grace = rules.GracePeriodSeconds
	}
	return e, true
}

// defaultApplicationToleration is tolerationSeconds of Karmada's policies.
const defaultApplicationToleration = 300 * time.Second

// persists reports whether the cause of a task is still there. An application failure does not persist: the old copy does not change
// any more.
func (d *decider) persists(o *Object, t v1alpha1.GracefulEvictionTask) bool {
	c := d.clusters[t.FromCluster]
	if c == nil {
		return false
	}
	switch t.Producer {
	case ClusterRemoval:
		return c.Removing
	case TaintManager:
		if c.Removing {
			return true
		}
		if !d.in.Settings.Enabled || o.Policy.Spec.Failover == nil {
			return false
		}
		_, tainted := d.byTaint(o, c)
		return tainted
	}
	return false
}

// automatic reports whether only automatic taints are the cause of a task.
func (d *decider) automatic(o *Object, t v1alpha1.GracefulEvictionTask) bool {
	c := d.clusters[t.FromCluster]
	if t.Producer != TaintManager || c == nil || c.Removing {
		return false
	}
	others := Cluster{Name: c.Name, Taints: taint.OfPolicies(c.Taints)}
	_, tainted := d.in.Settings.expiry(o.Policy.Spec.Placement, others.Taints, d.now)
	return !tainted
}
