package kind

// sidecarSet is that of Kruise. Its status is in status/interpret/kinds.
var sidecarSet = Kind{Observes: true, Health: genericHealth}
