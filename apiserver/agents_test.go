package apiserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/accord-dev/accord/api/delivery"
)

// An agent reads its own bundle without a review. Each other request gets one.
func TestAnAgentReadsItsOwnBundle(t *testing.T) {
	type attributes = authorizer.AttributesRecord
	agent := &user.DefaultInfo{Name: delivery.AgentUser("eu", "abc"), Groups: []string{delivery.AgentsGroup}}
	own := attributes{User: agent, ResourceRequest: true, APIGroup: delivery.GroupVersion.Group, Resource: delivery.Bundles, Name: "eu", Subresource: delivery.Index, Verb: "get"}
	objects := own
	objects.Subresource, objects.Verb = delivery.Objects, "create"
	for _, allowed := range []attributes{own, objects} {
		decision, _, err := ofAgents(t.Context(), allowed)
		require.NoError(t, err)
		require.Equal(t, authorizer.DecisionAllow, decision)
		for name, change := range map[string]func(*attributes){
			"another bundle":                 func(a *attributes) { a.Name = "us" },
			"a bundle whose name is longer":  func(a *attributes) { a.Name = "eu2" },
			"a bundle whose name is shorter": func(a *attributes) { a.Name = "e" },
			"all bundles":                    func(a *attributes) { a.Name = "" },
			"no agent":                       func(a *attributes) { a.User = &user.DefaultInfo{Name: "eu", Groups: []string{delivery.AgentsGroup}} },
			"not in the group":               func(a *attributes) { a.User = &user.DefaultInfo{Name: agent.Name} },
			"nobody":                         func(a *attributes) { a.User = nil },
			"another verb":                   func(a *attributes) { a.Verb = "delete" },
			"the tunnel":                     func(a *attributes) { a.Subresource = delivery.Attach },
			"the Bundle":                     func(a *attributes) { a.Subresource = "" },
			"another group":                  func(a *attributes) { a.APIGroup = "cluster.karmada.io" },
			"another resource":               func(a *attributes) { a.Resource = "clusters" },
			"no resource":                    func(a *attributes) { a.ResourceRequest = false },
		} {
			other := allowed
			change(&other)
			decision, _, err := ofAgents(t.Context(), other)
			require.NoError(t, err)
			require.Equal(t, authorizer.DecisionNoOpinion, decision, name)
		}
	}
}
