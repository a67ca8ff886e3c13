package register

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/accord-dev/accord/reconciler/registration/applicant"
)

// impersonated returns the rules of an agent that impersonate somebody, and its arguments.
func impersonated(t *testing.T, o *Options) (rules []rbacv1.PolicyRule, args []string) {
	t.Helper()
	o.Hub, o.SkipPins, o.DryRun, o.Timeout, o.Cluster = "https://hub.example", true, true, 1, "eu-1"
	require.NoError(t, o.check())
	for _, x := range o.objects(nil) {
		switch x := x.(type) {
		case *rbacv1.ClusterRole:
			for _, rule := range x.Rules {
				for _, verb := range rule.Verbs {
					if verb == "impersonate" || verb == "*" {
						rules = append(rules, rule)
					}
				}
			}
		case *appsv1.Deployment:
			args = x.Spec.Template.Spec.Containers[0].Args
		}
	}
	return rules, args
}

func TestAgentActsForNamedUsersOnly(t *testing.T) {
	rules, args := impersonated(t, &Options{})
	require.Empty(t, rules)
	require.NotContains(t, args, "--no-tunnel")
	rules, _ = impersonated(t, &Options{Tunnel: Tunnel{Users: []string{"alice"}, Groups: []string{"dev", "ops"}}})
	require.Equal(t, []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"users"}, ResourceNames: []string{"alice"}, Verbs: []string{"impersonate"}},
		{APIGroups: []string{""}, Resources: []string{"groups"}, ResourceNames: []string{"dev", "ops"}, Verbs: []string{"impersonate"}},
	}, rules)
	rules, args = impersonated(t, &Options{Tunnel: Tunnel{Off: true}})
	require.Empty(t, rules)
	require.Contains(t, args, "--no-tunnel")
	for _, wrong := range []Tunnel{
		{Off: true, Users: []string{"alice"}}, {Users: []string{"*"}}, {Users: []string{""}}, {Groups: []string{"system:masters"}}, {Users: []string{"system:serviceaccount:a:b"}},
	} {
		o := &Options{Applicant: applicant.Applicant{Timeout: 1}, DryRun: true, Tunnel: wrong}
		require.Error(t, o.check(), "%v", wrong)
	}
}
