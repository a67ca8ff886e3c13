package failover

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/previous"
)

// Input is everything that the decision about the evictions of one Federation depends on. The order of its lists does not matter.
type Input struct {
	Now      time.Time
	Settings Settings
	// Clusters are all clusters of the fleet: MaxUnreachable is a share of them.
	Clusters []Cluster
	// Witness is the reason why accord cannot reach its witness; empty when accord reaches it, or has none.
	Witness string
	// Objects are those that a decision could concern: objects with tasks, with a copy on a cluster that has a taint NoExecute or is
	// being removed, with an unhealthy copy and application failover, or with UnhealthySince. The tasks of all objects count for the
	// rate. Decide costs nothing for the others, which the caller leaves out.
	Objects []Object
}

// Cluster is the state of one cluster.
type Cluster struct {
	Name string
	// Unreachable means that the cluster failed and is not Ready, or is Ready and stopped answering: it counts for MaxUnreachable. A
	// cluster that accord refuses, or has not probed yet, does not count.
	Unreachable bool
	// Answers means that the API server answers now, whether or not the cluster is Ready already: accord can observe and delete copies.
	Answers bool
	// Taints of the cluster; only those with the effect NoExecute count. A taint without timeAdded counts as added now.
	Taints []corev1.Taint
	// Removing means that a person removes the cluster with its copies evicted.
	Removing bool
}

// Object is one object of the active plan.
type Object struct {
	ID manifest.ID
	// Policy that claims the object; nil when none does, and then its tasks end.
	Policy *policy.Policy
	// Choice are the clusters that its own policy chose in the active plan, without those where it is only a dependency.
	Choice []previous.Cluster
	// NoPlace is the reason why the active plan found no other clusters and keeps the earlier ones (Decision.Why); empty otherwise.
	NoPlace string
	// Stateful marks a StatefulSet or an object with PersistentVolumeClaims.
	Stateful bool
	// Tasks are the earlier tasks of the object, as they are on the hub.
	Tasks []v1alpha1.GracefulEvictionTask
	// Copies on the clusters of Choice and of the open tasks. A missing copy is unobserved.
	Copies []Copy
	// UnhealthySince is Outcome.UnhealthySince of the last decision.
	UnhealthySince map[string]time.Time
}

// Copy is the object on one cluster.
type Copy struct {
	Cluster string
	Health  Health
	// Current means that the copy runs the wanted digest.
	Current bool
	// Gone means that the cluster answers and does not have the object.
	Gone bool
	// Held is the reason why the object is held on the cluster, by a suspension, a stage or a person; empty otherwise.
	Held string
	// Run tells how far a copy has come that runs to completion, as a Job does; empty for any other.
	Run Run
	// Status is the status of the copy in JSON, the last one that was observed; nil without one. Only statePreservation reads it.
	Status []byte
}

// Health of a copy.
type Health string

const (
	// Unobserved is the health of a copy that this process has not observed yet. It ends no timer and begins no eviction.
	Unobserved Health = ""
	Healthy    Health = "Healthy"
	Unhealthy  Health = "Unhealthy"
	// Unknown is the health of a copy without a rule for its health, or on a cluster that does not answer.
	Unknown Health = "Unknown"
)

// Run is the progress of a copy that runs to completion. On another cluster it runs from the beginning, so a finished one must not move.
type Run string

const (
	Running  Run = "Running"
	Finished Run = "Finished"
	// Unseen is the run of a copy that this process has not observed yet: it may have finished.
	Unseen Run = "Unseen"
)

// copyOn returns the copy on a cluster, unobserved if the input has none.
func (o *Object) copyOn(cluster string) Copy {
	for _, c := range o.Copies {
		if c.Cluster == cluster {
			return c
		}
	}
	return Copy{Cluster: cluster}
}

// chosen returns the choice of a cluster.
func (o *Object) chosen(cluster string) (previous.Cluster, bool) {
	for _, c := range o.Choice {
		if c.Name == cluster {
			return c, true
		}
	}
	return previous.Cluster{}, false
}
