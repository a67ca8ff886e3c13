package kind_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/status/interpret"
	"github.com/accord-dev/accord/status/kind"
)

// TestRequirements: every file of testdata/requirements is one kind. Its *.yaml are manifests, each named as a state;
// "want" is how many replicas each has and what one of them requests.
func TestRequirements(t *testing.T) {
	eachTemplate(t, "testdata/requirements/*.txtar", func(k kind.Kind, u *unstructured.Unstructured) string {
		n, ok := k.Replicas(u)
		if !ok {
			return " no count\n"
		}
		requested := ""
		if k.Requirements != nil {
			requested = printed(k.Requirements(u))
		}
		return fmt.Sprintf(" %d x %s\n", n, cmp.Or(requested, "nothing in particular"))
	})
}

// TestDependencies: every file of testdata/dependencies is one kind; "want" is what each of its manifests refers to.
func TestDependencies(t *testing.T) {
	eachTemplate(t, "testdata/dependencies/*.txtar", func(k kind.Kind, u *unstructured.Unstructured) string {
		refs := k.Dependencies(u)
		if len(refs) == 0 {
			return " nothing\n"
		}
		out := "\n"
		for _, ref := range refs {
			out += "  " + ref.String()
			for label, value := range ref.Labels {
				out += " with " + label + "=" + value
			}
			out += "\n"
		}
		return out
	})
}

// eachTemplate compares what is said of every manifest of every file with "want".
func eachTemplate(t *testing.T, pattern string, say func(kind.Kind, *unstructured.Unstructured) string) {
	t.Helper()
	golden.Run(t, pattern, func(t *testing.T, c *golden.Case) {
		got := ""
		for _, f := range c.Files {
			name, ok := strings.CutSuffix(f.Name, ".yaml")
			if !ok {
				continue
			}
			u := parse(t, f.Data)
			before := u.DeepCopy()
			got += name + ":" + say(interpret.Of(u.GroupVersionKind().GroupKind()), u)
			require.Equal(t, before, u, "%s: the manifest was changed", name)
		}
		c.Equal(t, "want", got)
	})
}

// printed is a list of resources for reading: "cpu 500m, memory 1Gi".
func printed(list corev1.ResourceList) string {
	var out []string
	for name, q := range list {
		out = append(out, string(name)+" "+q.String())
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
