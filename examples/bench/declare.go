package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate/applyset"
)

const (
	hubName             = "hub"
	federationNamespace = "bench"
	federationName      = "shop"
	hookSecret          = "push-hook"
)

// declare puts CRDs, members and a federation of one repository on the hub and returns a client for it. more are further objects of the hub.
func declare(ctx context.Context, hub *rest.Config, members *fleet, repository string, preflight bool, more ...client.Object) (client.Client, error) {
	return declareFederation(ctx, hub, members, federation(repository, preflight), more...)
}

// declareFederation puts CRDs, members and a federation on the hub.
func declareFederation(ctx context.Context, hub *rest.Config, members *fleet, fed *v1alpha1.Federation, more ...client.Object) (client.Client, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	c, err := client.New(hub, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the hub: %w", err)
	}
	crds, err := v1alpha1.CRDs()
	if err != nil {
		return nil, err
	}
	for _, crd := range crds {
		if err := c.Create(ctx, crd); err != nil {
			return nil, fmt.Errorf("declaring %s: %w", crd.Name, err)
		}
	}
	objects, err := declarations(members, fed)
	if err != nil {
		return nil, err
	}
	for _, object := range append(more, objects...) {
		if err := createWhenServed(ctx, c, object); err != nil {
			return nil, fmt.Errorf("declaring %T %s: %w", object, object.GetName(), err)
		}
	}
	return c, nil
}

// createWhenServed tries again while the hub does not know the kind yet.
func createWhenServed(ctx context.Context, c client.Client, object client.Object) error {
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := c.Create(ctx, object)
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return false, nil
		}
		if _, namespace := object.(*corev1.Namespace); namespace && apierrors.IsAlreadyExists(err) {
			err = nil // the hub has it already
		}
		return err == nil, err
	})
}

// declarations are the hub's objects, in the order they are created.
func declarations(members *fleet, fed *v1alpha1.Federation) ([]client.Object, error) {
	objects := []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: federationNamespace}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: applyset.InventoryNamespace}},
		&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: hookSecret, Namespace: federationNamespace},
			Data:       map[string][]byte{"token": []byte(hookToken)},
		},
	}
	for name, path := range members.kubeconfigs {
		kubeconfig, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading the kubeconfig of %s: %w", name, err)
		}
		objects = append(objects,
			&corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: applyset.InventoryNamespace}, Type: clusters.SecretType,
				Data: map[string][]byte{clusters.ClusterKey: []byte(name), clusters.KubeconfigKey: kubeconfig},
			},
			&v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ClusterSpec{
				APIEndpoint: members.configs[name].Host,
				SecretRef:   &v1alpha1.SecretRef{Namespace: applyset.InventoryNamespace, Name: name},
			}},
		)
	}
	return append(objects, fed), nil
}

// federation returns a Federation that fetches its source on a push hook, and practically never by itself.
func federation(repository string, preflight bool) *v1alpha1.Federation {
	return &v1alpha1.Federation{
		ObjectMeta: metav1.ObjectMeta{Name: federationName, Namespace: federationNamespace},
		Spec: v1alpha1.FederationSpec{
			Sources:          []v1alpha1.Source{{Name: "shop", URL: repository, Ref: &v1alpha1.Ref{Branch: "main"}}},
			Interval:         metav1.Duration{Duration: 24 * time.Hour},
			Prune:            true,
			Preflight:        &preflight,
			WebhookSecretRef: &corev1.LocalObjectReference{Name: hookSecret},
		},
	}
}

// tenants returns the Tenant that lets the federation read more objects than a Federation without a Tenant may; none if those limits
// suffice.
func tenants(w workload) []client.Object {
	if w.objects <= v1alpha1.DefaultTenantObjects/2 { // the bytes of our manifests are at their limit before the objects are
		return nil
	}
	return []client.Object{&v1alpha1.Tenant{
		ObjectMeta: metav1.ObjectMeta{Name: federationNamespace},
		Spec: v1alpha1.TenantSpec{
			Federations: v1alpha1.TenantFederations{Namespaces: []string{federationNamespace}},
			Sources:     []string{"**"},
			Namespaces:  []string{"*"},
			Limits:      v1alpha1.TenantLimits{Objects: int32(2 * w.objects), Bytes: "4Gi"},
		},
	}}
}
