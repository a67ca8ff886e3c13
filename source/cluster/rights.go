package cluster

import "github.com/accord-dev/accord/internal/leastrole"

// Rights returns the least rights for reading scopes: roles in the namespaces that the selection names, and a ClusterRole for the rest.
func Rights(scopes []Scope) leastrole.Rules {
	rules := leastrole.Rules{}
	byNamespace := map[string][]Scope{}
	for _, s := range scopes {
		byNamespace[s.Namespace] = append(byNamespace[s.Namespace], s)
	}
	for namespace, of := range byNamespace {
		resources := of[0].Resources
		for _, s := range of[1:] {
			resources = append(resources[:len(resources):len(resources)], s.Resources...)
		}
		rules.Add(namespace, resources, "get", "list", "watch")
	}
	return rules
}
