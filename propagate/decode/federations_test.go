package decode_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/render"
)

const twoFederations = `apiVersion: v1
kind: ConfigMap
metadata: {namespace: shop, name: web}
---
apiVersion: accord.dev/v1alpha1
kind: Federation
metadata: {namespace: prod, name: shop}
spec: {prune: true, sources: [{name: main, url: "https://git.example/shop"}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {namespace: shop, name: db}
---
apiVersion: accord.dev/v1alpha1
kind: Federation
metadata: {namespace: prod, name: pay}
spec: {prune: true, sources: [{name: main, url: "https://git.example/pay"}]}
`

func partsOf(t *testing.T, text string) decode.Parts {
	t.Helper()
	objects, err := render.Build(fstest.MapFS{"all.yaml": {Data: []byte(text)}}, render.Options{})
	require.NoError(t, err)
	parts, err := decode.Sort(objects)
	require.NoError(t, err)
	return parts
}

func TestWithFederations(t *testing.T) {
	before := partsOf(t, twoFederations)
	require.Len(t, before.Objects, 4, "without declarations, a Federation is an object")
	after, err := before.WithFederations()
	require.NoError(t, err)
	require.Len(t, before.Objects, 4, "the parts stay as they are")
	require.Len(t, after.Objects, 2)
	require.Equal(t, "db", after.Objects[1].ID().Name)
	require.Len(t, after.Federations, 2)
	require.Equal(t, "Federation prod/shop", after.Federations[0].Title())
	require.Equal(t, 5, after.Federations[0].Origin.Line)
	require.Len(t, after.Input().Control(), 2, "the digest of the plan covers them")
}

func TestMistakesOfFederations(t *testing.T) {
	for text, message := range map[string]string{
		"metadata: {name: shop}\nspec: {prune: true, sources: [{name: main, url: \"https://git.example/shop\"}]}":                                             "metadata.namespace is required",
		"metadata: {namespace: prod, name: " + strings.Repeat("a", 64) + "}\nspec: {prune: true, sources: [{name: main, url: \"https://git.example/shop\"}]}": "at most 63 characters",
		"metadata: {namespace: prod, name: shop}\nspec: {prune: true, sources: []}":                                                                           "spec.sources is required",
		"metadata: {namespace: prod, name: shop}\nspec: {sources: [{name: main, url: \"https://git.example/shop\"}], dependsOn: [{namespace: prod}]}":         "spec.dependsOn[0].name is required",
		"metadata: {namespace: prod, name: shop}\nspec: {prune: true, sources: [{name: main}]}":                                                               "set exactly one",
		"metadata: {namespace: prod, name: shop}\nspec: {prun: true, sources: [{name: main, url: \"https://git.example/shop\"}]}":                             `"prune"`,
		"metadata: {namespace: prod, name: shop, labels: {accord.dev/declared-by: a.b}}\nspec: {sources: [{name: main, url: \"https://g.example/a\"}]}":       "is reserved",
	} {
		_, err := partsOf(t, "apiVersion: accord.dev/v1alpha1\nkind: Federation\n"+text+"\n").WithFederations()
		require.ErrorContains(t, err, message, text)
		require.ErrorContains(t, err, "all.yaml:", text)
	}
	circle := strings.NewReplacer("name: shop}\nspec: {", "name: shop}\nspec: {dependsOn: [{name: pay}], ", "name: pay}\nspec: {", "name: pay}\nspec: {dependsOn: [{name: shop}], ").Replace(twoFederations)
	_, err := partsOf(t, circle).WithFederations()
	require.EqualError(t, err, "all.yaml:8: a cycle in spec.dependsOn, in which each Federation waits for the next: prod/shop -> prod/pay -> prod/shop. Remove one of the entries")
	both := partsOf(t, twoFederations)
	both.Objects = append(both.Objects, partsOf(t, twoFederations).Objects...) // as of two sources
	_, err = both.WithFederations()
	require.ErrorContains(t, err, "Federation prod/pay is defined twice")
}
