package propagate

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// KeepReason says why an object that a cluster still has and For no longer lists must stay there; empty when it may go.
// labels are those of the live object. It stays
//   - while a suspension covers it, or people hold the cluster: held means no delete either (B13);
//   - while a policy claims it and no choice can be made (B17), or the cluster cannot say whether it serves the kind: what
//     could not be read deletes nothing;
//   - while an object stays for one of these reasons that needs it, and whose policy sends along what it needs;
//   - a Namespace, while an object in it would stay.
func (p *Plan) KeepReason(cluster string, id manifest.ID, labels map[string]string) string {
	if why := p.Hold(cluster); why != "" {
		return why
	}
	if it, known := p.byID[id]; known {
		if why := p.keepReason(it.decision, cluster); why != "" {
			return why
		}
	} else if why := suspension(p.claims.winner(bareObject(id, labels)), cluster); why != "" {
		return why
	}
	if id.GroupKind() == namespaceKind {
		return p.namespaceKeepReason(cluster, id.Name)
	}
	return ""
}

// keepReason says why an object that is in Git stays where it is not wanted.
func (p *Plan) keepReason(d *Decision, cluster string) string {
	if why := d.ownKeepReason(cluster); why != "" {
		return why
	}
	if i, known := p.index[cluster]; known && d.Policy != nil {
		if apis := p.clusters[i].APIs; apis != nil && apis.Enablement(d.GVK) == fleet.Unknown {
			return fmt.Sprintf("cluster %s could not list all its APIs, and may serve %s", cluster, d.GVK.Kind)
		}
	}
	for _, owner := range p.dependents[d.ID] {
		if why := owner.decision.ownKeepReason(cluster); why != "" {
			return fmt.Sprintf("%s needs it and stays: %s", owner.decision.ID, why)
		}
	}
	return ""
}

// ownKeepReason says why an object stays for its own sake.
func (d *Decision) ownKeepReason(cluster string) string {
	if why := suspension(d.Policy, cluster); why != "" {
		return why
	}
	if d.Unplaced() && !d.PlacementRetained {
		return d.Why
	}
	return ""
}

// namespaceKeepReason says why a namespace must stay for what is, or may be, in it.
func (p *Plan) namespaceKeepReason(cluster, namespace string) string {
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.ID.Namespace != namespace {
			continue
		}
		if why := p.keepReason(d, cluster); why != "" {
			return fmt.Sprintf("%s in it stays: %s", d.ID, why)
		}
	}
	for _, tier := range []string{namespace, ""} {
		for _, c := range p.claims.policies[tier] {
			if why := suspension(c, cluster); why != "" && canClaimIn(c, namespace) {
				return "objects in it may be held: " + why
			}
		}
	}
	return ""
}

// canClaimIn says whether a policy can claim anything in a namespace.
func canClaimIn(p *policy.Policy, namespace string) bool {
	return slices.ContainsFunc(p.Spec.ResourceSelectors, func(s policy.ResourceSelector) bool {
		return s.Namespace == "" || s.Namespace == namespace
	})
}

// bareObject is an object of which only the identity and the labels are known.
func bareObject(id manifest.ID, labels map[string]string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: id.Group, Version: "v1", Kind: id.Kind})
	u.SetNamespace(id.Namespace)
	u.SetName(id.Name)
	u.SetLabels(labels)
	return u
}
