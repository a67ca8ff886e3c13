package inventory

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Objects are the writes that change a recorded inventory, as objects of the hub.
type Objects struct {
	Steps []ObjectStep

	next  Recorded
	tried []string
}

// ObjectStep has writes that may be made in any order. The next step follows when all have succeeded.
type ObjectStep struct {
	Puts, Deletes []*v1alpha1.Inventory
}

// Objects returns the writes that lead to entries. They belong to a Delivery; meta is the metadata of each object without its
// name.
func (r Recorded) Objects(entries []string, d *v1alpha1.Delivery, meta metav1.ObjectMeta) Objects {
	next, steps := r.Next(entries)
	o := Objects{next: next, tried: suffixes(steps)}
	for _, step := range steps {
		var s ObjectStep
		for _, p := range step.Puts {
			s.Puts = append(s.Puts, p.object(d, meta))
		}
		for _, suffix := range step.Deletes {
			s.Deletes = append(s.Deletes, &v1alpha1.Inventory{ObjectMeta: named(meta, Name(d.Name, suffix))})
		}
		o.Steps = append(o.Steps, s)
	}
	return o
}

// Object returns the part with a name; nil if there is none.
func (r Recorded) Object(name string, d *v1alpha1.Delivery, meta metav1.ObjectMeta) *v1alpha1.Inventory {
	for _, p := range r.Parts() {
		if Name(d.Name, Suffix(p.From)) == name {
			return p.object(d, meta)
		}
	}
	return nil
}

func (p Part) object(d *v1alpha1.Delivery, meta metav1.ObjectMeta) *v1alpha1.Inventory {
	return &v1alpha1.Inventory{ObjectMeta: named(meta, Name(d.Name, Suffix(p.From))), Spec: p.Spec(d.Spec)}
}

func named(meta metav1.ObjectMeta, name string) metav1.ObjectMeta {
	meta = *meta.DeepCopy()
	meta.Name = name
	return meta
}

// After returns the inventory on the hub after the writes, or after some of them if err is set.
func (r Recorded) After(o Objects, err error) Recorded {
	if err != nil {
		return r.Doubt(o.tried...)
	}
	return o.next
}
