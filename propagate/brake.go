package propagate

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// brakeFrom is how many deletions a share is asked of at all: the last of two objects may go.
	brakeFrom = 5
	// defaultPercent is the share when none is set.
	defaultPercent = 50
	// brakeNames is how many objects a braked delivery names.
	brakeNames = 5
)

// precious are kinds with which goes what no commit brings back.
var precious = []schema.GroupKind{namespaceKind, crdKind, {Kind: "PersistentVolumeClaim"}}

// Brake says why remove is not deleted from a cluster: what it would be, how much, and how to have it done all the same;
// empty if it may be. live is how many objects there are ours before anything is applied: the share is of them.
// nothing says that the plan has nothing for any cluster (Plan.Nothing): whatever became of the source, that is more often a
// wrong branch or path than what somebody wants.
func Brake(limits v1alpha1.PruneBrake, remove []manifest.ID, live int, nothing bool) string {
	if len(remove) == 0 {
		return ""
	}
	var why []string
	keep := slices.DeleteFunc(slices.Clone(remove), func(id manifest.ID) bool { return !slices.Contains(precious, id.GroupKind()) })
	if len(keep) > 0 {
		why = append(why, "it has "+enumerate(keep))
	}
	if nothing {
		why = append(why, "there is nothing for any cluster any more")
	}
	percent := int32(defaultPercent)
	if p := limits.MaxPercent; p != nil {
		percent = *p
	}
	if n := len(remove); n >= brakeFrom && n*100 > int(percent)*live {
		why = append(why, fmt.Sprintf("it is more than %d%% of them", percent))
	}
	if most := limits.MaxObjects; most != nil && len(remove) > int(*most) {
		why = append(why, fmt.Sprintf("it is more than %d", *most))
	}
	if len(why) == 0 {
		return ""
	}
	return fmt.Sprintf("would delete %d of %d objects (%s), and does not because %s; a commit with the trailer \"Accord-Prune: allow\" does",
		len(remove), live, enumerate(remove), strings.Join(why, " and "))
}

// Nothing says that the plan places nothing on any cluster.
func (p *Plan) Nothing() bool {
	return !slices.ContainsFunc(p.Decisions, func(d Decision) bool { return len(d.Chosen) > 0 })
}

// enumerate names the first few.
func enumerate(ids []manifest.ID) string {
	var names []string
	for _, id := range ids[:min(len(ids), brakeNames)] {
		names = append(names, id.String())
	}
	if more := len(ids) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
