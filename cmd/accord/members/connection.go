// Package members has the commands that reach the API server of one member through the hub, with kubectl's own packages.
package members

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/scheme"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// proxyPath is the path on the hub that leads to the API server of a cluster.
const proxyPath = "/apis/cluster.karmada.io/v1alpha1/clusters/%s/proxy"

// access is shared by the help of the commands.
const access = `The hub forwards the requests to the cluster: it needs the right to get and create clusters/proxy in the group cluster.karmada.io for
you. The cluster decides with the rights of your user there, and accord must be allowed to act for you (--impersonate-user of
"accord join" and "accord register"). A cluster in pull mode is reached through the tunnel of its agent.

The output of the container is passed on unchanged, with its control characters.`

// connection selects a cluster and a namespace there.
type connection struct {
	hub       hub.Flags
	cluster   string
	namespace string
}

func (o *connection) register(c *cobra.Command) {
	f := c.Flags()
	o.hub.Register(f)
	f.StringVarP(&o.cluster, "cluster", "C", "", "name of the Cluster (required)")
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace on the cluster (default that of the context)")
}

// factory returns kubectl's access to the cluster. An error says why the cluster cannot be reached.
func (o *connection) factory(ctx context.Context) (cmdutil.Factory, error) {
	if o.cluster == "" {
		return nil, errors.New("--cluster is required: \"accord get clusters\" shows the names")
	}
	h, err := o.hub.Connect()
	if err != nil {
		return nil, err
	}
	hub.SetLogger(slog.New(slog.DiscardHandler))
	path := fmt.Sprintf(proxyPath, o.cluster)
	if err := reach(ctx, o.hub.Getter(o.namespace, path)); err != nil {
		return nil, o.explain(ctx, h, err)
	}
	return cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(o.hub.Getter(o.namespace, path))), nil
}

// reach reads the version of the cluster, for an error that names the cause: kubectl's packages begin with discovery, whose errors do not.
func reach(ctx context.Context, getter genericclioptions.RESTClientGetter) error {
	cfg, err := getter.ToRESTConfig()
	if err != nil {
		return err
	}
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion() // errors are of the version v1
	client, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return err
	}
	return client.Get().AbsPath("/version").Timeout(hub.RequestTimeout).Do(ctx).Error()
}

// explain adds the nearest name of a Cluster to the error about one that does not exist.
func (o *connection) explain(ctx context.Context, h *hub.Hub, err error) error {
	if !apierrors.IsNotFound(err) {
		return h.Wrap("reaching cluster "+o.cluster, err)
	}
	var names []string
	list := &v1alpha1.ClusterList{}
	if h.List(ctx, list) == nil {
		for i := range list.Items {
			names = append(names, list.Items[i].Name)
		}
	}
	return h.Wrap("reaching cluster "+o.cluster, fmt.Errorf("%w%s", err, manifest.DidYouMean(o.cluster, names)))
}

// streams returns the streams of a command, unchanged.
func streams(c *cobra.Command) genericiooptions.IOStreams {
	return genericiooptions.IOStreams{In: c.InOrStdin(), Out: text.Unescaped(c.OutOrStdout()), ErrOut: text.Unescaped(c.ErrOrStderr())}
}
