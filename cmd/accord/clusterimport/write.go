package clusterimport

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/importer"
)

// write writes the files of the directory. An interrupted import writes them again.
func write(dir string, files []importer.File) error {
	made := map[string]bool{}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if parent := filepath.Dir(name); !made[parent] {
			if err := os.MkdirAll(parent, 0o755); err != nil {
				return fmt.Errorf("making a directory: %w", err)
			}
			made[parent] = true
		}
		var b bytes.Buffer
		doc, err := text.ManifestNode(f.Object.Object)
		if err == nil {
			err = text.WriteManifest(&b, doc, f.Object.Object)
		}
		if err != nil {
			return fmt.Errorf("encoding %s: %w", f.Path, err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing a manifest: %w", err)
		}
	}
	return nil
}
