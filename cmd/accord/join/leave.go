package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// recordLimit is the time for the controllers to list the objects that stay on a cluster: they take at most a minute.
const recordLimit = 70 * time.Second

// Leave selects the cluster that leaves its hub.
type Leave struct {
	Hub hub.Flags
	// Kubeconfig and Context lead to the member; if both are empty, the credentials on the hub do.
	Kubeconfig string
	Context    string
	// SecretsNamespace is the namespace of the credentials on the hub.
	SecretsNamespace string
	// Prune deletes the delivered objects, too.
	Prune bool
	// Release removes the marks of accord from the delivered objects, which stay.
	Release bool
	// Force removes the Cluster although the member cannot be reached, or although no controllers run.
	Force bool
}

// leaving is one cluster on its way out.
type leaving struct {
	*Leave
	hub     *hub.Hub
	out     io.Writer
	cluster *v1alpha1.Cluster
	// member is nil if the member cannot be reached.
	member *rest.Config
	// hubID identifies the hub on the member.
	hubID string
	// gone is set if the hub has no Cluster any more: Git declared it, or somebody deleted it.
	gone bool
}

// Run stops the delivery to a cluster, revokes the identity of accord there, and removes the credentials and the Cluster from the
// hub, in this order. A second run continues an interrupted one.
func (f *Leave) Run(ctx context.Context, out io.Writer, name string) error {
	l, err := f.find(ctx, out, name)
	if err != nil {
		return err
	}
	if err := l.connect(ctx); err != nil {
		return err
	}
	return l.run(ctx)
}

// find reads the Cluster, and refuses one that another command or Git removes.
func (f *Leave) find(ctx context.Context, out io.Writer, name string) (*leaving, error) {
	h, err := f.Hub.Connect()
	if err != nil {
		return nil, err
	}
	l := &leaving{Leave: f, hub: h, out: out, cluster: &v1alpha1.Cluster{}}
	if err := h.Get(ctx, client.ObjectKey{Name: name}, l.cluster); apierrors.IsNotFound(err) {
		if l.cluster.Name, l.gone = name, true; !f.namesMember() {
			return nil, fmt.Errorf("no cluster %q on %s: to revoke the identity on a cluster whose Cluster is gone, name the cluster with --member-context", name, h.Config.Host)
		}
	} else if err != nil {
		return nil, h.Wrap("reading cluster "+name, err)
	}
	if l.cluster.Spec.SyncMode == v1alpha1.SyncModePull {
		return nil, fmt.Errorf("cluster %s is in pull mode: remove it with \"accord unregister %s\"", name, name)
	}
	if by := l.cluster.Labels[v1alpha1.SourceLabel]; by != "" {
		return nil, fmt.Errorf("the Cluster %s is declared in Git by %s: remove the manifest there; when the Cluster is gone, revoke the identity with \"accord leave %s --member-context CONTEXT\"", name, by, name)
	}
	return l, nil
}

// namesMember reports whether the user names the member with a kubeconfig.
func (f *Leave) namesMember() bool { return f.Kubeconfig != "" || f.Context != "" }

