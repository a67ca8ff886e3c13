package failover

import (
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Settings are the limits of evictions: spec.failover of the Federation over the defaults of the hub.
type Settings struct {
	// Enabled allows evictions by taints and of unhealthy workloads. Without it nothing begins but the eviction from a cluster that is
	// removed, and open tasks end: those without a healthy replacement are cancelled.
	Enabled bool
	// MaxUnreachable is the percentage of the clusters that may be unreachable at once. With more, and at least two, accord doubts its
	// own network.
	MaxUnreachable int
	// Cooldown is the time after the end of a task in which the object is not evicted from the same cluster again.
	Cooldown time.Duration
	// Stateful allows the eviction of StatefulSets and of objects with PersistentVolumeClaims.
	Stateful bool
	// GracefulEvictionTimeout is the grace period of a task that has none of its own.
	GracefulEvictionTimeout time.Duration
	// EvictionRate is the number of evictions that may begin per second (Karmada 5.4); 0 allows one in 1800 seconds.
	EvictionRate float64
	// NotReadyToleration and UnreachableToleration tolerate the automatic taints for policies whose tolerations do not mention them; nil
	// tolerates nothing.
	NotReadyToleration, UnreachableToleration *time.Duration
}

// Defaults returns the settings of a Federation that sets none of them, with Karmada's values where Karmada has them.
func Defaults() Settings {
	return Settings{MaxUnreachable: 30, Cooldown: time.Hour, GracefulEvictionTimeout: 10 * time.Minute, EvictionRate: 0.5}
}

// Configured returns the settings of spec.failover of a Federation, with Defaults for the fields that are empty or cannot be read. nil
// allows nothing.
func Configured(f *v1alpha1.Failover) Settings {
	s := Defaults()
	if f == nil {
		return s
	}
	s.Enabled, s.Stateful = f.Enabled, f.Stateful
	if n, err := strconv.Atoi(strings.TrimSuffix(f.MaxUnreachable, "%")); err == nil {
		s.MaxUnreachable = n
	}
	if f.Cooldown != nil {
		s.Cooldown = f.Cooldown.Duration
	}
	if f.GracefulEvictionTimeout != nil {
		s.GracefulEvictionTimeout = f.GracefulEvictionTimeout.Duration
	}
	if rate, err := strconv.ParseFloat(f.ResourceEvictionRate, 64); err == nil {
		s.EvictionRate = rate
	}
	s.NotReadyToleration, s.UnreachableToleration = seconds(f.DefaultNotReadyTolerationSeconds), seconds(f.DefaultUnreachableTolerationSeconds)
	return s
}

func seconds(n *int64) *time.Duration {
	if n == nil {
		return nil
	}
	return new(time.Duration(*n) * time.Second)
}

// tolerations returns the tolerations of a placement, with the defaults for the automatic taints that no toleration mentions.
func (s Settings) tolerations(p policy.Placement) []corev1.Toleration {
	return slices.Concat(p.ClusterTolerations, s.AddedTolerations(p))
}

// AddedTolerations returns the default tolerations of a placement: those of the automatic taints that no toleration of it mentions.
func (s Settings) AddedTolerations(p policy.Placement) []corev1.Toleration {
	var all []corev1.Toleration
	for _, d := range []struct {
		key  string
		time *time.Duration
	}{{v1alpha1.TaintNotReady, s.NotReadyToleration}, {v1alpha1.TaintUnreachable, s.UnreachableToleration}} {
		if d.time != nil && !mentions(p.ClusterTolerations, d.key) {
			all = append(all, corev1.Toleration{
				Key: d.key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(*d.time / time.Second)),
			})
		}
	}
	return all
}

// mentions reports whether a toleration is about NoExecute taints with a key.
func mentions(tolerations []corev1.Toleration, key string) bool {
	for _, t := range tolerations {
		if (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "") {
			return true
		}
	}
	return false
}
