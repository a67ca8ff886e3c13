package kind

var kustomization = flux(refersTo([]string{"spec", "decryption", "secretRef", "name"}, []string{"spec", "kubeConfig", "secretRef", "name"}),
	"lastAttemptedRevision", "lastAppliedRevision")