func (l *leaving) run(ctx context.Context) error {
	fmt.Fprintln(l.out, strings.TrimSuffix("cluster "+l.cluster.Name+": "+l.cluster.Spec.APIEndpoint, ": "))
	objects, err := l.delivered(ctx)
	if err != nil {
		return err
	}
	if err := l.stopDelivery(ctx); err != nil {
		return err
	}
	if err := l.settleObjects(ctx, objects); err != nil {
		return err
	}
	if err := l.revoke(ctx); err != nil {
		return err
	}
	if err := l.dropSecret(ctx); err != nil {
		return err
	}
	if err := l.update(ctx, func(finalizers []string) []string { return without(finalizers, v1alpha1.LeaveFinalizer) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(l.out, "left: %s is no member of %s.\n", l.cluster.Name, l.hub.Config.Host)
	return err
}

// connect finds the way to the member: the kubeconfig of the user, or the credentials on the hub.
func (l *leaving) connect(ctx context.Context) (err error) {
	hub.SetLogger(slog.New(slog.DiscardHandler))
	if l.hubID, err = identifier(ctx, l.hub); err != nil {
		return err
	}
	var cfg *rest.Config
	if l.namesMember() {
		cfg, err = hub.ClientConfig(hub.Loader(l.Kubeconfig, l.Context))
	} else {
		cfg, err = memberConfig(ctx, l.hub, l.cluster)
	}
	uid := ""
	if err == nil {
		uid, err = clusterUID(ctx, cfg)
	}
	switch {
	case err != nil && l.Force:
		fmt.Fprintf(l.out, "  unreachable  %v\n", err)
		return nil
	case err != nil:
		return fmt.Errorf("the identity of accord on cluster %s cannot be revoked: %w; name an administrator of the cluster with --member-context, or leave the identity there with --force", l.cluster.Name, err)
	case uid != "" && l.cluster.Spec.ID != "" && uid != l.cluster.Spec.ID:
		return fmt.Errorf("%s is another cluster than %s: the UID of its namespace kube-system is %s, and spec.id is %s; correct --member-context", cfg.Host, l.cluster.Name, uid, l.cluster.Spec.ID)
	}
	l.member = cfg
	return nil
}

// stopDelivery deletes the Cluster, and waits until the controllers have listed the objects that stay. The finalizer of leave keeps
// the Cluster until the rest is done.
func (l *leaving) stopDelivery(ctx context.Context) error {
	if l.gone {
		return nil
	}
	if l.cluster.DeletionTimestamp == nil {
		add := func(finalizers []string) []string { return append(finalizers, v1alpha1.LeaveFinalizer) }
		if err := l.update(ctx, add); err != nil {
			return err
		}
		if err := l.hub.Delete(ctx, l.cluster); err != nil {
			return l.hub.Wrap("deleting cluster "+l.cluster.Name, err)
		}
	}
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, recordLimit, true, func(ctx context.Context) (bool, error) {
		err := l.hub.Get(ctx, client.ObjectKeyFromObject(l.cluster), l.cluster)
		return err == nil && !slices.Contains(l.cluster.Finalizers, v1alpha1.RecordRemovalFinalizer), err
	})
	switch {
	case err == nil:
		fmt.Fprintln(l.out, "  delivery     stopped")
		return nil
	case !wait.Interrupted(err) || ctx.Err() != nil:
		return l.hub.Wrap("waiting for the controllers", err)
	case !l.Force:
		return errors.New("the controllers of the hub do not release the Cluster: start them and run \"accord leave\" again, or set --force")
	}
	fmt.Fprintln(l.out, "  delivery     no controllers run on the hub, so no Federation lists the objects that stay")
	return l.update(ctx, func(finalizers []string) []string { return without(finalizers, v1alpha1.RecordRemovalFinalizer) })
}

// update changes the finalizers of the Cluster, as the hub has them by then: the controllers change theirs, too.
func (l *leaving) update(ctx context.Context, change func([]string) []string) error {
	if l.gone {
		return nil
	}
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		wanted := l.cluster.DeepCopy()
		wanted.Finalizers = change(slices.Clone(l.cluster.Finalizers))
		if slices.Equal(wanted.Finalizers, l.cluster.Finalizers) {
			return nil
		}
		err := l.hub.Patch(ctx, wanted, client.MergeFromWithOptions(l.cluster, client.MergeFromWithOptimisticLock{}))
		if err == nil {
			l.cluster = wanted
		} else if apierrors.IsConflict(err) {
			now := &v1alpha1.Cluster{}
			if err := l.hub.Get(ctx, client.ObjectKeyFromObject(l.cluster), now); err != nil {
				return err
			}
			l.cluster = now
		}
		return err
	})
	return l.hub.Wrap("changing the finalizers of cluster "+l.cluster.Name, client.IgnoreNotFound(err))
}

func without(list []string, drop string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == drop })
}

// dropSecret deletes the credentials that join wrote to the hub.
func (l *leaving) dropSecret(ctx context.Context) error {
	ref := cmp.Or(l.cluster.Spec.SecretRef, &v1alpha1.SecretRef{Namespace: l.SecretsNamespace, Name: l.cluster.Name})
	name, s := ref.Namespace+"/"+ref.Name, &corev1.Secret{}
	err := l.hub.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, s)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return l.hub.Wrap("reading secret "+name, err)
	case s.Labels["app.kubernetes.io/managed-by"] != "accord":
		fmt.Fprintf(l.out, "  on the hub   Secret %s stays: \"accord join\" did not create it\n", name)
		return nil
	case s.Type != clusters.SecretType || string(s.Data[clusters.ClusterKey]) != l.cluster.Name:
		fmt.Fprintf(l.out, "  on the hub   Secret %s stays: it is not the Secret of this cluster\n", name)
		return nil
	}
	if err := l.hub.Delete(ctx, s); client.IgnoreNotFound(err) != nil {
		return l.hub.Wrap("deleting secret "+name, err)
	}
	fmt.Fprintf(l.out, "  on the hub   deleted Secret %s\n", name)
	return nil
}
