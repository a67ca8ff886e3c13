package permit

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// minimumForPercent is the smallest number of deletions that the percentage limits: the last of two objects may go.
	minimumForPercent = 5
	// defaultPercent is the limit when the Federation sets none.
	defaultPercent = 50
	// namedObjects bounds how many objects a message names.
	namedObjects = 5
)

// precious are kinds whose deletion destroys data that no commit restores.
var precious = []schema.GroupKind{
	{Kind: "Namespace"}, manifest.DefinitionKind, {Kind: "PersistentVolumeClaim"},
}

// Prune returns why accord must not delete the objects in remove from a cluster, with the numbers and the way to allow
// it; empty when accord may. live counts our objects on the cluster before anything is applied; the percentage refers to
// it. empty means that the plan places nothing on any cluster (Plan.Empty), which is more often a wrong branch or path
// than an intention.
func Prune(limits v1alpha1.PruneLimits, remove []manifest.ID, live int, empty bool) string {
	if len(remove) == 0 {
		return ""
	}
	var why []string
	keep := slices.DeleteFunc(slices.Clone(remove), func(id manifest.ID) bool { return !slices.Contains(precious, id.GroupKind()) })
	if len(keep) > 0 {
		why = append(why, "the objects include "+enumerate(keep))
	}
	if empty {
		why = append(why, "the plan has no object for any cluster")
	}
	percent := int32(defaultPercent)
	if p := limits.MaxPercent; p != nil {
		percent = *p
	}
	if n := len(remove); n >= minimumForPercent && n*100 > int(percent)*live {
		why = append(why, fmt.Sprintf("that is more than %d%% of them", percent))
	}
	if most := limits.MaxObjects; most != nil && len(remove) > int(*most) {
		why = append(why, fmt.Sprintf("that is more than %d", *most))
	}
	if len(why) == 0 {
		return ""
	}
	return fmt.Sprintf("would delete %d of %d objects (%s); not done because %s; a commit with the trailer \"Accord-Prune: allow\" allows it",
		len(remove), live, enumerate(remove), strings.Join(why, " and "))
}

// enumerate names the first few objects and counts the rest.
func enumerate(ids []manifest.ID) string {
	var names []string
	for _, id := range ids[:min(len(ids), namedObjects)] {
		names = append(names, id.String())
	}
	if more := len(ids) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
