package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/accord-dev/accord/api/policy"
)

// Matches reports whether the affinity selects the cluster (Karmada §2.3). It checks exclude first, then labels, then
// provider, region and zone, then the names; all must match, and the empty affinity selects every cluster.
//
// If the affinity does not select the cluster, why is a sentence about the cluster that a user can act on ("is in
// exclude"), and field is the path of the deciding field below the affinity ("labelSelector.matchExpressions[1]"). An
// invalid selector selects nothing, and why describes the mistake. Both are empty when ok.
func (c Cluster) Matches(a policy.ClusterAffinity) (ok bool, why string, field string) {
	if slices.Contains(a.Exclude, c.Name) {
		return false, "is in exclude", "exclude"
	}
	if why, field = c.refusedByLabels(a.LabelSelector); why != "" {
		return false, why, "labelSelector." + field
	}
	if why, field = c.refusedByFields(a.FieldSelector); why != "" {
		return false, why, "fieldSelector." + field
	}
	if len(a.ClusterNames) > 0 && !slices.Contains(a.ClusterNames, c.Name) {
		return false, fmt.Sprintf("not in clusterNames [%s]", strings.Join(a.ClusterNames, ", ")), "clusterNames"
	}
	return true, "", ""
}

func (c Cluster) refusedByLabels(s *metav1.LabelSelector) (why, field string) {
	if s == nil {
		return "", ""
	}
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		if why = refused("label", key, selection.Equals, []string{s.MatchLabels[key]}, c.Labels); why != "" {
			return why, "matchLabels"
		}
	}
	for i, e := range s.MatchExpressions {
		op, known := labelOperators[e.Operator]
		if !known {
			why = fmt.Sprintf("labelSelector has operator %q, expected In, NotIn, Exists or DoesNotExist", e.Operator)
		} else {
			why = refused("label", e.Key, op, e.Values, c.Labels)
		}
		if why != "" {
			return why, fmt.Sprintf("matchExpressions[%d]", i)
		}
	}
	return "", ""
}

var labelOperators = map[metav1.LabelSelectorOperator]selection.Operator{
	metav1.LabelSelectorOpIn:           selection.In,
	metav1.LabelSelectorOpNotIn:        selection.NotIn,
	metav1.LabelSelectorOpExists:       selection.Exists,
	metav1.LabelSelectorOpDoesNotExist: selection.DoesNotExist,
}

var fieldOperators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn:           selection.In,
	corev1.NodeSelectorOpNotIn:        selection.NotIn,
	corev1.NodeSelectorOpExists:       selection.Exists,
	corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
}

func (c Cluster) refusedByFields(s *policy.FieldSelector) (why, field string) {
	if s == nil {
		return "", ""
	}
	for i, e := range s.MatchExpressions {
		op, known := fieldOperators[e.Operator]
		switch {
		case !known:
			why = fmt.Sprintf("fieldSelector has operator %q, expected In or NotIn", e.Operator)
		case e.Key == "zone":
			why = c.refusedByZone(op, e.Values)
		default:
			why = refused("", e.Key, op, e.Values, c.fields())
		}
		if why != "" {
			return why, fmt.Sprintf("matchExpressions[%d]", i)
		}
	}
	return "", ""
}

// fields returns the fields that a fieldSelector matches, as labels: an empty value is a missing key.
func (c Cluster) fields() map[string]string {
	set := map[string]string{}
	if c.Provider != "" {
		set["provider"] = c.Provider
	}
	if c.Region != "" {
		set["region"] = c.Region
	}
	return set
}

// refusedByZone returns the reason why no zone matches. In requires that any zone of the cluster is in the list,
// NotIn that none is.
func (c Cluster) refusedByZone(op selection.Operator, values []string) string {
	listed := slices.ContainsFunc(c.Zones, func(zone string) bool { return slices.Contains(values, zone) })
	var ok bool
	switch op {
	case selection.In:
		ok = listed
	case selection.NotIn:
		ok = !listed
	case selection.Exists:
		ok = len(c.Zones) > 0
	default: // DoesNotExist, the last of fieldOperators
		ok = len(c.Zones) == 0
	}
	if ok {
		return ""
	}
	if len(c.Zones) == 0 {
		return "has no zone, which does not match " + expression("zone", op, values)
	}
	return fmt.Sprintf("zone %s does not match %s", strings.Join(c.Zones, ","), expression("zone", op, values))
}

// refused returns why set does not satisfy one requirement; empty if it does. The text prefix stands before the key.
func refused(prefix, key string, op selection.Operator, values []string, set labels.Set) string {
	r, err := labels.NewRequirement(key, op, values)
	if err != nil {
		return "invalid selector: " + err.Error()
	}
	if r.Matches(set) {
		return ""
	}
	subject := strings.TrimSpace(prefix + " " + key)
	if value, has := set[key]; has {
		return fmt.Sprintf("%s=%s does not match %s", subject, value, expression(key, op, values))
	}
	return fmt.Sprintf("has no %s, which does not match %s", subject, expression(key, op, values))
}

// expression formats a requirement as kubectl does: "region in (eu,us)", "tier=prod", "!canary".
func expression(key string, op selection.Operator, values []string) string {
	switch op {
	case selection.Exists:
		return key
	case selection.DoesNotExist:
		return "!" + key
	case selection.Equals:
		return key + "=" + strings.Join(values, ",")
	}
	return fmt.Sprintf("%s %s (%s)", key, op, strings.Join(slices.Sorted(slices.Values(values)), ","))
}
