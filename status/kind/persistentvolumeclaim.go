package kind

var persistentVolumeClaim = Kind{
	Health:  present(claimHealth),
	Reflect: keepPhase,
	// A cluster that has not answered is Pending here; Karmada §6.5 counts it as Bound.
	Aggregate: worstPhase("Lost", "Pending", "Bound"),
	Yields:    []string{"spec.volumeName"},
}

// claimHealth: Bound, and nothing else (Karmada §6.6). Whether a Pending claim waits for its first consumer stands in its
// StorageClass, not in the claim, so it cannot be told from one that no volume can be found for; the message says so.
func claimHealth(_, status map[string]any) (Health, string) {
	switch text(status, "phase") {
	case "Bound":
		return Healthy, "bound"
	case "Lost":
		return Failed, "lost: the volume it was bound to does not exist any more"
	}
	return Progressing, "waits for a volume; with volumeBindingMode WaitForFirstConsumer it gets one only when a pod uses it"
}
