package kind

var bucket = source(refersTo([]string{"spec", "secretRef", "name"}), "url")
