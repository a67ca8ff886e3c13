package propagate

// Skip is what a Federation never propagates, in the syntax of Karmada's flags (Karmada §8.2). The defaults are added
// to it, never replaced.
type Skip struct {
	// Namespaces are regular expressions, each for a whole name.
	Namespaces []string `json:"skippedNamespaces,omitempty"`
	// APIs are tokens: "group", "group/version", "group/version/KindA,KindB", "v1/KindA,KindB".
	APIs []string `json:"skippedAPIs,omitempty"`
}
