package review

import (
	"context"
	"fmt"
	"reflect"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/load"
)

// live reads the live clusters of a side, by the index of the source. Without --base, base has none of their objects: the plan shows
// what the clusters get of them. With --base they are the same on both sides.
func (f *Options) live(ctx context.Context, p *comparison, s *side) (map[int]load.Checkout, error) {
	all := map[int]load.Checkout{}
	for i, x := range s.federation.Spec.Sources {
		if x.Cluster == nil {
			continue
		}
		if s == p.base && f.Base == "" {
			all[i] = load.Checkout{}
			continue
		}
		if !f.HeadSelection {
			selected := p.selection(x)
			if !reflect.DeepEqual(selected, x.Cluster) {
				p.notes = append(p.notes, fmt.Sprintf("head changes the selection of source %q in its live cluster, and accord reads the objects that base selects; "+
					"if the author may see everything that your context reads, add --read-head-selection", x.Name))
			}
			if x.Cluster = selected; selected == nil {
				all[i] = load.Checkout{}
				continue
			}
		}
		c, err := f.Tree.ReadLive(ctx, x)
		if err != nil {
			return nil, err
		}
		all[i] = c
	}
	return all, nil
}

// selection returns the selection with which a live cluster is read: that of base; nil if base does not have the source. A pull request
// of anybody must not choose the objects that the credentials of the user read.
func (p *comparison) selection(x v1alpha1.Source) *v1alpha1.ClusterSource {
	if p.base.federation == p.head.federation {
		return x.Cluster
	}
	if p.base.federation != nil {
		for _, b := range p.base.federation.Spec.Sources {
			if b.Name == x.Name {
				return b.Cluster
			}
		}
	}
	return nil
}
