package place

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
)

// taint refuses a cluster with an untolerated taint of effect NoSchedule or NoExecute (Karmada §4.2, TaintToleration).
// Existing objects stay.
func taint(q Question, c fleet.Cluster) (why, field string) {
	if q.On[c.Name] {
		return "", ""
	}
	var repelling []string
	for _, t := range c.Taints {
		if q.IgnoreHealth && automatic(t) {
			continue
		}
		if repels(t.Effect) && !slices.ContainsFunc(q.Placement.ClusterTolerations, func(c corev1.Toleration) bool { return policy.Tolerates(c, t) }) {
			repelling = append(repelling, t.ToString())
		}
	}
	switch len(repelling) {
	case 0:
		return "", ""
	case 1:
		return "has taint " + repelling[0] + ", which no clusterToleration tolerates", "clusterTolerations"
	}
	return "has taints " + strings.Join(repelling, " ") + ", which no clusterToleration tolerates", "clusterTolerations"
}

// Repelled reports whether an untolerated taint keeps an object away from a cluster.
func (q Question) Repelled(c fleet.Cluster) bool {
	why, _ := taint(q, c)
	return why != ""
}

// automatic reports whether accord adds a taint by the health of a cluster.
func automatic(t corev1.Taint) bool {
	return t.Key == v1alpha1.TaintNotReady || t.Key == v1alpha1.TaintUnreachable
}

func repels(e corev1.TaintEffect) bool {
	return e == corev1.TaintEffectNoSchedule || e == corev1.TaintEffectNoExecute
}
