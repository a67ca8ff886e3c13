package interpret

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/interpret/sandbox"
)

// unitsPerSecond converts the work of scripts to time, see the limits of package sandbox. The time is counted and not measured: it is the
// same on every machine.
const unitsPerSecond = 1 << 25

// Measure adds up the work of the scripts of customizations for one plan: each script is compiled, and each script about templates runs
// once for each object of its kind. It stops if that takes longer than limit, and returns the customization that has taken most of it;
// otherwise nil.
func Measure(customizations []policy.Customization, objects []*unstructured.Unstructured, limit time.Duration) *policy.Customization {
	most, left := (*policy.Customization)(nil), int64(limit.Seconds()*unitsPerSecond)
	largest := int64(0)
	lib := newLibrary()
	for _, c := range slices.SortedFunc(slices.Values(customizations), byName) {
		meter := &sandbox.Meter{}
		measure(&c, lib.Metered(meter), objects, func() bool { return meter.Units() <= left })
		left -= meter.Units()
		if meter.Units() > largest {
			most, largest = &c, meter.Units()
		}
		if left < 0 {
			return most
		}
	}
	return nil
}

// measure runs the scripts of a customization while more reports true.
func measure(c *policy.Customization, lib *sandbox.Library, objects []*unstructured.Unstructured, more func() bool) {
	b := &Book{pages: map[schema.GroupKind]*page{}}
	p, err := b.page(c.Spec.Target.APIVersion, c.Spec.Target.Kind)
	if err != nil {
		return // New returns the error, as those below
	}
	for _, op := range policy.Operations() {
		if c.Script(op) == "" || !more() {
			continue
		}
		if s, err := compile(c, op, lib); err == nil {
			_ = p.add(s)
		}
	}
	for _, u := range objects {
		if !more() {
			return
		}
		b.Check(u)
	}
}
