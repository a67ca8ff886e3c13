package clusterimport

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/propagate/importer"
)

// spool keeps the kinds that have been read below the directory of the import, until it is complete. A nil spool keeps nothing.
type spool struct{ dir string }

// spoolName begins with a dot: accord does not read it as manifests.
const spoolName = ".accord-import"

// identity distinguishes imports: one continues another with the same clusters and selection only.
func (o *Options) identity() string {
	text, _ := json.Marshal([]any{o.contexts, o.kubeconfig, o.selection, o.policy}) // texts have JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// openSpool returns the spool of an interrupted import, or a new one. The directory must have nothing else but hidden files.
func openSpool(dir, identity string) (*spool, error) {
	s := &spool{filepath.Join(dir, spoolName)}
	file := filepath.Join(s.dir, "options")
	switch before, err := os.ReadFile(file); {
	case err == nil && string(before) == identity:
		return s, nil
	case err == nil:
		return nil, fmt.Errorf("%s has an interrupted import with other flags: repeat its command, or delete the directory", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("reading the interrupted import: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the directory: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") {
			return nil, fmt.Errorf("%s is not empty: accord replaces no file; name another directory with --out", dir)
		}
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the directory: %w", err)
	}
	if err := os.WriteFile(file, []byte(identity), 0o600); err != nil {
		return nil, fmt.Errorf("keeping the flags of the import: %w", err)
	}
	return s, nil
}

func (s *spool) file(cluster string, r importer.Resource) string {
	return filepath.Join(s.dir, cluster+"."+key(r)+".json")
}

// load returns the objects of a kind that an interrupted import has read.
func (s *spool) load(cluster string, r importer.Resource) ([]*unstructured.Unstructured, bool) {
	if s == nil {
		return nil, false
	}
	text, err := os.ReadFile(s.file(cluster, r))
	var objects []any
	if err != nil || utiljson.Unmarshal(text, &objects) != nil {
		return nil, false // it is read again
	}
	var all []*unstructured.Unstructured
	for _, object := range objects {
		fields, ok := object.(map[string]any)
		if !ok {
			return nil, false
		}
		all = append(all, &unstructured.Unstructured{Object: fields})
	}
	return all, true
}

// save keeps the objects of a kind. The file appears with its whole content.
func (s *spool) save(cluster string, r importer.Resource, objects []*unstructured.Unstructured) error {
	if s == nil {
		return nil
	}
	all := make([]any, len(objects))
	for i, u := range objects {
		all[i] = u.Object
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("encoding %s of cluster %s: %w", key(r), cluster, err)
	}
	file := s.file(cluster, r)
	if err := os.WriteFile(file+".part", text, 0o600); err != nil {
		return fmt.Errorf("keeping %s of cluster %s: %w", key(r), cluster, err)
	}
	if err := os.Rename(file+".part", file); err != nil {
		return fmt.Errorf("keeping %s of cluster %s: %w", key(r), cluster, err)
	}
	return nil
}

// remove ends the import.
func (s *spool) remove() error {
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("deleting the state of the import: %w", err)
	}
	return nil
}
