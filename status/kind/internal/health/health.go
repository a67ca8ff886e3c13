// Package health computes the health of live objects.
package health

// Health of one live object.
type Health string

const (
	Healthy     Health = "Healthy"
	Progressing Health = "Progressing" // not healthy yet; can become so without a change
	Failed      Health = "Failed"      // its own controller gave up, or its status reports a failure
	Unknown     Health = "Unknown"     // not known; never counted as healthy
)
