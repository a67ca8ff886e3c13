package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Summary counts clusters by state; on a Delivery it counts objects. Total is the number that the plan chose, not the number
// of reports that exist. Each cluster is in exactly one of Healthy, Progressing, Failed, Held and Unreachable. Applied
// counts the clusters that run the decided version.
type Summary struct {
	// Total is the number of everything that is counted.
	Total int32 `json:"total"`
	// Applied counts those that have the revision, healthy or not.
	Applied int32 `json:"applied"`
	// Healthy counts those that are healthy on the revision.
	Healthy int32 `json:"healthy"`
	// Progressing counts those that are not healthy yet.
	Progressing int32 `json:"progressing"`
	// Failed counts those that cannot become healthy without help.
	Failed int32 `json:"failed"`
	// Held counts those that deliberately do not get the revision now.
	Held int32 `json:"held"`
	// Unreachable counts those whose cluster does not answer.
	Unreachable int32 `json:"unreachable"`
	// Display is "healthy/total", for tables.
	Display string `json:"display,omitempty"`
}

// State of one object on one cluster, or of all objects of a Federation on one cluster.
//
// +kubebuilder:validation:Enum=Healthy;Progressing;Failed;Held;Unreachable
type State string

const (
	// Healthy: the live object carries the wanted digest, its controller has observed it, and it is healthy.
	Healthy State = "Healthy"
	// Progressing: not healthy yet; it can become healthy without a change by a person.
	Progressing State = "Progressing"
	// Failed: rejected, not renderable, or reported as failed by its controller. accord retries.
	Failed State = "Failed"
	// Held: the cluster deliberately does not get this revision now.
	Held State = "Held"
	// Unreachable: the API server of the cluster does not answer, so the state there is unknown.
	Unreachable State = "Unreachable"
)

// NotReadyCluster is a cluster that is not healthy on the revision of a Release.
type NotReadyCluster struct {
	// Cluster that is not healthy on the revision.
	Cluster string `json:"cluster"`
	// State of the cluster.
	State State `json:"state"`
	// Object in the worst state on that cluster, "apps/Deployment shop/web".
	Object string `json:"object,omitempty"`
	// Message is the reason of the state.
	Message string `json:"message,omitempty"`
	// Since is the time at which the cluster entered this state.
	Since *metav1.Time `json:"since,omitempty"`
}

// WaitingFor names the event that a Release, Delivery or rollout waits for.
type WaitingFor struct {
	// Cluster that is waited for; empty when no single cluster is.
	Cluster string `json:"cluster"`
	// Object that is waited for, "apps/Deployment shop/web"; empty when no single object is.
	Object string `json:"object,omitempty"`
	// Finalizer that keeps Object from being deleted; empty when its deletion is not waited for, or is not observed yet.
	Finalizer string `json:"finalizer,omitempty"`
	// Stage of a rollout; empty when no stage is waited for.
	Stage string `json:"stage,omitempty"`
	// Message names the event: "to become healthy: ImagePullBackOff".
	Message string `json:"message"`
	// Since is the time at which the wait began.
	Since *metav1.Time `json:"since,omitempty"`
	// Deadline is the latest time at which waiting ends; absent when only a person or a change in Git ends it.
	Deadline *metav1.Time `json:"deadline,omitempty"`
}
