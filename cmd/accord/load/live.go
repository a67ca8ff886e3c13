package load

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/source/cluster"
)

// liveSource is the name of the source that --source-context adds to a directory without a Federation.
const liveSource = "live"

// Live reads the live clusters of a Federation with the user's own kubeconfig. It reads each once, so that all readers see the same
// objects.
type Live struct {
	// Dial returns the way to the cluster of a source for which no context is named; nil: each needs a context.
	Dial func(ctx context.Context, s v1alpha1.Source) (cfg *rest.Config, name string, err error)

	contexts []string
	read     map[string]liveRead
}

type liveRead struct {
	of       *v1alpha1.ClusterSource
	checkout Checkout
}

// Register registers the flag of the contexts.
func (l *Live) Register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&l.contexts, "source-context", nil, "context of your kubeconfig that reads the live clusters of the Federation, or SOURCE=CONTEXT for one (repeatable); without a Federation, the manifests and this cluster are the sources")
}

// Config returns the way to the live cluster of a source, and the name of its context.
func (l *Live) Config(source string) (*rest.Config, string, error) {
	name, err := l.context(source)
	if err != nil {
		return nil, "", err
	}
	cfg, err := hub.ClientConfig(hub.Loader("", name))
	return cfg, name, err
}

// Named reports whether the user named a context.
func (l *Live) Named() bool { return l != nil && len(l.contexts) > 0 }

// context returns the context for a source: that of "SOURCE=CONTEXT", or the one for all sources.
func (l *Live) context(name string) (string, error) {
	for _, c := range l.contexts {
		if of, context, found := strings.Cut(c, "="); found && of == name {
			return context, nil
		}
	}
	i := slices.IndexFunc(l.contexts, func(c string) bool { return !strings.Contains(c, "=") })
	if i < 0 {
		return "", fmt.Errorf("it is a live cluster: name the context of your kubeconfig that reads it with --source-context %s=CONTEXT", name)
	}
	return l.contexts[i], nil
}

// dial returns the way to the cluster of a source, and its name in texts.
func (l *Live) dial(ctx context.Context, s v1alpha1.Source) (*rest.Config, string, error) {
	if !l.Named() && l.Dial != nil {
		return l.Dial(ctx, s)
	}
	return l.Config(s.Name)
}

// Forget has the next Checkout read the clusters again.
func (l *Live) Forget() { l.read = nil }

// Revision returns the revision of a source that was read; empty if it was not.
func (l *Live) Revision(source string) string { return l.read[source].checkout.Revision }

// Checkout returns the objects of a live cluster. It writes nothing there.
func (l *Live) Checkout(ctx context.Context, s v1alpha1.Source, progress func() *text.ProgressLine) (Checkout, error) {
	if l == nil {
		return Checkout{}, errors.New("it is a live cluster, which this command does not read")
	}
	if known, is := l.read[s.Name]; is && reflect.DeepEqual(known.of, s.Cluster) {
		return known.checkout, nil
	}
	cfg, name, err := l.dial(ctx, s)
	if err != nil {
		return Checkout{}, err
	}
	selection, err := cluster.NewSelection(s.Cluster)
	if err != nil {
		return Checkout{}, err
	}
	line := progress()
	line.Start()
	defer line.End()
	ctx, end := context.WithTimeout(ctx, s.FetchTimeout())
	defer end()
	r, err := cluster.Open(cluster.Options{
		Name: name, Config: cfg, Selection: selection, History: cluster.NewHistory(), Changed: func() {}, Unsaved: func(error) {},
	})
	if err != nil {
		return Checkout{}, err
	}
	defer r.Close()
	snapshot, err := r.Snapshot(ctx)
	if err != nil {
		return Checkout{}, err
	}
	checkout := Checkout{Files: snapshot.FS, Revision: snapshot.Revision}
	if l.read == nil {
		l.read = map[string]liveRead{}
	}
	l.read[s.Name] = liveRead{s.Cluster, checkout}
	return checkout, nil
}

// ReadLive reads a source that is a live cluster.
func (f *Flags) ReadLive(ctx context.Context, s v1alpha1.Source) (Checkout, error) {
	c, err := f.Live.Checkout(ctx, s, func() *text.ProgressLine { return f.Progress("reading the cluster") })
	if err != nil {
		return Checkout{}, fmt.Errorf("source %q: %w", s.Name, err)
	}
	return c, nil
}

// withLive returns the checkouts of all sources: those of repositories, in their order, and live clusters.
func (f *Flags) withLive(ctx context.Context, sources []v1alpha1.Source, repositories []Checkout) (all []Checkout, err error) {
	for _, s := range sources {
		var c Checkout
		if s.Cluster == nil {
			c, repositories = repositories[0], repositories[1:]
		} else if c, err = f.ReadLive(ctx, s); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// repositoriesOf returns the sources that are no live clusters.
func repositoriesOf(sources []v1alpha1.Source) []v1alpha1.Source {
	return slices.DeleteFunc(slices.Clone(sources), func(s v1alpha1.Source) bool { return s.Cluster != nil })
}
