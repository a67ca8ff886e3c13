package token

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	tokenutil "k8s.io/cluster-bootstrap/token/util"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

const createLong = `Create a bootstrap token, with which "accord register" registers clusters in pull mode, and print it.

The token is a Secret of the type bootstrap.kubernetes.io/token in the namespace kube-system of the hub, as kubeadm creates it. It
registers as many clusters as --uses allows, under names that match --cluster, before --ttl ends. Its holder can do nothing else: the
token may create certificate signing requests and read them, and accord approves only that of a permitted cluster whose name is free.

The command also signs the ConfigMap cluster-info in the namespace kube-public, by which the cluster verifies the hub. On a hub without
this ConfigMap, the command creates it with the address and the CA of your kubeconfig; --hub-address replaces the address by one that
the clusters can reach.`

// creation is the command line of "accord token create".
type creation struct {
	hub         hub.Flags
	clusters    string
	ttl         time.Duration
	uses        int
	description string
	address     string
	namespace   string
	printJoin   bool
}

func createCommand() *cobra.Command {
	f := &creation{}
	c := &cobra.Command{
		Use:     "create",
		Short:   "Create a token that registers clusters in pull mode",
		Long:    createLong,
		Example: "  accord token create --cluster edge-7 --print-register-command\n  accord token create --cluster 'edge-*' --uses 20 --ttl 2h",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return f.run(c.Context(), c.OutOrStdout()) },
	}
	flags := c.Flags()
	f.hub.Register(flags)
	flags.StringVar(&f.clusters, "cluster", "*", "name of the cluster that the token registers, or a pattern such as 'edge-*'")
	flags.DurationVar(&f.ttl, "ttl", 24*time.Hour, "life of the token")
	flags.IntVar(&f.uses, "uses", 1, "number of clusters that the token registers")
	flags.StringVar(&f.description, "description", "", "description of the token, for \"accord token list\"")
	flags.StringVar(&f.address, "hub-address", "", "URL at which clusters reach the hub (default that of the kubeconfig)")
	flags.StringVar(&f.namespace, "namespace", hub.SystemNamespace, "namespace of accord on the hub, as for accord run")
	flags.BoolVar(&f.printJoin, "print-register-command", false, "print the command that registers a cluster, in place of the token")
	return c
}

func (f *creation) check() error {
	switch {
	case f.ttl <= 0:
		return fmt.Errorf("--ttl must be positive, got %s: a token without end would register clusters for ever", f.ttl)
	case f.uses < 1:
		return fmt.Errorf("--uses must be at least 1, got %d", f.uses)
	case f.address != "" && !strings.HasPrefix(f.address, "https://"):
		return fmt.Errorf("--hub-address %q: expected https://HOST:PORT", f.address)
	}
	if _, err := path.Match(f.clusters, ""); err != nil || f.clusters == "" {
		return fmt.Errorf("--cluster %q: expected a name, or a pattern with * and ?", f.clusters)
	}
	if !strings.ContainsAny(f.clusters, `*?[\`) {
		if err := registration.CheckClusterName(f.clusters); err != nil {
			return fmt.Errorf("--cluster: %w", err)
		}
		if f.uses > 1 {
			return errors.New("--uses above 1 needs a pattern in --cluster: one name registers one cluster")
		}
	}
	return nil
}

func (f *creation) run(ctx context.Context, out io.Writer) error {
	if err := f.check(); err != nil {
		return err
	}
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	c, err := kubernetes.NewForConfig(h.Config)
	if err != nil {
		return err
	}
	if err := grant(ctx, c); err != nil {
		return h.Wrap("granting the rights of bootstrap tokens", err)
	}
	info, err := f.clusterInfo(ctx, h, c)
	if err != nil {
		return err
	}
	t, err := f.create(ctx, c)
	if err != nil {
		return h.Wrap("creating the token", err)
	}
	if err := sign(ctx, c, t); err != nil {
		return h.Wrap("signing cluster-info", err)
	}
	text := t.String()
	if f.printJoin {
		if text, err = f.registerCommand(t, info); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, text)
	return err
}

// create creates the Secret of a new token, and the right of accord to read it and to count its uses.
func (f *creation) create(ctx context.Context, c kubernetes.Interface) (registration.Token, error) {
	for {
		text, err := tokenutil.GenerateBootstrapToken()
		if err != nil {
			return registration.Token{}, err
		}
		t := registration.Token{Clusters: f.clusters, Uses: f.uses, Expires: time.Now().Add(f.ttl).UTC().Truncate(time.Second), Description: f.description}
		if t.ID, t.Secret, err = registration.SplitToken(text); err != nil {
			return registration.Token{}, err
		}
		secret := &corev1.Secret{}
		t.Put(secret)
		secret, err = c.CoreV1().Secrets(metav1.NamespaceSystem).Create(ctx, secret, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			continue // another token has this ID
		}
		if err != nil {
			return registration.Token{}, err
		}
		return t, grantToken(ctx, c, secret, f.namespace)
	}
}
