package promote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/importer"
)

// print writes all manifests as one stream.
func (s *selection) print(out io.Writer) error {
	for _, u := range append(s.manifests, s.policies...) {
		if _, err := io.WriteString(out, "---\n"); err != nil {
			return err
		}
		if err := encode(out, u); err != nil {
			return err
		}
	}
	return nil
}

func encode(w io.Writer, u *unstructured.Unstructured) error {
	doc, err := text.ManifestNode(u.Object)
	if err != nil {
		return fmt.Errorf("writing %s: %w", manifest.IDOf(u), err)
	}
	return text.WriteManifest(w, doc, u.Object)
}

// write writes each manifest to a file of its own below dir. It replaces no file, and writes none if one exists.
func (s *selection) write(out io.Writer, dir string) error {
	all := append(s.manifests, s.policies...)
	for _, u := range all {
		if _, err := os.Lstat(file(dir, u)); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s exists: accord replaces no file; name another directory with --write", file(dir, u))
		}
	}
	for _, u := range all {
		var b bytes.Buffer
		if err := encode(&b, u); err != nil {
			return err
		}
		name, mode := file(dir, u), os.FileMode(0o644)
		if u.GetKind() == "Secret" {
			mode = 0o600
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("making a directory: %w", err)
		}
		if err := os.WriteFile(name, b.Bytes(), mode); err != nil {
			return fmt.Errorf("writing a manifest: %w", err)
		}
		fmt.Fprintln(out, name)
	}
	_, err := fmt.Fprintf(out, "wrote %s.  next: accord lint %s, commit and push; accord then adopts the objects\n", phrase.Count(len(all), "file"), dir)
	return err
}

// file returns the file of an object.
func file(dir string, u *unstructured.Unstructured) string {
	return filepath.Join(dir, filepath.FromSlash(importer.Path(manifest.IDOf(u))))
}
