package livecluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// files is the directory with the snapshots of all sources: NAMESPACE/FEDERATION/SOURCE.snapshots. The names are those of Kubernetes,
// which have no slash.
type files struct{ dir string }

func newFiles(cache string) files { return files{filepath.Join(cache, "live")} }

const extension = ".snapshots"

func (f files) path(k key) string {
	return filepath.Join(f.dir, k.federation.Namespace, k.federation.Name, k.source+extension)
}

// remove removes the snapshots of a source.
func (f files) remove(k key) error {
	if err := os.Remove(f.path(k)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// sweep removes the snapshots of sources that the hub does not have.
func (f files) sweep(ctx context.Context, hub client.Reader) error {
	found, err := filepath.Glob(filepath.Join(f.dir, "*", "*", "*"+extension)) // before the Federations: the file of a new one stays
	if err != nil || len(found) == 0 {
		return err
	}
	list := &v1alpha1.FederationList{}
	if err := hub.List(ctx, list); err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, fed := range list.Items {
		for _, s := range fed.Spec.Sources {
			if s.Cluster != nil {
				wanted[f.path(key{types.NamespacedName{Namespace: fed.Namespace, Name: fed.Name}, s.Name})] = true
			}
		}
	}
	var errs []error
	for _, path := range found {
		if !wanted[path] {
			errs = append(errs, os.Remove(path))
			_ = os.Remove(filepath.Dir(path)) // unless it has other files
		}
	}
	return errors.Join(errs...)
}
