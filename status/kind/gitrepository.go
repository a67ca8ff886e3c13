package kind

var gitRepository = source(refersTo([]string{"spec", "secretRef", "name"}, []string{"spec", "verify", "secretRef", "name"}))
