package register

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/reconciler/registration/applicant"
)

// requestTimeout bounds one request, poll is the time between two looks at the Cluster.
const (
	requestTimeout = 15 * time.Second
	poll           = time.Second
)

// Run registers the cluster. Everything that can fail without a certificate comes before it, because the certificate uses up the token.
func (o *Options) Run(ctx context.Context, out io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	loader := hub.Loader(o.Kubeconfig, o.Context)
	if o.Cluster == "" {
		raw, err := loader.RawConfig()
		if err != nil {
			return fmt.Errorf("reading the kubeconfig of the cluster: %w", err)
		}
		if o.Cluster = o.Context; o.Cluster == "" {
			o.Cluster = raw.CurrentContext
		}
	}
	if err := registration.CheckClusterName(o.Cluster); err != nil {
		return fmt.Errorf("%w; set --cluster-name", err)
	}
	if o.DryRun || o.Manifests {
		manifests, err := o.manifests() // without a kubeconfig: the key and the certificate do not exist yet
		if err != nil {
			return err
		}
		_, err = io.WriteString(out, manifests)
		return err
	}
	m, err := connect(loader)
	if err != nil {
		return err
	}
	if err := o.preflight(ctx, out, m); err != nil {
		return err
	}
	o.Say = func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	o.Traits.ID = m.uid
	ca, err := o.Discover(ctx)
	if err != nil {
		return err
	}
	if err := o.rehearse(ctx, m); err != nil {
		return err
	}
	as, err := o.RequestIdentity(ctx, ca)
	if err != nil {
		return err
	}
	if err := describe(out, as); err != nil {
		return err
	}
	kubeconfig, err := o.Applicant.Kubeconfig(ca, as)
	if err != nil {
		return err
	}
	if err := o.install(ctx, out, m, kubeconfig); err != nil {
		return fmt.Errorf("%w; the hub has registered cluster %s: correct the cause, run \"accord unregister %s\" on the hub, and register again with another token", err, o.Cluster, o.Cluster)
	}
	return o.awaitReady(ctx, out, kubeconfig)
}

// describe prints the identity that the hub signed. It returns an error for a certificate that the agent could not use.
func describe(out io.Writer, as applicant.Identity) error {
	all, err := cert.ParseCertsPEM(as.Certificate)
	if err != nil {
		return fmt.Errorf("reading the certificate of the hub: %w", err)
	}
	_, err = fmt.Fprintf(out, "[certificate] the hub signed it for %s, until %s\n", all[0].Subject.CommonName, all[0].NotAfter.UTC().Format(time.RFC3339))
	return err
}

// awaitReady waits until the Cluster on the hub is Ready, with the identity of the agent.
func (o *Options) awaitReady(ctx context.Context, out io.Writer, kubeconfig []byte) error {
	cfg, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return fmt.Errorf("reading the kubeconfig of the agent: %w", err)
	}
	cfg.Timeout = requestTimeout
	h, err := client.New(cfg, client.Options{Scheme: hub.Scheme(), Mapper: clusterMapper()})
	if err != nil {
		return err
	}
	cluster, why := &v1alpha1.Cluster{}, "no answer yet"
	look := func(ctx context.Context) (bool, error) {
		if err := h.Get(ctx, client.ObjectKey{Name: o.Cluster}, cluster); err != nil {
			why = err.Error()
			return false, applicant.UnlessPassing(err)
		}
		ready := apimeta.FindStatusCondition(cluster.Status.Conditions, fluxmeta.ReadyCondition)
		if ready != nil {
			why = ready.Message
		}
		return ready != nil && ready.Status == metav1.ConditionTrue, nil
	}
	if !o.Wait {
		if _, err := look(ctx); err != nil {
			return fmt.Errorf("the agent cannot read its Cluster on the hub: %w", err)
		}
		_, err := fmt.Fprintf(out, "registered cluster %s; its agent is starting. On the hub: accord get clusters %[1]s\n", o.Cluster)
		return err
	}
	fmt.Fprintf(out, "[ready] waiting at most %s for the agent\n", o.Timeout)
	err = wait.PollUntilContextTimeout(ctx, poll, o.Timeout, true, look)
	switch {
	case err == nil:
		_, err = fmt.Fprintf(out, "[ready] cluster %s is Ready\n", o.Cluster)
		return err
	case wait.Interrupted(err) && ctx.Err() == nil:
		return fmt.Errorf("cluster %s is registered, and not Ready after %s: %s; look at \"kubectl -n %s logs deployment/%s\" on the cluster", o.Cluster, o.Timeout, strings.TrimSpace(why), hub.SystemNamespace, agentName)
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		return errors.Join(errors.New("the hub revoked the agent while it was starting"), err)
	}
	return err
}

// clusterMapper knows the one resource that the agent's identity reads here, so that no discovery is needed.
func clusterMapper() apimeta.RESTMapper {
	m := apimeta.NewDefaultRESTMapper(nil)
	m.Add(v1alpha1.GroupVersion.WithKind("Cluster"), apimeta.RESTScopeRoot)
	return m
}
