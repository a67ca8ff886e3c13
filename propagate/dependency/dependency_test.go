package dependency

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const repository = "https://git.example.com/prod.git"

// federation returns one that is ready at a revision, and depends on others: "db", "infra/db".
func federation(title, revision string, on ...string) v1alpha1.Federation {
	f := v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: title, Generation: 2}}
	if namespace, name, found := strings.Cut(title, "/"); found {
		f.Namespace, f.Name = namespace, name
	}
	f.Spec.Sources = []v1alpha1.Source{{Name: "main", URL: repository, Path: f.Name}}
	for _, title := range on {
		d := v1alpha1.FederationReference{Name: title}
		if namespace, name, found := strings.Cut(title, "/"); found {
			d = v1alpha1.FederationReference{Namespace: namespace, Name: name}
		}
		f.Spec.DependsOn = append(f.Spec.DependsOn, d)
	}
	f.Status = v1alpha1.FederationStatus{ObservedGeneration: 2, LastAttemptedRevision: revision, Conditions: []metav1.Condition{
		{Type: "Ready", Status: metav1.ConditionTrue, ObservedGeneration: 2},
	}}
	return f
}

// with returns a Federation with a change.
func with(f v1alpha1.Federation, change func(*v1alpha1.Federation)) v1alpha1.Federation {
	change(&f)
	return f
}

func TestOf(t *testing.T) {
	anywhere := func(string) bool { return true }
	own := func(namespace string) bool { return namespace == "shop" }
	web := federation("web", "old", "db")
	for name, c := range map[string]struct {
		fed     v1alpha1.Federation
		others  []v1alpha1.Federation
		mayRead func(string) bool
		problem Problem
		message string
	}{
		"ready at the same commit": {web, []v1alpha1.Federation{federation("db", "new")}, own, "", ""},
		"absent":                   {web, nil, own, NotFound, "Federation shop/db, which does not exist"},
		"of another namespace":     {federation("web", "old", "infra/db"), []v1alpha1.Federation{federation("infra/db", "new")}, anywhere, "", ""},
		"of another Tenant":        {federation("web", "old", "infra/db"), []v1alpha1.Federation{federation("infra/db", "new")}, own, Forbidden, "add namespace infra to the Tenant"},
		"absent and of another Tenant": {federation("web", "old", "infra/nothing"), nil, own, Forbidden,
			"names Federation infra/nothing, and a Federation may depend only on those of its own Tenant"},
		"it has not read the commit": {web, []v1alpha1.Federation{federation("db", "old")}, own, NotReady, "has not read this commit: accord reconcile db -n shop"},
		"another branch": {web, []v1alpha1.Federation{with(federation("db", "old"), func(f *v1alpha1.Federation) { f.Spec.Sources[0].Ref = &v1alpha1.Ref{Branch: "db"} })},
			own, "", ""},
		"not ready": {web, []v1alpha1.Federation{with(federation("db", "new"), func(f *v1alpha1.Federation) { f.Status.Conditions[0].Status = metav1.ConditionFalse })},
			own, NotReady, "accord status db -n shop shows why"},
		"its spec is newer than its status": {web, []v1alpha1.Federation{with(federation("db", "new"), func(f *v1alpha1.Federation) { f.Generation = 3 })}, own, NotReady, "is not ready"},
		"it is being deleted": {web, []v1alpha1.Federation{with(federation("db", "new"), func(f *v1alpha1.Federation) { f.DeletionTimestamp = &metav1.Time{Time: time.Now()} })},
			own, NotReady, "is not ready"},
		"on itself":                {federation("web", "old", "web"), []v1alpha1.Federation{federation("web", "old", "web")}, own, Cycle, "shop/web -> shop/web. Remove one"},
		"a cycle of three":         {web, []v1alpha1.Federation{federation("db", "new", "net"), federation("net", "new", "db", "web")}, own, Cycle, "shop/web -> shop/db -> shop/net -> shop/web. Remove one"},
		"a cycle of others":        {web, []v1alpha1.Federation{federation("db", "new", "net"), federation("net", "new", "db")}, own, "", ""},
		"a cycle by other Tenants": {web, []v1alpha1.Federation{federation("db", "new", "infra/net"), federation("infra/net", "new", "shop/web")}, own, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := NewFederations(c.others, c.mayRead).Of(&c.fed, "new")
			if c.problem == "" {
				require.Nil(t, w)
				return
			}
			require.NotNil(t, w)
			require.Equal(t, c.problem, w.Problem)
			require.Contains(t, w.Message, c.message)
		})
	}
}
