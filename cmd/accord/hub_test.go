package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// tester is the field owner of the tests.
const tester = client.FieldOwner("test")

// testClient also knows CustomResourceDefinitions.
func testClient(cfg *rest.Config) (client.Client, error) {
	s := hub.Scheme()
	if err := apiextensionsv1.AddToScheme(s); err != nil {
		return nil, err
	}
	return client.New(cfg, client.Options{Scheme: s})
}

// installKinds installs the CustomResourceDefinitions of accord.
func installKinds(ctx context.Context, cfg *rest.Config) error {
	c, err := testClient(cfg)
	if err != nil {
		return err
	}
	crds, err := v1alpha1.CRDs()
	if err != nil {
		return err
	}
	for _, crd := range crds {
		if err := c.Create(ctx, crd); err != nil {
			return err
		}
	}
	return waitForKinds(ctx, c)
}

// waitForKinds waits until accord's kinds are served.
func waitForKinds(ctx context.Context, c client.Client) error {
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, untilLimit, true, func(ctx context.Context) (bool, error) {
		for _, list := range []client.ObjectList{
			&v1alpha1.FederationList{}, &v1alpha1.ClusterList{}, &v1alpha1.ReleaseList{}, &v1alpha1.DeliveryList{}, &v1alpha1.FederatedObjectList{},
		} {
			if c.List(ctx, list) != nil {
				return false, nil
			}
		}
		return true, nil
	})
}

func makeNamespace(ctx context.Context, cfg *rest.Config, name string) error {
	c, err := testClient(cfg)
	if err != nil {
		return err
	}
	err = c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// applyManifests applies a stream of YAML documents in order, and waits until accord's kinds are served.
func applyManifests(ctx context.Context, cfg *rest.Config, text string) error {
	c, err := testClient(cfg)
	if err != nil {
		return err
	}
	objects, err := decodeAll(text)
	if err != nil {
		return err
	}
	for _, u := range objects {
		if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), tester); err != nil {
			return fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	return waitForKinds(ctx, c)
}

// accountToken returns a token of a service account.
func accountToken(ctx context.Context, cfg *rest.Config, namespace, name string) (string, error) {
	c, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return "", err
	}
	r, err := c.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return r.Status.Token, nil
}

var ago = regexp.MustCompile(`\{\{ago ([^}]+)\}\}`)

// withTimes replaces {{ago 5m}} by the time that was five minutes ago.
func withTimes(text string, now time.Time) (string, error) {
	var bad error
	text = ago.ReplaceAllStringFunc(text, func(s string) string {
		d, err := time.ParseDuration(ago.FindStringSubmatch(s)[1])
		if err != nil {
			bad = err
		}
		return now.Add(-d).UTC().Format(time.RFC3339)
	})
	return text, bad
}

// decodeAll reads a stream of YAML documents.
func decodeAll(text string) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	d := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		u := &unstructured.Unstructured{}
		err := d.Decode(&u.Object)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", len(all)+1, err)
		}
		if len(u.Object) > 0 {
			all = append(all, u)
		}
	}
}

// apply applies an object. The definition of its kind may be as new as the object: the API server serves the kind a moment later.
func apply(ctx context.Context, h *hub.Hub, u *unstructured.Unstructured) error {
	for until := time.Now().Add(untilLimit); ; time.Sleep(50 * time.Millisecond) {
		err := h.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), tester, client.ForceOwnership)
		if !meta.IsNoMatchError(err) || time.Now().After(until) {
			return err
		}
	}
}

// putFile writes the objects and their status. Objects of accord that name no namespace, except Clusters, go into the namespace of the
// kubeconfig's context.
func putFile(ctx context.Context, kubeconfig, text string) error {
	h, err := (&hub.Flags{Kubeconfig: kubeconfig}).Connect()
	if err != nil {
		return err
	}
	if text, err = withTimes(text, time.Now()); err != nil {
		return err
	}
	objects, err := decodeAll(text)
	if err != nil {
		return err
	}
	for _, u := range objects {
		if u.GroupVersionKind().Group == v1alpha1.GroupVersion.Group && u.GetKind() != "Cluster" && u.GetNamespace() == "" {
			u.SetNamespace(h.Namespace)
		}
		status := u.DeepCopy()
		if err := apply(ctx, h, u); err != nil {
			return fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
		}
		if status.Object["status"] == nil {
			continue
		}
		delete(status.Object, "spec")
		if err := h.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(status), tester, client.ForceOwnership); err != nil {
			return fmt.Errorf("status of %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	return nil
}
