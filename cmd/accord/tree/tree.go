// Package tree shows a Federation with those that it depends on, its objects, their clusters, and the objects that controllers created for
// them there.
package tree

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/xlab/treeprint"
	"golang.org/x/sync/errgroup"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/owned"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

// concurrency is the number of clusters that are read at once.
const concurrency = 8

// Options select a part of the tree.
type Options struct {
	Hub hub.Flags
	// Clusters limits the clusters; empty: all.
	Clusters []string
	// Children adds the objects that controllers created.
	Children bool
}

// Node is one level of the tree.
type Node struct {
	// Name is "Federation shop/web", "depends on Federation shop/db", "apps/Deployment shop/web", "eu-1" or "Pod shop/web-6d4b".
	Name  string `json:"name"`
	State string `json:"state,omitempty"`
	// Message is the reason of the state.
	Message  string `json:"message,omitempty"`
	Children []Node `json:"children,omitempty"`
}

// Tree is the Federation with all that is below it.
type Tree struct{ Node }

// DocumentKind implements text.Document.
func (Tree) DocumentKind() string { return "Tree" }

// Read reads the tree of a Federation.
func Read(ctx context.Context, o Options, h *hub.Hub, fed *v1alpha1.Federation) (Node, error) {
	if err := h.CheckClusters(ctx, o.Clusters); err != nil {
		return Node{}, err
	}
	list := &v1alpha1.FederatedObjectList{}
	if err := h.List(ctx, list, hub.ListOptions(fed)...); err != nil {
		return Node{}, h.Wrap("listing the objects", err)
	}
	slices.SortFunc(list.Items, func(a, b v1alpha1.FederatedObject) int {
		return strings.Compare(a.Spec.Template.ID().String(), b.Spec.Template.ID().String())
	})
	families := map[string]family{}
	if o.Children {
		families = o.readFamilies(ctx, list.Items)
	}
	root := Node{Name: "Federation " + fed.Namespace + "/" + fed.Name, State: text.ShortRevision(fed.Status.LastAttemptedRevision), Message: fed.Status.Message}
	if len(o.Clusters) == 0 {
		root.Children = dependencies(ctx, h, fed)
	}
	for i := range list.Items {
		if n := o.object(&list.Items[i], families); len(o.Clusters) == 0 || len(n.Children) > 0 {
			root.Children = append(root.Children, n)
		}
	}
	return root, ctx.Err()
}

// family is the objects that controllers created on one cluster, or the reason why they could not be read.
type family struct {
	*owned.Family
	err error
}

// readFamilies reads the namespaces of the objects on each cluster.
func (o Options) readFamilies(ctx context.Context, objects []v1alpha1.FederatedObject) map[string]family {
	namespaces := map[string][]string{}
	for i := range objects {
		for _, c := range o.clusters(&objects[i]) {
			if ns := objects[i].Spec.Template.Namespace; ns != "" && !slices.Contains(namespaces[c], ns) {
				namespaces[c] = append(namespaces[c], ns)
			}
		}
	}
	names := make([]string, 0, len(namespaces))
	for name := range namespaces {
		names = append(names, name)
	}
	found := make([]family, len(names))
	var g errgroup.Group
	g.SetLimit(concurrency)
	for i, name := range names {
		g.Go(func() error {
			cfg, err := o.Hub.Getter("", hub.ProxyPath(name)).ToRESTConfig()
			if err != nil {
				found[i].err = err
				return nil
			}
			cfg.Timeout = hub.RequestTimeout
			found[i].Family, found[i].err = owned.Read(ctx, cfg, namespaces[name])
			return nil
		})
	}
	_ = g.Wait() // the functions return no errors
	all := map[string]family{}
	for i, name := range names {
		all[name] = found[i]
	}
	return all
}

// clusters returns the chosen clusters of an object that the user selected, sorted.
func (o Options) clusters(f *v1alpha1.FederatedObject) []string {
	var all []string
	for _, r := range f.Spec.Results {
		for _, c := range r.Clusters {
			if len(o.Clusters) == 0 || slices.Contains(o.Clusters, c) {
				all = append(all, c)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// object returns an object with its clusters.
func (o Options) object(f *v1alpha1.FederatedObject, families map[string]family) Node {
	id := f.Spec.Template.ID()
	n := Node{Name: id.String(), State: fmt.Sprintf("%d/%d", f.Status.Summary.Healthy, f.Status.Summary.Total), Message: f.Spec.Message}
	for _, name := range o.clusters(f) {
		c := Node{Name: name}
		i := slices.IndexFunc(f.Status.Clusters, func(s v1alpha1.ObjectOnCluster) bool { return s.Cluster == name })
		if i >= 0 {
			c.State, c.Message = string(f.Status.Clusters[i].State), f.Status.Clusters[i].Message
		}
		if known, ok := families[name]; ok && known.err != nil {
			c.Message = text.Join("; ", c.Message, "its objects cannot be read: "+known.err.Error())
		} else if ok {
			c.Children = children(known.Family, id)
		}
		n.Children = append(n.Children, c)
	}
	return n
}

// children returns the objects that an object owns, each with those that it owns.
func children(f *owned.Family, id manifest.ID) []Node {
	var all []Node
	for _, c := range f.Of(id) {
		all = append(all, Node{Name: c.Kind + " " + c.Name, State: c.State, Children: children(f, c.ID)})
	}
	return all
}

// Write writes the tree as text.
func (n Node) Write(out io.Writer) error {
	t := treeprint.NewWithRoot(n.line())
	n.grow(t)
	_, err := io.WriteString(out, t.String())
	return err
}

func (n Node) grow(t treeprint.Tree) {
	for _, c := range n.Children {
		c.grow(t.AddBranch(c.line()))
	}
}

func (n Node) line() string {
	return phrase.Line(text.Join("  ", n.Name, n.State, n.Message))
}
