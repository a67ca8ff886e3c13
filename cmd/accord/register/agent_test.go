package register

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/reconciler/registration/applicant"
)

// impersonated returns the rules of an agent that impersonate somebody, and its arguments.
func impersonated(t *testing.T, o *Options) (rules []rbacv1.PolicyRule, args []string) {
	t.Helper()
	o.Hub, o.SkipPins, o.DryRun, o.Timeout, o.Cluster = "https://hub.example", true, true, 1, "eu-1"
	require.NoError(t, o.check())
	all, err := o.objects(nil)
	require.NoError(t, err)
	for _, x := range all {
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

// TestRightsOfTheChart: the rules of the chart are those that accord checks for, and gives to its own identity on a cluster.
func TestRightsOfTheChart(t *testing.T) {
	for _, o := range []*Options{{}, {Secrets: true}, {CRDs: true}, {Secrets: true, CRDs: true}} {
		all, err := o.objects(nil)
		require.NoError(t, err)
		for _, x := range all {
			switch x := x.(type) {
			case *rbacv1.ClusterRole:
				require.ElementsMatch(t, permit.DefaultRights(o.Secrets, o.CRDs), x.Rules)
			case *rbacv1.Role:
				renewal := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{hubSecret}, Verbs: []string{"get", "update"}}
				require.Equal(t, append(permit.InventoryRights(), renewal), x.Rules)
			}
		}
	}
	admin, err := (&Options{Admin: true}).objects(nil)
	require.NoError(t, err)
	for _, x := range admin {
		_, role := x.(*rbacv1.ClusterRole)
		require.False(t, role, "cluster-admin is there already")
		if binding, is := x.(*rbacv1.ClusterRoleBinding); is {
			require.Equal(t, "cluster-admin", binding.RoleRef.Name)
		}
	}
}
