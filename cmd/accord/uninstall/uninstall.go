// Package uninstall removes accord from a hub.
package uninstall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/join"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
)

const (
	// podsLimit is the time for the pods of accord to end, which takes at most their grace period.
	podsLimit = time.Minute
	// goneLimit is the time for the API server to delete the objects of a CustomResourceDefinition.
	goneLimit = time.Minute
)

// Options say what is removed.
type Options struct {
	Hub hub.Flags
	// Namespace is that of accord, SecretsNamespace that of the credentials of clusters.
	Namespace, SecretsNamespace string
	// CRDs removes the CustomResourceDefinitions, too, and with them every object of accord on the hub.
	CRDs bool
	// LeaveMembers runs "accord leave" for each cluster first. Prune deletes the delivered objects there, Release removes their marks.
	LeaveMembers, Prune, Release bool
	Yes, DryRun                  bool
	// In has the answer to the question, Asks is set if somebody can answer.
	In   io.Reader
	Asks bool
}

// removal is one run of the command.
type removal struct {
	Options
	hub *hub.Hub
	out io.Writer
}

// Run removes the given objects of an installation, which are in the order of their creation.
func (o Options) Run(ctx context.Context, out io.Writer, manifests []*unstructured.Unstructured) error {
	if o.SecretsNamespace == "" {
		o.SecretsNamespace = o.Namespace
	}
	if (o.Prune || o.Release) && !o.LeaveMembers {
		return errors.New("--prune and --release require --leave-members")
	}
	h, err := o.Hub.Connect()
	if err != nil {
		return err
	}
	r := &removal{Options: o, hub: h, out: out}
	if err := r.refuseLocalHub(ctx); err != nil {
		return err
	}
	if err := r.refuseOtherNamespace(ctx); err != nil {
		return err
	}
	fleet, err := r.readFleet(ctx)
	if err != nil {
		return err
	}
	if o.LeaveMembers {
		if err := fleet.canLeave(); err != nil {
			return err
		}
	}
	objects, err := r.existing(ctx, manifests)
	if err != nil {
		return err
	}
	if len(objects) == 0 && (!o.LeaveMembers || len(fleet.clusters) == 0) {
		_, err := fmt.Fprintf(out, "nothing to remove: %s has no object of \"accord install\" in namespace %s\n", h.Config.Host, o.Namespace)
		return err
	}
	r.announce(objects, fleet)
	if o.DryRun {
		_, err := fmt.Fprintln(out, "dry run: nothing was removed.")
		return err
	}
	if err := r.confirm(ctx); err != nil {
		return err
	}
	return r.remove(ctx, objects, fleet)
}

// refuseLocalHub returns an error for a hub of "accord up": its process creates the objects again. Its Service leads to the process.
func (r *removal) refuseLocalHub(ctx context.Context) error {
	s := &corev1.Service{}
	err := r.hub.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: "accord-api"}, s)
	if err == nil && s.Spec.Type == corev1.ServiceTypeExternalName {
		return fmt.Errorf("%s is a hub of \"accord up\", which has no installation: run \"accord leave\" for each cluster, stop that process, and delete its --data-dir", r.hub.Config.Host)
	}
	return r.hub.Wrap("reading service "+r.Namespace+"/accord-api", client.IgnoreNotFound(err))
}

// refuseOtherNamespace returns an error for a namespace that "accord install" did not create: that of a member, or one that was named by
// mistake. The command deletes the namespace with all that is in it.
func (r *removal) refuseOtherNamespace(ctx context.Context) error {
	ns := &corev1.Namespace{}
	err := r.hub.Get(ctx, client.ObjectKey{Name: r.Namespace}, ns)
	if err == nil && ns.Labels["app.kubernetes.io/name"] != "accord" {
		return fmt.Errorf("namespace %s on %s is not that of an installation, because it has no label app.kubernetes.io/name=accord: correct --namespace or the kubeconfig; to remove a member, use \"accord leave\"", r.Namespace, r.hub.Config.Host)
	}
	return r.hub.Wrap("reading namespace "+r.Namespace, client.IgnoreNotFound(err))
}

// existing returns the manifests whose objects exist, in the order of their removal.
func (r *removal) existing(ctx context.Context, manifests []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	for _, u := range manifests {
		if isDefinition(u) && !r.CRDs {
			continue
		}
		err := r.hub.Get(ctx, client.ObjectKeyFromObject(u), u)
		switch {
		case apierrors.IsNotFound(err) || apimeta.IsNoMatchError(err):
		case err != nil:
			return nil, r.hub.Wrap("reading "+title(u), err)
		case u.GetDeletionTimestamp() == nil:
			found = append(found, u)
		}
	}
	bindings, err := r.secretBindings(ctx)
	if err != nil {
		return nil, err
	}
	found = append(found, bindings...)
	slices.SortStableFunc(found, func(a, b *unstructured.Unstructured) int { return rank(a) - rank(b) })
	return found, nil
}

// secretBindings returns the RoleBindings of --secrets-from, in namespaces that the manifests do not name.
func (r *removal) secretBindings(ctx context.Context) ([]*unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("rbac.authorization.k8s.io/v1")
	list.SetKind("RoleBindingList")
	if err := r.hub.List(ctx, list); err != nil {
		return nil, r.hub.Wrap("listing the role bindings", err)
	}
	var all []*unstructured.Unstructured
	for i := range list.Items {
		b := &list.Items[i]
		role, _, _ := unstructured.NestedString(b.Object, "roleRef", "name") // the API server requires it
		if b.GetNamespace() != r.Namespace && (b.GetName() == "accord-secrets" && role == "accord-secrets" || b.GetName() == "accord-tokens" && role == "accord-tokens") {
			all = append(all, b)
		}
	}
	return all, nil
}

