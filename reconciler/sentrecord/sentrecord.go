// Package sentrecord keeps in an annotation of a Release what was sent about it, so that the next process does not repeat it.
package sentrecord

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Annotation is that of one sender.
type Annotation struct {
	Key string
	// Sender is the field owner of the annotation. Errors name it.
	Sender string
}

// Of returns what a Release records as sent, by receiver. An annotation that is invalid has none: all is sent again.
func (x Annotation) Of(r *v1alpha1.Release) map[string]string {
	all := map[string]string{}
	if json.Unmarshal([]byte(r.Annotations[x.Key]), &all) != nil || all == nil {
		return map[string]string{}
	}
	return all
}

// Write replaces what a Release records as sent. A Release that is gone is no error.
func (x Annotation) Write(ctx context.Context, c client.Client, r *v1alpha1.Release, all map[string]string) error {
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{x.Key: string(text)}}})
	if err != nil {
		return err
	}
	if err := c.Patch(ctx, r.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.FieldOwner(x.Sender)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("recording for %s what was sent about release %s: %w", x.Sender, r.Name, err)
	}
	return nil
}
