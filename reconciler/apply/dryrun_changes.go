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

// Kinds of which a change makes an API server answer differently about other objects.
var (
	quotaKind     = schema.GroupKind{Kind: "ResourceQuota"}
	limitKind     = schema.GroupKind{Kind: "LimitRange"}
	rightsGroup   = "rbac.authorization.k8s.io"
	controlsGroup = "admissionregistration.k8s.io"
)

// changes is what a delivery brings that matters to its other objects. It is not there while they are tried one by one, so what
// would be refused for want of it is not refused.
type changes struct {
	// created are the objects that are not there yet, by name: what names one of them may not find it.
	created map[string][]manifest.ID
	// namespaces that are created or changed, and definitions' kinds.
	namespaces map[string]bool
	kinds      map[schema.GroupKind]manifest.ID
	// quotas and limits are the namespaces in which those change.
	quotas, limits map[string]bool
	// rights and controls say that what may be done changes, and who else is asked.
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
	case gk == crdKind:
		for _, gvk := range definedKinds(t.JSON) {
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

// affectsOthers says that objects of a kind may be among the news.
func affectsOthers(gk schema.GroupKind) bool {
	return slices.Contains([]schema.GroupKind{namespaceKind, crdKind, quotaKind, limitKind}, gk) || gk.Group == rightsGroup || gk.Group == controlsGroup
}

// definesKind says why there is no point in asking: the definition that the API server would go by is not there yet.
func (n *changes) definesKind(t *task) string {
	if definition, ok := n.kinds[t.ID.GroupKind()]; ok {
		return fmt.Sprintf("its kind is defined by %s, which changes with it", definition)
	}
	return ""
}

// explains says why a refusal is none: what it is for want of, or because of, comes or goes with the same delivery.
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
		return "what controls admission changes with it: " + message(t, reason, err)
	case reason == live.Forbidden && n.rights:
		return "what is allowed changes with it: " + message(t, reason, err)
	case reason != live.Conflict && strings.Contains(err.Error(), "not found"):
		return n.missing(t, err.Error())
	}
	return ""
}

// missing names what an object refers to and is created with it, if the answer is that it was not found.
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
