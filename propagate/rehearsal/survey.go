package rehearsal

import (
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
)

// Survey is the effect of one cluster that fails for ever.
type Survey struct {
	Cluster string
	// Placed counts the objects that leave the cluster and have another place.
	Placed int
	// None are the objects without another place, sorted.
	None []End
}

// Examine returns the survey of a cluster. It makes one plan, in which all objects that the cluster evicts have left it. The plan has to
// be that of in.
func Examine(in propagate.Input, plan *propagate.Plan, settings failover.Settings, cluster string) (Survey, error) {
	s := Survey{Cluster: cluster}
	settings.EvictionRate = math.MaxInt32
	in.Now = in.Now.Truncate(time.Second)
	w := newWorld(in, plan, Scenario{Settings: settings, Failures: []Failure{{Cluster: cluster}}})
	m := w.index[cluster]
	if m == nil {
		return s, nil
	}
	long := metav1.NewTime(time.Unix(0, 0)) // before any toleration
	m.answers, m.ready = false, false
	m.Taints = slices.Clone(m.Taints)
	for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute} {
		m.Taints = append(m.Taints, corev1.Taint{Key: v1alpha1.TaintNotReady, Effect: effect, TimeAdded: &long})
	}
	before := map[place][]previous.Cluster{}
	for _, id := range w.objects {
		before[place{id, cluster}] = own(plan.Decision(id))
	}
	if err := w.decide(w.input(0), true); err != nil {
		return s, err
	}
	blocked := map[place]string{}
	for _, b := range w.last.Blocked {
		blocked[place{b.ID, b.Cluster}] = b.Reason
	}
	for _, id := range w.objects {
		key := place{id, cluster}
		if !slices.ContainsFunc(before[key], func(c previous.Cluster) bool { return c.Name == cluster }) {
			continue
		}
		evicted := slices.ContainsFunc(w.tasks[id], func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == cluster && t.Open() })
		now := w.plan.Decision(id)
		switch {
		case blocked[key] != "":
			s.None = append(s.None, End{ID: id, Cluster: cluster, State: NoPlace, Message: blocked[key]})
		case !evicted: // tolerated for ever
		case now.On(cluster) || len(own(now)) == 0:
			s.None = append(s.None, End{ID: id, Cluster: cluster, State: NoPlace, Message: noPlace(now)})
		default:
			s.Placed++
		}
	}
	slices.SortFunc(s.None, func(a, b End) int { return a.ID.Compare(b.ID) })
	return s, nil
}

// String returns "if eu-7 fails: 38 of 40 objects have a place, 2 have none", or "if eu-7 fails: 2 objects have no place"; empty if no object leaves the cluster.
func (s Survey) String() string {
	none := len(s.None)
	switch {
	case s.Placed+none == 0:
		return ""
	case s.Placed == 0:
		return fmt.Sprintf("if %s fails: %s %s no place", s.Cluster, phrase.Count(none, "object"), phrase.Plural(none, "has", "have"))
	}
	end := ""
	if none > 0 {
		end = fmt.Sprintf(", %d %s none", none, phrase.Plural(none, "has", "have"))
	}
	return fmt.Sprintf("if %s fails: %d of %s %s a place%s", s.Cluster, s.Placed, phrase.Count(s.Placed+none, "object"), phrase.Plural(s.Placed, "has", "have"), end)
}
