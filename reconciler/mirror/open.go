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

// parentName names the ApplySet of all mirrored objects (KEP-3659). Its parent is a ConfigMap in the namespace of accord that
// lists their kinds.
const parentName = "mirror"

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// open reads the objects that an earlier process mirrored. After open, an object without an entry is not mirrored.
func (m *Mirror) open(ctx context.Context) error {
	m.opening.Lock()
	defer m.opening.Unlock()
	if m.entries.isOpened() {
		return nil
	}
	parent, err := m.hub.Metadata.Resource(configMaps).Namespace(applyset.InventoryNamespace).Get(ctx, applyset.InventoryName(parentName), metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("reading the record of mirrored kinds: %w", err)
	}
	if err == nil {
		m.entries.recall(parent.Annotations[v1alpha1.KindsAnnotation])
	}
	if err := m.watchKinds(ctx); err != nil {
		return err
	}
	m.entries.setOpened()
	return nil
}

// watchKinds watches the kinds of all objects that are wanted or were. It records new kinds before an object of them is written:
// after a restart, the mirror finds its objects by this record.
func (m *Mirror) watchKinds(ctx context.Context) error {
	kinds := m.entries.allKinds()
	if len(kinds) == 0 {
		return nil
	}
	if err := m.recordKinds(ctx, kinds); err != nil {
		return err
	}
	m.watch.SetKinds(append(kinds, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}))
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if err := m.watch.WaitForSync(ctx); err != nil {
		return fmt.Errorf("listing the mirrored objects: %w", err)
	}
	return nil
}

// recordKinds writes the kinds of mirrored objects to the hub, unless the hub has this list. A kind is never removed from the
// list: to look for a kind without objects costs one request when the process starts.
func (m *Mirror) recordKinds(ctx context.Context, kinds []schema.GroupVersionKind) error {
	names := make([]string, len(kinds))
	for i, gvk := range kinds {
		names[i] = gvk.GroupKind().String()
	}
	slices.Sort(names)
	note := strings.Join(slices.Compact(names), ",")
	if m.entries.isRecorded(note) {
		return nil
	}
	if err := m.putParent(ctx, note); err != nil {
		return err
	}
	m.entries.setRecorded(note)
	return nil
}

func (m *Mirror) putParent(ctx context.Context, note string) error {
	if err := m.createNamespace(ctx, applyset.InventoryNamespace); err != nil {
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
		return fmt.Errorf("recording the mirrored kinds: %w", err)
	}
	return nil
}
