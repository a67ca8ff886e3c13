package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Summary counts against the decided set: Total is the number of clusters (or, on a Delivery, of objects)
// that the plan chose, not the number of reports that happen to exist. Every cluster is in exactly one of
// Healthy, Progressing, Failed, Held and Unreachable; Applied counts those that run what was decided.
type Summary struct {
	Total       int32 `json:"total"`
	Applied     int32 `json:"applied"`
	Healthy     int32 `json:"healthy"`
	Progressing int32 `json:"progressing"`
	Failed      int32 `json:"failed"`
	Held        int32 `json:"held"`
	Unreachable int32 `json:"unreachable"`
	// Display is "healthy/total", for tables.
	Display string `json:"display,omitempty"`
}

// State is what one cluster says about one object, or about all objects of a federation, in one word.
//
// +kubebuilder:validation:Enum=Healthy;Progressing;Failed;Held;Unreachable
type State string

const (
	// Healthy: the live object carries the wanted digest, its controller has observed it, and it is healthy.
	Healthy State = "Healthy"
	// Progressing: on its way; waiting for it can end well without anybody doing something.
	Progressing State = "Progressing"
	// Failed: refused, not renderable, or unhealthy in a way its controller calls failed. It is tried again.
	Failed State = "Failed"
	// Held: deliberately not given this revision yet.
	Held State = "Held"
	// Unreachable: not heard from; what it runs is unknown.
	Unreachable State = "Unreachable"
)

// NotReadyCluster is one of the at most ten clusters that a reader should look at first.
type NotReadyCluster struct {
	Cluster string `json:"cluster"`
	State   State  `json:"state"`
	// Object that is worst on that cluster, "apps/Deployment shop/web"; empty on a FederatedObject.
	Object  string `json:"object,omitempty"`
	Message string `json:"message,omitempty"`
	// Since this state.
	Since *metav1.Time `json:"since,omitempty"`
}

// WaitingFor says on what something that does not move is waiting.
type WaitingFor struct {
	// Cluster is empty when it is about no cluster in particular.
	Cluster string `json:"cluster"`
	// Stage of a rollout; empty when it is about none.
	Stage   string       `json:"stage,omitempty"`
	Message string       `json:"message"`
	Since   *metav1.Time `json:"since,omitempty"`
	// Deadline is when waiting ends at the latest; absent when only a person or Git can end it.
	Deadline *metav1.Time `json:"deadline,omitempty"`
}
