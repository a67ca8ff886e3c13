package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/admission"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// establishPoll is the interval at which Install checks whether the hub serves the CRDs.
const establishPoll = 50 * time.Millisecond

// Install applies the CRDs and the admission policies of this version to the hub, and returns when the hub serves all kinds. Existing
// objects stay. The API server enforces a new policy a moment later.
func Install(ctx context.Context, cfg *rest.Config) error {
	crds, err := v1alpha1.CRDs()
	if err != nil {
		return err
	}
	objects, err := admission.Objects()
	if err != nil {
		return err
	}
	for _, crd := range crds {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
		if err != nil {
			return err
		}
		u := &unstructured.Unstructured{Object: content}
		u.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
		unstructured.RemoveNestedField(u.Object, "status")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		objects = append(objects, u)
	}
	hub, err := client.New(cfg, client.Options{})
	if err != nil {
		return fmt.Errorf("hub %s: %w", cfg.Host, err)
	}
	for _, u := range objects {
		if err := hub.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(v1alpha1.FieldManager), client.ForceOwnership); err != nil {
			return fmt.Errorf("installing %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	return waitUntilServed(ctx, cfg, crds)
}

// waitUntilServed waits until discovery lists every kind. A CRD is established a moment before discovery lists it.
func waitUntilServed(ctx context.Context, cfg *rest.Config, crds []*apiextensionsv1.CustomResourceDefinition) error {
	disco, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return fmt.Errorf("hub %s: %w", cfg.Host, err)
	}
	var missing []string
	err = wait.PollUntilContextCancel(ctx, establishPoll, true, func(context.Context) (bool, error) {
		list, err := disco.ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
		if err != nil && !apierrors.IsNotFound(err) {
			return false, err
		}
		missing = unlisted(crds, list)
		return len(missing) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %v to be served: %w", missing, err)
	}
	return nil
}

// unlisted returns the kinds that are missing from list, which is nil if discovery does not know the group.
func unlisted(crds []*apiextensionsv1.CustomResourceDefinition, list *metav1.APIResourceList) []string {
	var missing []string
	for _, crd := range crds {
		known := list != nil && slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == crd.Spec.Names.Kind })
		if !known {
			missing = append(missing, crd.Spec.Names.Kind)
		}
	}
	return missing
}
