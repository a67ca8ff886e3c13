package join

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// writeManifest writes the manifest of a Cluster for Git, with which lint, plan and render know the cluster without a hub.
func (f *Options) writeManifest(ctx context.Context, out io.Writer, h *hub.Hub, name string) error {
	if f.Write == "" {
		return nil
	}
	c := &v1alpha1.Cluster{}
	if err := h.Get(ctx, client.ObjectKey{Name: name}, c); err != nil {
		return h.Wrap("reading cluster "+name, err)
	}
	text, err := manifestOf(c)
	if err != nil {
		return err
	}
	if f.Write == "-" {
		_, err := out.Write(text)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.Write), 0o755); err != nil {
		return fmt.Errorf("writing the manifest of cluster %s: %w", name, err)
	}
	if err := os.WriteFile(f.Write, text, 0o644); err != nil {
		return fmt.Errorf("writing the manifest of cluster %s: %w", name, err)
	}
	_, err = fmt.Fprintf(out, "  for Git      %s\n", f.Write)
	return err
}

// manifestOf returns the manifest of a Cluster without the fields that the hub adds.
func manifestOf(c *v1alpha1.Cluster) ([]byte, error) {
	labels := maps.Clone(c.Labels)
	maps.DeleteFunc(labels, func(key, _ string) bool { return strings.HasPrefix(key, "accord.dev/") })
	return yaml.Marshal(struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        map[string]any       `json:"metadata"`
		Spec            v1alpha1.ClusterSpec `json:"spec"`
	}{
		metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Cluster"},
		map[string]any{"name": c.Name, "labels": labels}, c.Spec,
	})
}
