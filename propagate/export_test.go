package propagate

// IsStep reports whether a plan shares the undisturbed objects of the plan before it.
func IsStep(p *Plan) bool { return p.lineage.step }
