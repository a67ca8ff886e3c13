package review

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
)

// live reads the live clusters of a side, by the index of the source. Without --base, base has none of their objects: the plan shows
// what the clusters get of them. With --base they are the same on both sides.
func (f *Options) live(ctx context.Context, p *comparison, s *side) (map[int]load.Checkout, error) {
	all := map[int]load.Checkout{}
	for i, x := range s.federation.Spec.Sources {
		switch {
		case x.Cluster == nil:
		case s == p.base && f.Base == "":
			all[i] = load.Checkout{}
		case !f.HeadSelection && !p.mayRead(x):
			all[i] = load.Checkout{}
			p.notes = append(p.notes, fmt.Sprintf("head changes the selection of source %q in its live cluster, and accord does not read it: the plan lacks its objects; if the author may see everything that your context reads, add --read-head-selection", x.Name))
		default:
			c, err := f.Tree.ReadLive(ctx, x)
			if err != nil {
				return nil, err
			}
			all[i] = c
		}
	}
	return all, nil
}

// mayRead reports whether a live cluster may be read: base selects the same objects, or the Federation is not part of the change. A pull
// request of anybody must not choose the objects that the credentials of the user read.
func (p *comparison) mayRead(x v1alpha1.Source) bool {
	if p.base.federation == p.head.federation {
		return true
	}
	return p.base.federation != nil && slices.ContainsFunc(p.base.federation.Spec.Sources, func(b v1alpha1.Source) bool {
		return b.Name == x.Name && reflect.DeepEqual(b.Cluster, x.Cluster)
	})
}