// rank returns the place of an object in the removal: the controllers end first, so that nobody creates the rest again; the namespace and
// the definitions are last.
func rank(u *unstructured.Unstructured) int {
	order := []string{"Deployment", "APIService", "Service", "NetworkPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"}
	if i := slices.Index(order, u.GetKind()); i >= 0 {
		return i
	}
	switch {
	case isDefinition(u):
		return len(order) + 1
	case u.GetKind() == "Namespace":
		return len(order) + 2
	}
	return len(order)
}

func isDefinition(u *unstructured.Unstructured) bool {
	return u.GetKind() == "CustomResourceDefinition"
}

// title returns "ClusterRole accord", with the namespace if the object has one.
func title(u *unstructured.Unstructured) string {
	return u.GetKind() + " " + strings.TrimPrefix(u.GetNamespace()+"/"+u.GetName(), "/")
}

// announce prints what is removed, what is lost with it, and what the members keep.
func (r *removal) announce(objects []*unstructured.Unstructured, f *fleet) {
	fmt.Fprintf(r.out, "removes from %s:\n", r.hub.Config.Host)
	for _, u := range objects {
		fmt.Fprintln(r.out, "  "+title(u))
	}
	if r.CRDs {
		fmt.Fprintf(r.out, "lost with the CustomResourceDefinitions: %s\n", f.records())
	} else {
		fmt.Fprintf(r.out, "stays on the hub: the CustomResourceDefinitions with %s (--crds removes them)\n", f.records())
	}
	switch {
	case len(f.clusters) == 0:
		fmt.Fprintln(r.out, "members: none")
	case r.LeaveMembers && r.Prune:
		fmt.Fprintf(r.out, "leaves first, and deletes the delivered objects: %s\n", phrase.List(f.names(), 8))
	case r.LeaveMembers && r.Release:
		fmt.Fprintf(r.out, "leaves first: %s; the delivered objects run on without the marks of accord\n", phrase.List(f.names(), 8))
	case r.LeaveMembers:
		fmt.Fprintf(r.out, "leaves first: %s; the delivered objects run on\n", phrase.List(f.names(), 8))
	default:
		fmt.Fprintf(r.out, "members keep %s with the marks of accord, and the identity of accord: %s (--leave-members revokes the identity)\n",
			phrase.Count(f.delivered, "delivered object"), phrase.List(f.names(), 8))
	}
}

// confirm asks, unless the user has answered with --yes.
func (r *removal) confirm(ctx context.Context) error {
	if r.Yes {
		return nil
	}
	if !r.Asks {
		return errors.New("accord uninstall asks on a terminal only: set --yes, or look with --dry-run")
	}
	if _, err := fmt.Fprint(r.out, "Remove accord? [y/N] "); err != nil {
		return err
	}
	if text.Confirmed(ctx, r.In) {
		return nil
	}
	return errors.New("nothing was removed")
}

// remove lets the clusters leave, and deletes the objects.
func (r *removal) remove(ctx context.Context, objects []*unstructured.Unstructured, f *fleet) error {
	if r.LeaveMembers {
		for _, name := range f.names() {
			leave := &join.Leave{Hub: r.Hub, SecretsNamespace: r.SecretsNamespace, Prune: r.Prune, Release: r.Release}
			if err := leave.Run(ctx, r.out, name); err != nil {
				return fmt.Errorf("cluster %s does not leave, and nothing of the hub was removed: %w", name, err)
			}
		}
	}
	for _, u := range objects {
		if isDefinition(u) {
			if err := f.release(ctx, r.hub); err != nil {
				return err
			}
		}
		if err := r.delete(ctx, u); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(r.out, "removed: accord is not on %s any more.\n", r.hub.Config.Host)
	return err
}

// delete deletes an object. It waits until the pods of the Deployment have ended, and until a definition and its objects are gone.
func (r *removal) delete(ctx context.Context, u *unstructured.Unstructured) error {
	err := r.hub.Delete(ctx, u, client.PropagationPolicy("Background"))
	if client.IgnoreNotFound(err) != nil {
		return r.hub.Wrap("deleting "+title(u), err)
	}
	fmt.Fprintln(r.out, "  deleted "+title(u))
	switch {
	case u.GetKind() == "Deployment":
		return r.waitForPods(ctx)
	case isDefinition(u):
		err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, goneLimit, true, func(ctx context.Context) (bool, error) {
			err := r.hub.Get(ctx, client.ObjectKeyFromObject(u), u)
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		})
		return r.hub.Wrap("waiting until "+title(u)+" is gone", err)
	}
	return nil
}

func (r *removal) waitForPods(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, podsLimit, true, func(ctx context.Context) (bool, error) {
		pods := &corev1.PodList{}
		err := r.hub.List(ctx, pods, client.InNamespace(r.Namespace), client.MatchingLabels{"app.kubernetes.io/name": "accord"})
		return len(pods.Items) == 0, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return fmt.Errorf("the pods of accord in namespace %s do not end: delete them, and run \"accord uninstall\" again", r.Namespace)
	}
	return r.hub.Wrap("waiting for the pods of accord", err)
}
