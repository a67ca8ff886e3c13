package register

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/accord-dev/accord/cmd/accord/hub"
)

// member is the cluster that registers, with the rights of the person who registers it.
type member struct {
	client.Client
	config *rest.Config
	// uid is the UID of namespace kube-system; empty if the user may not read it.
	uid string
}

func connect(loader clientcmd.ClientConfig) (*member, error) {
	cfg, err := hub.ClientConfig(loader)
	if err != nil {
		return nil, fmt.Errorf("finding the cluster: %w", err)
	}
	cfg.Timeout = requestTimeout
	c, err := client.New(cfg, client.Options{Scheme: clientgoscheme.Scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster %s: %w", cfg.Host, err)
	}
	return &member{Client: c, config: cfg}, nil
}

// name returns "Deployment accord-system/accord-agent".
func name(o client.Object) string {
	kind, _ := apiutil.GVKForObject(o, clientgoscheme.Scheme) // a client clears the kind of an object
	return kind.Kind + " " + strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/")
}

// preflight checks that the cluster answers, and that it has no agent yet. It reports all findings at once.
func (o *Options) preflight(ctx context.Context, out io.Writer, m *member) error {
	versions, err := discovery.NewDiscoveryClientForConfig(m.config)
	if err != nil {
		return err
	}
	version, err := versions.ServerVersion()
	if err != nil {
		return fmt.Errorf("reaching the cluster %s: %w; correct --cluster-kubeconfig or --cluster-context", m.config.Host, err)
	}
	system := &corev1.Namespace{}
	if err := m.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err == nil {
		m.uid = string(system.UID)
	}
	all, err := o.objects(nil)
	if err != nil {
		return err
	}
	var found []error
	for _, x := range all {
		err := m.Get(ctx, client.ObjectKeyFromObject(x), x.DeepCopyObject().(client.Object))
		switch {
		case err == nil:
			found = append(found, fmt.Errorf("%s exists: the cluster has an agent; remove it with \"accord unregister --cluster-context CONTEXT\"", name(x)))
		case !apierrors.IsNotFound(err):
			found = append(found, fmt.Errorf("reading %s: %w; use a kubeconfig of an administrator of the cluster", name(x), err))
		}
	}
	if err := errors.Join(found...); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "[preflight] cluster %s: %s, %s, without an agent\n", o.Cluster, m.config.Host, version.GitVersion)
	return err
}

// rehearse creates the namespace, and everything else as a dry-run: the cluster must not refuse the agent after the token is used.
func (o *Options) rehearse(ctx context.Context, m *member) error {
	if err := m.Create(ctx, namespace()); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating namespace %s on the cluster: %w", hub.SystemNamespace, err)
	}
	all, err := o.objects([]byte("rehearsal"))
	if err != nil {
		return err
	}
	for _, x := range all {
		if err := m.Create(ctx, x, client.DryRunAll); err != nil && !missingRole(err) {
			return fmt.Errorf("the cluster refuses %s (dry-run): %w; nothing was requested from the hub", name(x), err)
		}
	}
	return nil
}

// missingRole reports whether a dry-run of a binding fails because the dry-run before it did not create the role.
func missingRole(err error) bool { return apierrors.IsNotFound(err) }

// install creates the agent.
func (o *Options) install(ctx context.Context, out io.Writer, m *member, kubeconfig []byte) error {
	all, err := o.objects(kubeconfig)
	if err != nil {
		return err
	}
	for _, x := range all {
		if err := m.Create(ctx, x); err != nil {
			return fmt.Errorf("creating %s on the cluster: %w", name(x), err)
		}
		fmt.Fprintf(out, "[agent] created %s\n", name(x))
	}
	return nil
}
