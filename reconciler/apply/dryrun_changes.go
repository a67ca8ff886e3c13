package apply

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// Kinds whose changes affect the answers for other objects.
var (
	quotaKind     = schema.GroupKind{Kind: "ResourceQuota"}
	limitKind     = schema.GroupKind{Kind: "LimitRange"}
	rightsGroup   = "rbac.authorization.k8s.io"
	controlsGroup = "admissionregistration.k8s.io"
)

// changes are the parts of a delivery that affect its other objects. A dry-run of single objects lacks them, so that
// a rejection which they explain does not count.
type changes struct {
	// created are the objects that do not exist yet, by name: references to them fail in a dry-run.
	created map[string][]manifest.ID
	// namespaces that are created or changed, and the kinds of new or changed definitions.
	namespaces map[string]bool
	kinds      map[schema.GroupKind]manifest.ID
	// quotas and limits are the namespaces whose ResourceQuotas and LimitRanges change.
	quotas, limits map[string]bool
	// rights and controls are set if RBAC rules or admission configurations change.
	rights, controls bool
}

func changesOf(tasks []*task) changes {
	n := changes{
		created: map[string][]manifest.ID{}, namespaces: map[string]bool{}, kinds: map[schema.GroupKind]manifest.ID{},
		quotas: map[string]bool{}, limits: map[string]bool{},
	}
	for _, t := range tasks {
		if !t.rejected {
			n.add(t)
		}
	}
	return n
}

func (n *changes) add(t *task) {
	if !t.exists {
		n.created[t.ID.Name] = append(n.created[t.ID.Name], t.ID)
	}
	switch gk := t.ID.GroupKind(); {
	case gk == namespaceKind:
		n.namespaces[t.ID.Name] = true
	case gk == manifest.DefinitionKind:
		for _, gvk := range definedKinds(t.Body.Bytes()) {
			n.kinds[gvk.GroupKind()] = t.ID
		}
	case gk == quotaKind:
		n.quotas[t.ID.Namespace] = true
	case gk == limitKind:
		n.limits[t.ID.Namespace] = true
	case gk.Group == rightsGroup:
		n.rights = true
	case gk.Group == controlsGroup:
		n.controls = true
	}
}

// affectsOthers reports whether objects of a kind can be among the changes.
func affectsOthers(gk schema.GroupKind) bool {
	return slices.Contains([]schema.GroupKind{namespaceKind, manifest.DefinitionKind, quotaKind, limitKind}, gk) || gk.Group == rightsGroup || gk.Group == controlsGroup
}

// definesKind returns why an object cannot be checked: the same delivery changes the definition of its kind.
func (n *changes) definesKind(t *task) string {
	if definition, ok := n.kinds[t.ID.GroupKind()]; ok {
		return fmt.Sprintf("its kind is defined by %s, which changes with it", definition)
	}
	return ""
}

// explains returns why a rejection does not count: the same delivery changes its cause. It returns "" if the
// rejection counts.
func (n *changes) explains(t *task, reason string, err error) string {
	namespace := t.ID.Namespace
	switch {
	case reason == live.NamespaceMissing && n.namespaces[namespace]:
		return "its namespace is new"
	case reason == live.QuotaExceeded && n.quotas[namespace]:
		return "a ResourceQuota of its namespace changes with it: " + message(t, reason, err)
	case reason == live.AdmissionDenied && n.limits[namespace]:
		return "a LimitRange of its namespace changes with it: " + message(t, reason, err)
	case reason == live.AdmissionDenied && n.namespaces[namespace]:
		return "its namespace changes with it: " + message(t, reason, err)
	case reason == live.AdmissionDenied && n.controls:
		return "the admission control changes with it: " + message(t, reason, err)
	case reason == live.Forbidden && n.rights:
		return "the RBAC changes with it: " + message(t, reason, err)
	case reason != live.Conflict && strings.Contains(err.Error(), "not found"):
		return n.missing(t, err.Error())
	}
	return ""
}

// missing returns a sentence about the new object that the error reports as not found, or "".
func (n *changes) missing(t *task, text string) string {
	for _, name := range slices.Sorted(maps.Keys(n.created)) {
		if !strings.Contains(text, `"`+name+`" not found`) && !strings.Contains(text, name+" was found") {
			continue
		}
		for _, id := range n.created[name] {
			if id != t.ID && (id.Namespace == "" || id.Namespace == t.ID.Namespace) {
				return fmt.Sprintf("it needs %s, which is new", id)
			}
		}
	}
	return ""
}
