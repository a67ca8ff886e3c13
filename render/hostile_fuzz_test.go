package render

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

// FuzzKustomization requires that Build does not panic on any kustomization. It returns objects, or an error with a
// place and of bounded length.
func FuzzKustomization(f *testing.F) {
	f.Add("resources: [a.yaml, base]\nnamePrefix: x-\n", "resources: [../a.yaml]\n", plain)
	f.Add("configMapGenerator: [{name: x, files: [a.yaml]}]\n", "kind: Component\n", "a: 1\n")
	f.Add("resources: [a.yaml]\npatches:\n- target: {kind: A}\n  patch: '[{\"op\": \"copy\", \"from\": \"/metadata\", \"path\": \"/metadata/x\"}]'\n", "{}", plain)
	f.Add("resources: [a.yaml]\nreplacements:\n- source: {kind: A, fieldPath: metadata}\n  targets: [{select: {kind: A}, fieldPaths: [metadata.x], options: {create: true}}]\n", "{}", plain)
	f.Add("transformers: [a.yaml]\nresources: [base]\n", "resources: [../c.yaml]\n", "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: x}\nprefix: y\n")
	f.Add("resources: ['https://example.org/a.yaml', ../.., /etc/passwd]\n", "", "")
	f.Fuzz(func(t *testing.T, kustomization, base, file string) {
		if strings.Count(kustomization, "\n")+strings.Count(base, "\n") > 200 {
			return // longer inputs are slow and find nothing more
		}
		objects, err := Build(treeOf(map[string]string{"kustomization.yaml": kustomization, "base/kustomization.yaml": base, "a.yaml": file, "c.yaml": plain}), Options{})
		if err != nil {
			found, ok := errors.AsType[*manifest.Error](err)
			require.True(t, ok, "%v", err)
			require.NotEmpty(t, found.Origin.Path)
			require.Less(t, len(err.Error()), hostileMessage)
			return
		}
		for _, o := range objects {
			require.NotEmpty(t, o.ID().Name)
			require.NotEmpty(t, o.Digest)
		}
	})
}
