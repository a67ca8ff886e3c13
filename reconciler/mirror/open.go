package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/applyset"
)

const (
	// parentName names the ApplySet of all mirrored objects (KEP-3659); its parent is a ConfigMap in the namespace
	// of accord that says of which kinds there is something.
	parentName = "mirror"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// open reads what a process before this one left. After it, what is not in entries is not mirrored.
func (m *Mirror) open(ctx context.Context) error {
	m.opening.Lock()
	defer m.opening.Unlock()
	m.mu.Lock()
	opened := m.opened
	m.mu.Unlock()
	if opened {
		return nil
	}
	parent, err := m.hub.Metadata.Resource(configMaps).Namespace(applyset.InventoryNamespace).Get(ctx, applyset.InventoryName(parentName), metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("reading what is mirrored: %w", err)
	}
	if err == nil {
		m.recall(parent.Annotations[v1alpha1.KindsAnnotation])
	}
	if err := m.follow(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened = true
	return nil
}

// recall the kinds that are written down.
func (m *Mirror) recall(note string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parent = true
	for name := range strings.SplitSeq(note, ",") {
		if gk := schema.ParseGroupKind(name); gk.Kind != "" {
			m.kinds[gk] = gk.WithVersion("") // whatever is served
		}
	}
}

// record writes down the kinds of which something is mirrored, or will be; nothing if they are written down already. Kinds
// are not taken off the list: looking for what is not there costs one request when the process starts.
func (m *Mirror) record(ctx context.Context, kinds []schema.GroupVersionKind) error {
	names := make([]string, len(kinds))
	for i, gvk := range kinds {
		names[i] = gvk.GroupKind().String()
	}
	slices.Sort(names)
	note := strings.Join(slices.Compact(names), ",")
	m.mu.Lock()
	known := m.parent && m.recorded == note
	m.mu.Unlock()
	if known {
		return nil
	}
	if err := m.putParent(ctx, note); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parent, m.recorded = true, note
	return nil
}

func (m *Mirror) putParent(ctx context.Context, note string) error {
	if err := m.makeNamespace(ctx, applyset.InventoryNamespace); err != nil {
		return err
	}
	name := applyset.InventoryName(parentName)
	body, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"namespace": applyset.InventoryNamespace, "name": name,
			"labels":      map[string]string{v1alpha1.ApplySetLabel: setID},
			"annotations": map[string]string{v1alpha1.KindsAnnotation: note, v1alpha1.ToolingAnnotation: v1alpha1.Tooling},
		},
	})
	if err != nil {
		return err
	}
	force := true
	_, err = m.hub.Metadata.Resource(configMaps).Namespace(applyset.InventoryNamespace).Patch(ctx, name, types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: FieldManager, Force: &force})
	if err != nil {
		return fmt.Errorf("recording what is mirrored: %w", err)
	}
	return nil
}
