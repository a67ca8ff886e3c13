package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// kinds are the kinds that configure a federation, by API group: those of Karmada (Karmada §1.1, §7, §8.1, §9) and of
// accord.
var kinds = map[string][]string{
	Group: {"PropagationPolicy", "ClusterPropagationPolicy", "OverridePolicy", "ClusterOverridePolicy", "ClusterTaintPolicy",
		"FederatedResourceQuota"},
	AppsGroup:                {"WorkloadRebalancer"},
	"autoscaling.karmada.io": {"FederatedHPA", "CronFederatedHPA"},
	"cluster.karmada.io":     {"Cluster"},
	ConfigGroup:              {"ResourceInterpreterCustomization", "ResourceInterpreterWebhookConfiguration"},
	"networking.karmada.io":  {"MultiClusterService", "MultiClusterIngress"},
	"remedy.karmada.io":      {"Remedy"},
	"search.karmada.io":      {"ResourceRegistry"},
	"work.karmada.io":        {"Work", "ResourceBinding", "ClusterResourceBinding"},
	RolloutGroup:             {"Federation", "Cluster", "RolloutPolicy", "RecoveryPlan", "Release", "Delivery", "DeliveryReport", "Inventory", "FederatedObject", "Tenant", "ResourceRegistry"},
}

// operatorGroup is the group of the installations of Karmada. Karmada delivers them like workloads (Karmada §8.1).
const operatorGroup = "operator.karmada.io"

// Configures reports whether the kinds of a group configure a federation and are therefore no workloads. Karmada
// delivers search.karmada.io to members (Karmada §8.1); accord does not.
func Configures(group string) bool { return kinds[group] != nil }

// CheckKind returns the mistake in a kind that looks like one of Karmada or accord and is none: a misspelt kind of their
// groups, a group that they do not have, or one of their kinds in a group of Kubernetes. It is empty for any other kind.
// field has the mistake: "kind" or "apiVersion".
func CheckKind(gk schema.GroupKind) (mistake, field string) {
	own, known := kinds[gk.Group]
	switch {
	case gk.Group == operatorGroup || slices.Contains(own, gk.Kind):
		return "", ""
	case !known && strings.Contains(gk.Group, ".") && !resembles(gk.Group):
		return "", ""
	}
	if home := homeOf(gk.Kind); home != "" {
		return fmt.Sprintf("%s is a kind of API group %s, and apiVersion has group %q; did you mean \"%s/v1alpha1\"?", gk.Kind, home, gk.Group, home), "apiVersion"
	}
	if known {
		return fmt.Sprintf("API group %s has no kind %q%s", gk.Group, gk.Kind, nearestKind(gk.Kind, own)), "kind"
	}
	if !resembles(gk.Group) {
		return "", ""
	}
	groups := slices.Sorted(maps.Keys(kinds))
	if near := manifest.DidYouMean(gk.Group, groups); near != "" {
		return fmt.Sprintf("there is no API group %q%s", gk.Group, near), "apiVersion"
	}
	return fmt.Sprintf("there is no API group %q; expected one of %s", gk.Group, strings.Join(groups, ", ")), "apiVersion"
}

// resembles reports whether a group is written like one of Karmada or accord.
func resembles(group string) bool {
	return slices.Contains(strings.Split(group, "."), "karmada") || group == RolloutGroup || strings.HasSuffix(group, "."+RolloutGroup)
}

// homeOf returns the group that has a kind; empty if no group or more than one has it.
func homeOf(kind string) string {
	home := ""
	for _, group := range slices.Sorted(maps.Keys(kinds)) {
		if slices.Contains(kinds[group], kind) {
			if home != "" {
				return ""
			}
			home = group
		}
	}
	return home
}

func nearestKind(kind string, own []string) string {
	if near := manifest.DidYouMean(kind, own); near != "" {
		return near
	}
	return "; expected " + strings.Join(own, ", ")
}
