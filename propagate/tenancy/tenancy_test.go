package tenancy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/declared"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/render"
)

// TestTenancy runs every case of testdata: Tenants, a Federation, the Clusters of the hub and the files of Git. The answer has the
// governing Tenant, the clusters that exist for it, and each refusal with its rule, place and sentence.
func TestTenancy(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		c.Equal(t, "want", answer(t, c))
	})
}

func answer(t *testing.T, c *golden.Case) string {
	fed := v1alpha1.Federation{}
	require.NoError(t, yaml.UnmarshalStrict(c.Part("federation.yaml"), &fed))
	rules, refusal := tenancy.Of(tenantsOf(t, c), fed.Namespace+"/"+fed.Name, slices.Contains(names(c), "require-tenant"))
	if refusal != nil {
		return line(*refusal)
	}
	if rules == nil {
		return "no Tenant, everything is allowed\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Tenant %s\n", rules.Tenant.Name)
	if account := rules.Account(); account.User() != "" {
		fmt.Fprintf(&b, "account %s of Tenant %s\n", account.User(), account.Tenant)
	}
	for _, x := range rules.Sources(fed.Spec.Sources) {
		b.WriteString(line(x))
	}
	var present []v1alpha1.Cluster
	for _, o := range build(t, c, "hub.yaml") {
		var cluster v1alpha1.Cluster // of the hub: with labels that accord sets
		require.NoError(t, yaml.Unmarshal(o.Text, &cluster))
		present = append(present, cluster)
	}
	parts, err := decode.Sort(build(t, c, "git.yaml"))
	require.NoError(t, err)
	if fed.Spec.DeclareFederations {
		parts, err = parts.WithFederations()
		require.NoError(t, err)
	}
	for _, x := range rules.Scripts(parts) {
		b.WriteString(line(x))
	}
	in := parts.Input().WithFederation(&fed)
	in.Fleet = rules.Fleet(declared.Fleet(present, decode.Parts{}, parts, fed.Namespace+"."+fed.Name))
	for _, cluster := range in.Fleet {
		fmt.Fprintf(&b, "cluster %s\n", cluster.Name)
	}
	plan, err := propagate.New(in)
	require.NoError(t, err)
	for _, x := range rules.Check(tenancy.Revision{
		Federation: &fed, Parts: parts, Plan: plan, Present: present, AllowPrune: slices.Contains(names(c), "allow-prune"),
	}) {
		b.WriteString(line(x))
	}
	return b.String()
}

func line(r tenancy.Refusal) string { return fmt.Sprintf("%s: %s\n", r.Rule, r.Error()) }

func names(c *golden.Case) []string {
	var all []string
	for _, f := range c.Files {
		all = append(all, f.Name)
	}
	return all
}

// build returns the objects of one file of a case; none if the case does not have it.
func build(t *testing.T, c *golden.Case, name string) []render.Object {
	if !slices.Contains(names(c), name) {
		return nil
	}
	files, err := txtar.FS(&txtar.Archive{Files: []txtar.File{{Name: name, Data: c.Part(name)}}})
	require.NoError(t, err)
	objects, err := render.Build(files, render.Options{})
	require.NoError(t, err)
	return objects
}

func tenantsOf(t *testing.T, c *golden.Case) []v1alpha1.Tenant {
	var all []v1alpha1.Tenant
	for _, o := range build(t, c, "tenants.yaml") {
		tenant, err := v1alpha1.DecodeTenant(o.Manifest.Get(), o.Text, o.Origin)
		require.NoError(t, err)
		all = append(all, tenant)
	}
	return all
}
