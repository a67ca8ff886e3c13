package drain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// Suppressed returns the FederatedObject of an object, KIND/NAME, whose eviction from a cluster keeps the old copy, and the index of its
// task. An empty namespace is any.
func Suppressed(objects []v1alpha1.FederatedObject, object, namespace, cluster string) (found *v1alpha1.FederatedObject, task int, err error) {
	kind, name, ok := strings.Cut(object, "/")
	if !ok || kind == "" || name == "" {
		return nil, 0, fmt.Errorf("%q: expected KIND/NAME, such as deployment/web", object)
	}
	var kept []string
	for i := range objects {
		o := &objects[i]
		at := slices.IndexFunc(o.Spec.GracefulEvictionTasks, func(t v1alpha1.GracefulEvictionTask) bool {
			return t.FromCluster == cluster && t.Open() && t.SuppressDeletion != nil && *t.SuppressDeletion
		})
		if at < 0 {
			continue
		}
		template := o.Spec.Template
		kept = append(kept, template.ID().String())
		if !isKind(kind, template.Kind) || template.Name != name || namespace != "" && template.Namespace != namespace {
			continue
		}
		if found != nil {
			return nil, 0, fmt.Errorf("%s is ambiguous: %s and %s: set --namespace", object, found.Spec.Template.ID(), template.ID())
		}
		found, task = o, at
	}
	switch {
	case found != nil:
		return found, task, nil
	case len(kept) == 0:
		return nil, 0, fmt.Errorf("no eviction from %s has suppressDeletion: true", cluster)
	}
	slices.Sort(kept)
	return nil, 0, fmt.Errorf("the eviction of %s from %s does not have suppressDeletion: true; those of %s have it", object, cluster, phrase.And(kept, shown))
}

// isKind reports whether a word names a kind: the kind itself or its plural, in any case.
func isKind(word, kind string) bool {
	return strings.EqualFold(word, kind) || strings.EqualFold(word, kind+"s")
}
