package phrase

// Reasons joins two reasons for a hold. An object held for both stays held when one of them ends.
func Reasons(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || a == b:
		return a
	}
	return a + "; " + b
}
