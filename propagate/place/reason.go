package place

// Reason is the rule that refused a cluster or an object. Advice about the cluster depends on it, not on the field: one
// field can refuse for opposite reasons.
type Reason uint8

const (
	NoReason     Reason = iota
	NotSelected         // by the affinity
	Leaving             // the Cluster is being deleted
	Evicted             // the object is evicted from the cluster, or was evicted a short time ago
	NotServed           // the cluster does not serve the kind, or may not
	Tainted             // and no toleration tolerates the taint
	NoGroup             // the cluster lacks the property that a spread constraint groups by
	Grouped             // workloadAffinity
	AboveMax            // maxGroups of a spread constraint allows no more
	Outranked           // other regions are enough, and maxGroups would allow more
	BelowMin            // fewer groups fit than minGroups of a spread constraint
	Unusable            // the spread constraints cannot be used
	Stays               // the replicas stay where they are
	NoWeight            // no entry of staticWeightList selects the cluster
	NoShare             // the weight of the cluster is too small for the replicas
	NoRoom              // for one replica on the cluster
	NotNeeded           // other clusters have room for all replicas
	AllFull             // the clusters together have too little room
	MaxFull             // the clusters that maxGroups allows together have too little room
	ZeroReplicas        // the object is scaled to zero
)
