package register

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

const unregisterLong = `Reverse "accord register": revoke the agent of a cluster in pull mode and delete its Cluster on the hub, delete the agent on the cluster,
or both.

With NAME, the command deletes the rights of the agent on the hub and the Cluster. The agent can read and write nothing on the hub
from then on, although its certificate is valid until it expires. A Cluster that Git declares stays; remove the manifest in Git.

With --cluster-kubeconfig or --cluster-context, the command deletes the Deployment, the Secret with the key, the ServiceAccount and the
roles of the agent on the cluster. The delivered objects run on.`

// Unregistration is the command line of "accord unregister".
type Unregistration struct {
	Hub                 hub.Flags
	Kubeconfig, Context string
}

// UnregisterCommand returns "accord unregister".
func UnregisterCommand() *cobra.Command {
	o := &Unregistration{}
	c := &cobra.Command{
		Use:     "unregister [NAME]",
		Short:   "Remove a cluster in pull mode and revoke its agent",
		Long:    unregisterLong,
		Example: "  accord unregister edge-7\n  accord unregister --cluster-context kind-edge-7",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return o.Run(c.Context(), c.OutOrStdout(), append(args, "")[0])
		},
	}
	f := c.Flags()
	o.Hub.Register(f)
	f.StringVar(&o.Kubeconfig, "cluster-kubeconfig", "", "kubeconfig of the cluster; deletes the agent there")
	f.StringVar(&o.Context, "cluster-context", "", "context in the kubeconfig of the cluster; deletes the agent there")
	return c
}

// Run revokes the agent first, and deletes it on the cluster last. A second run continues an interrupted one.
func (o *Unregistration) Run(ctx context.Context, out io.Writer, cluster string) error {
	onCluster := o.Kubeconfig != "" || o.Context != ""
	if cluster == "" && !onCluster {
		return errors.New("NAME, --cluster-kubeconfig or --cluster-context is required: the name removes the cluster from the hub, the others the agent from the cluster")
	}
	if cluster != "" {
		if err := o.fromHub(ctx, out, cluster); err != nil {
			return err
		}
	}
	if !onCluster {
		return nil
	}
	m, err := connect(hub.Loader(o.Kubeconfig, o.Context))
	if err != nil {
		return err
	}
	everything := &Options{Tunnel: Tunnel{Users: []string{"any"}}, Manifests: true}
	everything.Token = "any"
	all, err := everything.objects(nil)
	if err != nil {
		return err
	}
	slices.Reverse(all)
	return remove(ctx, out, m, "cluster", all)
}

// fromHub deletes the rights of the agent and the Cluster.
func (o *Unregistration) fromHub(ctx context.Context, out io.Writer, name string) error {
	h, err := o.Hub.Connect()
	if err != nil {
		return err
	}
	cluster := &v1alpha1.Cluster{}
	err = h.Get(ctx, client.ObjectKey{Name: name}, cluster)
	exists := err == nil
	switch {
	case client.IgnoreNotFound(err) != nil:
		return h.Wrap("reading cluster "+name, err)
	case exists && cluster.Spec.SyncMode != v1alpha1.SyncModePull:
		return fmt.Errorf("cluster %s is in push mode: remove it with \"accord leave %s\"", name, name)
	}
	c, err := client.New(h.Config, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return err
	}
	role, rbac := registration.RoleName(name), rbacv1.SchemeGroupVersion.String()
	err = remove(ctx, out, c, "hub", []client.Object{
		&rbacv1.ClusterRoleBinding{TypeMeta: metav1.TypeMeta{APIVersion: rbac, Kind: "ClusterRoleBinding"}, ObjectMeta: metav1.ObjectMeta{Name: role}},
		&rbacv1.ClusterRole{TypeMeta: metav1.TypeMeta{APIVersion: rbac, Kind: "ClusterRole"}, ObjectMeta: metav1.ObjectMeta{Name: role}},
	})
	if err != nil || !exists {
		return err
	}
	if by := cluster.Labels[v1alpha1.SourceLabel]; by != "" {
		_, err = fmt.Fprintf(out, "[hub] Cluster %s stays: Git declares it (%s); remove the manifest there\n", name, by)
		return err
	}
	if err := h.Delete(ctx, cluster); client.IgnoreNotFound(err) != nil {
		return h.Wrap("deleting cluster "+name, err)
	}
	_, err = fmt.Fprintf(out, "[hub] deleted Cluster %s\n", name)
	return err
}

// remove deletes those of the objects that accord created.
func remove(ctx context.Context, out io.Writer, c client.Client, place string, all []client.Object) error {
	for _, x := range all {
		present := x.DeepCopyObject().(client.Object)
		err := c.Get(ctx, client.ObjectKeyFromObject(x), present)
		switch {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return fmt.Errorf("reading %s on the %s: %w", name(x), place, err)
		case present.GetLabels()[registration.ManagedByLabel] != registration.ManagedBy:
			fmt.Fprintf(out, "[%s] %s stays: accord did not create it\n", place, name(x))
			continue
		}
		if err := c.Delete(ctx, present); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting %s on the %s: %w", name(x), place, err)
		}
		fmt.Fprintf(out, "[%s] deleted %s\n", place, name(x))
	}
	return nil
}
