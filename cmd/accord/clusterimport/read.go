package clusterimport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/importer"
)

const (
	pageSize        = 500
	kindConcurrency = 4 // kinds of one cluster that are read at the same time
	restarts        = 3 // of a list whose pages expired
)

// reading says how to read.
type reading struct {
	selection importer.Selection
	spool     *spool // nil: nothing is kept for the next run
	shorten   bool   // keep only the parts of left out objects that the decision needs
}

// readAll reads the clusters at the same time.
func readAll(ctx context.Context, sources []*source, r reading, errOut io.Writer) ([]importer.Cluster, error) {
	bar := &progress{line: text.NewProgressLine(errOut, "reading")}
	defer bar.line.End()
	for _, s := range sources {
		bar.total += len(s.resources)
	}
	clusters := make([]importer.Cluster, len(sources))
	g, ctx := errgroup.WithContext(ctx)
	for i, s := range sources {
		g.Go(func() (err error) {
			objects, err := s.read(ctx, r, bar)
			if err == nil {
				clusters[i], err = s.cluster(objects)
			}
			return err
		})
	}
	return clusters, g.Wait()
}

// progress counts the kinds that have been read, and their objects.
type progress struct {
	mu                   sync.Mutex
	line                 *text.ProgressLine
	done, total, objects int
}

func (p *progress) add(objects int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.objects += objects
	p.line.Set(p.done, p.total)
	p.line.Describe(fmt.Sprintf("reading kinds, %d objects", p.objects))
}

// read returns the objects of all selected kinds, in a stable order. An object that several groups serve is returned once.
func (s *source) read(ctx context.Context, r reading, bar *progress) ([]*unstructured.Unstructured, error) {
	lister, err := newLister(s)
	if err != nil {
		return nil, err
	}
	found := make([][]*unstructured.Unstructured, len(s.resources))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(kindConcurrency)
	for i, resource := range s.resources {
		g.Go(func() error {
			objects, kept := r.spool.load(s.name, resource)
			if !kept {
				var err error
				if objects, err = lister.all(ctx, r, resource); err != nil {
					return fmt.Errorf("reading %s of cluster %s: %w", key(resource), s.name, err)
				}
				if err := r.spool.save(s.name, resource, objects); err != nil {
					return err
				}
			}
			found[i] = objects
			bar.add(len(objects))
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Concat(found...), func(u *unstructured.Unstructured) bool {
		uid := string(u.GetUID())
		twice := seen[uid]
		seen[uid] = true
		return twice
	}), nil
}

// lister reads one cluster.
type lister struct {
	objects dynamic.Interface
	names   metadata.Interface
}

func newLister(s *source) (*lister, error) {
	objects, err := dynamic.NewForConfig(s.config)
	names, err2 := metadata.NewForConfig(s.config)
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("cluster %s: %w", s.name, err)
	}
	return &lister{objects, names}, nil
}

// all returns the selected objects of a kind.
func (l *lister) all(ctx context.Context, r reading, resource importer.Resource) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	add := func(u *unstructured.Unstructured) {
		if !r.selection.Has(resource, manifest.IDOf(u)) {
			return
		}
		if r.shorten {
			importer.Shorten(u)
		}
		all = append(all, u)
	}
	namespaces := r.selection.Namespaces
	switch {
	case len(namespaces) > 0 && resource.GroupKind().String() == "Namespace":
		for _, name := range namespaces {
			u, err := l.objects.Resource(resource.GroupVersionResource).Get(ctx, name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil, fmt.Errorf("there is no namespace %q", name)
			}
			if err != nil {
				return nil, explain(err, resource)
			}
			add(u)
		}
		return all, nil
	case len(namespaces) == 0 || !resource.Namespaced:
		namespaces = []string{metav1.NamespaceAll}
	}
	for _, namespace := range namespaces {
		page := l.objectsIn(resource, namespace)
		if resource.GroupKind().String() == "Secret" {
			page = l.namesIn(resource, namespace)
		}
		found, err := pages(ctx, page)
		if err != nil {
			return nil, explain(err, resource)
		}
		for _, u := range found {
			add(u)
		}
	}
	return all, nil
}

// explain adds the fix to a missing right.
func explain(err error, resource importer.Resource) error {
	if apierrors.IsForbidden(err) {
		return fmt.Errorf("%w; \"accord import --rights\" prints the right, and --exclude %s does without it", err, key(resource))
	}
	return err
}

// pager reads one page of a list.
type pager func(ctx context.Context, o metav1.ListOptions) (items []*unstructured.Unstructured, next string, err error)

// objectsIn returns the pages of whole objects.
func (l *lister) objectsIn(r importer.Resource, namespace string) pager {
	return func(ctx context.Context, o metav1.ListOptions) (items []*unstructured.Unstructured, next string, err error) {
		list, err := l.objects.Resource(r.GroupVersionResource).Namespace(namespace).List(ctx, o)
		if err != nil {
			return nil, "", err
		}
		for i := range list.Items {
			items = append(items, &list.Items[i])
		}
		return items, list.GetContinue(), nil
	}
}

// namesIn returns the pages of the metadata alone, for Secrets. An annotation may have a copy of the values, so that only accord's own one
// stays. The API server leaves out the types that programs write.
func (l *lister) namesIn(r importer.Resource, namespace string) pager {
	return func(ctx context.Context, o metav1.ListOptions) (items []*unstructured.Unstructured, next string, err error) {
		o.FieldSelector = "type!=kubernetes.io/service-account-token,type!=bootstrap.kubernetes.io/token,type!=helm.sh/release.v1"
		list, err := l.names.Resource(r.GroupVersionResource).Namespace(namespace).List(ctx, o)
		if err != nil {
			return nil, "", err
		}
		for i := range list.Items {
			u := &unstructured.Unstructured{Object: map[string]any{}}
			u.SetGroupVersionKind(r.GroupVersionResource.GroupVersion().WithKind(r.Kind))
			u.SetNamespace(list.Items[i].Namespace)
			u.SetName(list.Items[i].Name)
			u.SetUID(list.Items[i].UID)
			u.SetLabels(list.Items[i].Labels)
			u.SetOwnerReferences(list.Items[i].OwnerReferences)
			u.SetDeletionTimestamp(list.Items[i].DeletionTimestamp)
			if digest := list.Items[i].Annotations[v1alpha1.DigestAnnotation]; digest != "" {
				u.SetAnnotations(map[string]string{v1alpha1.DigestAnnotation: digest})
			}
			items = append(items, u)
		}
		return items, list.GetContinue(), nil
	}
}

// pages returns all items of a list. The pages of one list are of one moment; the API server forgets that moment after some minutes, and
// the list starts again.
func pages(ctx context.Context, read pager) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for o, again := (metav1.ListOptions{Limit: pageSize}), 0; ; {
		items, next, err := read(ctx, o)
		switch {
		case ctx.Err() != nil:
			return nil, errors.New("interrupted")
		case apierrors.IsResourceExpired(err) && again < restarts:
			again++
			all, o.Continue = nil, ""
			continue
		case err != nil:
			return nil, err
		}
		all = append(all, items...)
		if o.Continue = next; next == "" {
			return all, nil
		}
	}
}
