package propagate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/clusters/fleet"
)

// Clusters returns the names of the whole fleet, sorted.
func (p *Plan) Clusters() []string { return p.members.Names() }

// Fleet returns all clusters, sorted by name, with the taints after ClusterTaintPolicies. The caller must not change
// it.
func (p *Plan) Fleet() []fleet.Cluster { return p.members.All }

// Taints returns the taints of every cluster: those of the Cluster, after ClusterTaintPolicies added and removed theirs
// (Karmada §1.7).
func (p *Plan) Taints() map[string][]corev1.Taint { return p.members.Taints() }
