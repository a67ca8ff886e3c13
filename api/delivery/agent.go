package delivery

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

const (
	// AgentUserPrefix comes before the name of the Cluster in the user name of its agent. A colon and the name of the registration follow.
	AgentUserPrefix = "system:accord:agent:"
	// AgentsGroup has the agents of all clusters.
	AgentsGroup = "system:accord:agents"
)

// AgentUser returns the user name of the agent of a cluster, which ends with the name of its registration: when a cluster registers again,
// its agent is another user, and a key of an earlier registration has no rights.
func AgentUser(cluster, registration string) string {
	return AgentUserPrefix + cluster + ":" + registration
}

// IsAgent reports whether a user name is that of the agent of a cluster, of whatever registration.
func IsAgent(user, cluster string) bool { return strings.HasPrefix(user, AgentUser(cluster, "")) }

// AgentRules returns the rights of the agent of a cluster on bundles, for a ClusterRole that only this agent is bound to: its own Bundle,
// the index and the objects of its own bundle, its own answers, its own tunnel, and nothing else.
func AgentRules(cluster string) []rbacv1.PolicyRule {
	rule := func(resource string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{GroupVersion.Group}, Resources: []string{resource}, ResourceNames: []string{cluster}, Verbs: verbs}
	}
	return []rbacv1.PolicyRule{
		rule(Bundles, "get", "list", "watch"), // list and watch with the field selector metadata.name
		rule(Bundles+"/"+Index, "get"),
		rule(Bundles+"/"+Objects, "create"),
		rule(Bundles+"/"+Answers, "create"),
		rule(Bundles+"/"+Attach, "get"),
	}
}
