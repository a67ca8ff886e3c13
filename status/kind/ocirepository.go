package kind

// ociRepository may name a ServiceAccount; without one the rule of Karmada §6.11 returns an error in place of
// references.
var ociRepository = source(refersTo([]string{"spec", "secretRef", "name"}, []string{"spec", "verify", "secretRef", "name"},
	[]string{"spec", "certSecretRef", "name"}), "url")
