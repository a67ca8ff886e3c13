package check_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/dump"
)

var (
	yamlBlock    = regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)^ *```$")
	hereDocument = regexp.MustCompile("(?ms)<<'?EOF'?\n(.*?)^EOF$")
)

// TestManifestsOfPages decodes the manifests of accord and of Karmada in README and docs: an unknown field is an error.
func TestManifestsOfPages(t *testing.T) {
	pages := []string{"../../README.md"}
	require.NoError(t, filepath.WalkDir("../../docs", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	}))
	decoded := 0
	for _, page := range pages {
		content, err := os.ReadFile(page)
		require.NoError(t, err)
		var blocks []string
		for _, match := range yamlBlock.FindAllStringSubmatch(string(content), -1) {
			blocks = append(blocks, match[2])
		}
		for _, match := range hereDocument.FindAllStringSubmatch(string(content), -1) {
			blocks = append(blocks, match[1])
		}
		for _, block := range blocks {
			if !regexp.MustCompile(`(?m)^apiVersion: .*(accord\.dev|karmada\.io)/`).MatchString(block) || strings.Contains(block, "# did you mean") || !regexp.MustCompile(`(?m)^spec:`).MatchString(block) {
				continue // an excerpt, or the example of a mistake
			}
			decoded++
			_, err := dump.Read([]byte("-- manifest.yaml --\n" + strings.ReplaceAll(block, "$HOME", "/home/you")))
			require.NoError(t, err, "%s:\n%s", page, block)
			for _, document := range strings.Split(block, "\n---\n") {
				if strings.Contains(document, "\nkind: Federation\n") {
					require.NoError(t, yaml.UnmarshalStrict([]byte(document), &v1alpha1.Federation{}), "%s:\n%s", page, block)
				}
			}
		}
	}
	require.Greater(t, decoded, 5)
}
