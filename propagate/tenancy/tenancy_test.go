package tenancy_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/declared"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/propagate/dump"
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

// TestChangedObjectsAreChecked pushes changes of a few objects, some of which take over existing objects, which the Tenant does not allow.
// A check that knows the last allowed plan refuses the same as one that looks at all objects.
func TestChangedObjectsAreChecked(t *testing.T) {
	const objects = 40
	text := "-- input --\nfederation: demo/prod\n-- all.yaml --\n"
	for i := range objects {
		text += fmt.Sprintf("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%02d, namespace: shop-%d}, data: {v: \"1\"}}\n", i, i%3)
	}
	text += "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: p}, spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]}}\n" +
		"---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu}}\n"
	in, err := dump.Read([]byte(text))
	require.NoError(t, err)
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}
	tenant := v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "1"}}
	tenant.Spec.Federations.Namespaces, tenant.Spec.Namespaces = []string{"demo"}, []string{"shop-*"}
	rulesOf := func() *tenancy.Rules {
		rules, refused := tenancy.Of([]v1alpha1.Tenant{*tenant.DeepCopy()}, "demo/prod", true)
		require.Nil(t, refused)
		return rules
	}
	rules, random := rulesOf(), rand.New(rand.NewPCG(8, 8))
	plan, err := propagate.New(in)
	require.NoError(t, err)
	var allowed tenancy.Allowed
	steps, refusals, narrowed := 0, 0, 0
	for range 300 {
		if random.IntN(20) == 0 { // somebody edits the Tenant
			tenant.Generation++
			tenant.Spec.Namespaces = [][]string{{"shop-*"}, {"shop-0", "shop-1"}}[random.IntN(2)]
			rules = rulesOf()
		}
		whole := rules.Check(tenancy.Revision{Federation: fed, Plan: plan})
		require.Equal(t, whole, rules.Check(tenancy.Revision{Federation: fed, Plan: plan, Allowed: allowed}))
		if len(whole) == 0 {
			allowed = rules.Allow(plan)
		} else if len(tenant.Spec.Namespaces) > 1 {
			narrowed++
		} else {
			refusals++
		}
		in.Objects, in.Previous = slices.Clone(in.Objects), plan.Previous()
		for range random.IntN(3) {
			at := random.IntN(objects)
			u := in.Objects[at].Manifest.Get().DeepCopy()
			u.SetAnnotations(map[string]string{"n": fmt.Sprint(random.IntN(1000)), "work.karmada.io/conflict-resolution": []string{"abort", "abort", "abort", "overwrite"}[random.IntN(4)]})
			in.Objects[at] = render.Object{Manifest: manifest.Whole(u), Written: &render.Written{Origin: in.Objects[at].Origin}}
		}
		next, err := plan.Next(in)
		require.NoError(t, err)
		if next.StepFrom(plan) {
			steps++
		}
		if plan = next; len(whole) > 0 && random.IntN(3) == 0 { // somebody restores all objects
			for i := range in.Objects {
				u := in.Objects[i].Manifest.Get().DeepCopy()
				u.SetAnnotations(nil)
				in.Objects[i] = render.Object{Manifest: manifest.Whole(u), Written: &render.Written{Origin: in.Objects[i].Origin}}
			}
			in.Previous = plan.Previous()
			plan, err = plan.Next(in)
			require.NoError(t, err)
		}
	}
	require.Greater(t, steps, 200)
	require.Positive(t, refusals)
	require.Positive(t, narrowed)
}
