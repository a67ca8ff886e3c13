package kind

import "cmp"

var persistentVolume = Kind{
	Health:    present(volumeHealth),
	Reflect:   keepPhase,
	Aggregate: worstPhase("Failed", "Pending", "Available", "Bound", "Released"), // Karmada §6.5
	Yields:    []string{"spec.claimRef"},
}

// volumeHealth: it is there, whether a claim uses it or not.
func volumeHealth(_, status map[string]any) (Health, string) {
	switch phase := text(status, "phase"); phase {
	case "Available", "Bound", "Released":
		return Healthy, phase
	case "Failed":
		return Failed, "failed: " + cmp.Or(text(status, "message"), text(status, "reason"))
	}
	return Progressing, "pending"
}
