package apiserver

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	restclient "k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/certificate"
	"github.com/accord-dev/accord/apiserver/clusterproxy"
	"github.com/accord-dev/accord/apiserver/search"
)

const (
	// renewal is the interval at which certificates and the APIServices are compared with those that accord wants, retry the one after a
	// failure.
	renewal, retry = time.Hour, 10 * time.Second
	// installedPort is the port of the Service of "accord install".
	installedPort = 443
	// noFrontProxy is the time after which a hub without a front-proxy authority is logged.
	noFrontProxy = time.Minute
)

// registration keeps the APIServices of the hub and the certificates current.
type registration struct {
	hub          client.WithWatch
	o            Options
	certificates *certificates
	front        *frontProxy
	ca           []byte // PEM of the current authority
}

func newRegistration(cfg *restclient.Config, o Options, certificates *certificates, front *frontProxy) (*registration, error) {
	cfg = restclient.CopyConfig(cfg)
	cfg.QPS = -1
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	hub, err := client.NewWithWatch(cfg, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("hub %s: %w", cfg.Host, err)
	}
	return &registration{hub: hub, o: o, certificates: certificates, front: front}, nil
}

// certify renews the certificates that are old.
func (r *registration) certify(ctx context.Context) error {
	now := time.Now()
	authority, err := certificate.Ensure(ctx, r.hub, r.o.Namespace, now)
	if err != nil {
		return err
	}
	if err := r.certificates.renew(authority, now); err != nil {
		return err
	}
	r.ca = authority.PEM()
	return nil
}

// run registers the server with the hub, and again at each renewal, until the context ends.
func (r *registration) run(ctx context.Context) {
	waiting, cancel := context.WithTimeoutCause(ctx, noFrontProxy, errors.New("its API server publishes no front-proxy authority in ConfigMap kube-system/"+authenticationConfigMap))
	defer cancel()
	if err := r.front.ready(waiting); err != nil && ctx.Err() == nil {
		r.o.Log.Error("the hub forwards no requests to accord's API server", "error", err)
	}
	for ctx.Err() == nil {
		next := renewal
		if err := errors.Join(r.certify(ctx), r.apply(ctx)); err != nil && ctx.Err() == nil {
			r.o.Log.Error("the hub forwards no requests to accord's API server", "error", err)
			next = retry
		}
		select {
		case <-ctx.Done():
		case <-time.After(next):
		}
	}
}

// apply applies the APIServices, and on a local hub their Service.
func (r *registration) apply(ctx context.Context) error {
	if r.o.Local {
		if err := r.applyObject(ctx, r.service(), client.ForceOwnership); err != nil {
			return err
		}
	}
	return errors.Join(
		r.applyObject(ctx, r.apiService(delivery.GroupVersion, 1000), client.ForceOwnership),
		// The API server of a Karmada control plane keeps its groups. Names such as "clusters" mean accord's own kinds first.
		r.applyObject(ctx, r.apiService(clusterproxy.GroupVersion, 100)),
		r.applyObject(ctx, r.apiService(search.GroupVersion, 100)),
	)
}

func (r *registration) applyObject(ctx context.Context, o map[string]any, options ...client.ApplyOption) error {
	u := &unstructured.Unstructured{Object: o}
	if err := r.hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), append(options, client.FieldOwner(v1alpha1.FieldManager))...); err != nil {
		return fmt.Errorf("applying %s %s on the hub: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}

// service leads the hub's API server to localhost: an EndpointSlice may not have a loopback address.
func (r *registration) service() map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"namespace": r.o.Namespace, "name": Service},
		"spec": map[string]any{"type": "ExternalName", "externalName": "localhost"},
	}
}

func (r *registration) apiService(group schema.GroupVersion, priority int64) map[string]any {
	port := int64(installedPort)
	if r.o.Local {
		port = int64(r.o.Listener.Addr().(*net.TCPAddr).Port)
	}
	return map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": group.Version + "." + group.Group},
		"spec": map[string]any{
			"group": group.Group, "version": group.Version, "groupPriorityMinimum": priority, "versionPriority": int64(10),
			"service":  map[string]any{"namespace": r.o.Namespace, "name": Service, "port": port},
			"caBundle": base64.StdEncoding.EncodeToString(r.ca),
		},
	}
}
