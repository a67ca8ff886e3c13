package mirror

// contains reports whether a live status has all written fields. An API server leaves out zeros and adds defaults.
func contains(live, written any) bool {
	switch written := written.(type) {
	case map[string]any:
		live, _ := live.(map[string]any)
		for field, v := range written {
			if !contains(live[field], v) {
				return false
			}
		}
		return true
	case []any:
		live, _ := live.([]any)
		if len(live) != len(written) {
			return false
		}
		for i := range written {
			if !contains(live[i], written[i]) {
				return false
			}
		}
		return true
	}
	return scalar(live) == scalar(written)
}

// scalar returns a comparable value: a float64 for every number, and nil for the values that an API server leaves out.
func scalar(v any) any {
	switch n := v.(type) {
	case int64:
		v = float64(n)
	case int:
		v = float64(n)
	}
	switch v {
	case nil, "", 0.0, false:
		return nil
	}
	return v
}
