package read

// Condition returns the condition of a type; nil if the status has none. All fields of a nil condition read as empty.
func Condition(status map[string]any, typ string) map[string]any {
	for _, c := range Objects(status, "conditions") {
		if Text(c, "type") == typ {
			return c
		}
	}
	return nil
}

// IsTrue reports whether a condition is True.
func IsTrue(status map[string]any, typ string) bool {
	return Text(Condition(status, typ), "status") == "True"
}

// Why returns the message of a condition, or its reason if it has no message.
func Why(c map[string]any) string {
	if m := Text(c, "message"); m != "" {
		return m
	}
	return Text(c, "reason")
}

// keepConditions returns conditions by type, without their messages: those name pods and ReplicaSets of one cluster,
// and one is kept for every object and cluster.
func keepConditions(status map[string]any, types ...string) []any {
	var kept []any
	for _, typ := range types {
		c := Condition(status, typ)
		if c == nil {
			continue
		}
		small := map[string]any{}
		for _, f := range []string{"type", "status", "reason", "lastTransitionTime"} {
			if s := Text(c, f); s != "" {
				small[f] = s
			}
		}
		kept = append(kept, small)
	}
	return kept
}
