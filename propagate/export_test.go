package propagate

// IsStep reports whether a plan shares the undisturbed objects of the plan before it, and whether no object that changed concerns
// another one.
func IsStep(p *Plan) (step, apart bool) { return p.lineage.step, p.lineage.apart }
