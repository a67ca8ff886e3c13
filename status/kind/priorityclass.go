package kind

// priorityClass is copied into pods when they are made.
var priorityClass = Kind{
	Health:    genericHealth,
	Immutable: fixed{"preemptionPolicy": "PreemptLowerPriority", "value": int64(0)}.changed,
}
