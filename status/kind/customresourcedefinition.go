package kind

var customResourceDefinition = Kind{Health: present(definitionHealth)}

// definitionHealth: objects of the kind can be written once it is Established.
func definitionHealth(_, status map[string]any) (Health, string) {
	if c := condition(status, "NamesAccepted"); text(c, "status") == "False" {
		return Failed, "its names are taken: " + why(c)
	}
	if !holds(status, "Established") {
		return Progressing, "not served yet"
	}
	return Healthy, "served"
}
