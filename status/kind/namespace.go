package kind

var namespace = Kind{Health: present(namespaceHealth)}

// namespaceHealth: a namespace that is going away accepts nothing.
func namespaceHealth(_, status map[string]any) (Health, string) {
	if text(status, "phase") == "Terminating" {
		return Progressing, "is being deleted"
	}
	return Healthy, ""
}
