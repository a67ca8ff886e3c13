package bundle

import "github.com/accord-dev/accord/api/v1alpha1"

// Inquiry asks the agent which objects of some Federations its cluster has. The hub has no record of them: it lost its data, or somebody
// declared a Federation again.
type Inquiry struct {
	// ID identifies the inquiry, for the Inventories.
	ID string `json:"id"`
	// ApplySets are those of the Federations, sorted: an agent does not learn the name of a Federation without objects on its cluster.
	ApplySets []string `json:"applySets"`
}

// Inventories are the answer of an agent to an Inquiry.
type Inventories struct {
	// ID is that of the Inquiry.
	ID string `json:"id"`
	// Objects by ApplySet. Those of an ApplySet without an entry are not known, because of Error.
	Objects map[string][]v1alpha1.DiscoveredObject `json:"objects"`
	Error   string                                 `json:"error,omitempty"`
}
