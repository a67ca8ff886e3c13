package apiserver

import (
	"context"
	"slices"

	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/accord-dev/accord/api/delivery"
)

// ofAgents allows that an agent reads its own bundle. The hub's API server has authorized the request by the agent's registration before it
// forwarded the request. A SubjectAccessReview would ask the same again, for each agent and commit. It has no opinion about other requests.
func ofAgents(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	user := a.GetUser()
	if user == nil || !a.IsResourceRequest() || a.GetAPIGroup() != delivery.GroupVersion.Group || a.GetResource() != delivery.Bundles || a.GetName() == "" {
		return authorizer.DecisionNoOpinion, "", nil
	}
	reads := a.GetSubresource() == delivery.Index && a.GetVerb() == "get" || a.GetSubresource() == delivery.Objects && a.GetVerb() == "create"
	if reads && slices.Contains(user.GetGroups(), delivery.AgentsGroup) && delivery.IsAgent(user.GetName(), a.GetName()) {
		return authorizer.DecisionAllow, "the agent of the cluster", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}
