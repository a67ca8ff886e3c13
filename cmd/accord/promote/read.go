package promote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/status/kind"
)

// page is the number of objects of one answer.
const page = 500

// reader reads the objects of a cluster.
type reader struct {
	*Options
	factory cmdutil.Factory
	notes   []string
}

// read returns the objects that the arguments name, or all of the namespace, in a stable order without duplicates.
func (r *reader) read(ctx context.Context, args []string) (all []*unstructured.Unstructured, err error) {
	if r.all {
		all, err = r.namespaced(ctx)
	} else {
		all, err = r.named(ctx, args)
	}
	slices.SortFunc(all, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetKind(), b.GetKind()), cmp.Compare(a.GetName(), b.GetName()), cmp.Compare(a.GetAPIVersion(), b.GetAPIVersion()))
	})
	return slices.CompactFunc(all, func(a, b *unstructured.Unstructured) bool { return a.GetUID() == b.GetUID() }), err
}

func (r *reader) named(ctx context.Context, args []string) ([]*unstructured.Unstructured, error) {
	infos, err := r.factory.NewBuilder().Unstructured().NamespaceParam(r.namespace).DefaultNamespace().ResourceTypeOrNameArgs(false, args...).Flatten().Do().Infos()
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, info := range infos {
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, fmt.Errorf("%s is no object", info.Name)
		}
		all = append(all, u)
	}
	if !r.dependencies {
		return all, nil
	}
	for _, u := range slices.Clone(all) {
		needed, err := r.needs(ctx, u)
		if err != nil {
			return nil, err
		}
		all = append(all, needed...)
	}
	return all, nil
}

// needs returns the objects that an object refers to.
func (r *reader) needs(ctx context.Context, u *unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	find := kind.Of(u.GroupVersionKind().GroupKind()).Dependencies
	if find == nil {
		return nil, nil
	}
	c, mapper, err := r.clients()
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, ref := range find(u) {
		if ref.Name == "" {
			continue
		}
		needed, err := get(ctx, c, mapper, ref.ID)
		switch {
		case apierrors.IsNotFound(err):
			r.notes = append(r.notes, fmt.Sprintf("%s refers to %s %s, which does not exist", manifest.IDOf(u), ref.Kind, ref.Name))
		case err != nil:
			return nil, err
		case ref.Kind != "ServiceAccount" || ref.Name != "default":
			all = append(all, needed)
		}
	}
	return all, nil
}

func (r *reader) clients() (dynamic.Interface, apimeta.RESTMapper, error) {
	c, err := r.factory.DynamicClient()
	if err != nil {
		return nil, nil, err
	}
	mapper, err := r.factory.ToRESTMapper()
	return c, mapper, err
}

func get(ctx context.Context, c dynamic.Interface, mapper apimeta.RESTMapper, id manifest.ID) (*unstructured.Unstructured, error) {
	m, err := mapper.RESTMapping(id.GroupKind())
	if err != nil {
		return nil, err
	}
	return c.Resource(m.Resource).Namespace(id.Namespace).Get(ctx, id.Name, metav1.GetOptions{})
}

// namespaced returns all objects of the namespace. An object that several groups serve is returned once.
func (r *reader) namespaced(ctx context.Context) ([]*unstructured.Unstructured, error) {
	c, _, err := r.clients()
	if err != nil {
		return nil, err
	}
	discovery, err := r.factory.ToDiscoveryClient()
	if err != nil {
		return nil, err
	}
	lists, err := discovery.ServerPreferredResources()
	if err != nil {
		return nil, fmt.Errorf("reading the kinds: %w", err) // an object of an unknown kind would be missing
	}
	var all []*unstructured.Unstructured
	var refused []string
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, kind := range list.APIResources {
			if !kind.Namespaced || strings.Contains(kind.Name, "/") || !slices.Contains(kind.Verbs, "list") || !slices.Contains(kind.Verbs, "create") || !slices.Contains(kind.Verbs, "get") {
				continue
			}
			found, err := listAll(ctx, c.Resource(gv.WithResource(kind.Name)).Namespace(r.namespace))
			switch {
			case apierrors.IsForbidden(err):
				refused = append(refused, kind.Name)
			case err != nil:
				return nil, fmt.Errorf("listing %s: %w", kind.Name, err)
			}
			all = append(all, found...)
		}
	}
	if len(refused) > 0 {
		r.notes = append(r.notes, "left out: you may not list "+phrase.List(refused, 8))
	}
	return all, nil
}

// listAll returns all objects of a kind, page by page.
func listAll(ctx context.Context, c dynamic.ResourceInterface) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for o := (metav1.ListOptions{Limit: page}); ; {
		list, err := c.List(ctx, o)
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			all = append(all, &list.Items[i])
		}
		if o.Continue = list.GetContinue(); o.Continue == "" {
			return all, nil
		}
		if ctx.Err() != nil {
			return nil, errors.New("interrupted")
		}
	}
}
