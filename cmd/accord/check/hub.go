package check

import (
	"context"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/phrase"
)

// The versions of Kubernetes that accord supports. The hub needs version 1 of ValidatingAdmissionPolicy.
var (
	oldestHub    = version.MajorMinor(1, 30)
	oldestMember = version.MajorMinor(1, 28)
	newest       = version.MajorMinor(1, 36)
)

const applyManifests = "accord install | kubectl apply --server-side -f -"

// reach reports whether the hub answers.
func (e *examination) reach() bool {
	info, err := e.client.Discovery().ServerVersion()
	if err != nil {
		e.fail("hub", e.hub.Config.Host+" does not answer: "+err.Error(), "start a hub with \"accord up\", or name one with --kubeconfig or $"+hub.KubeconfigEnv)
		return false
	}
	e.ok("hub", "%s answers", e.hub.Config.Host)
	e.kubernetes("hub", info.GitVersion, oldestHub)
	return true
}

// kubernetes compares the version of an API server with those that accord supports there.
func (e *examination) kubernetes(subject, serverVersion string, oldest *version.Version) {
	v, err := version.ParseGeneric(serverVersion)
	if err != nil {
		e.warn(subject, "Kubernetes "+serverVersion+" is a version that cannot be read", "use a released version of Kubernetes")
		return
	}
	minor := version.MajorMinor(v.Major(), v.Minor())
	switch {
	case minor.LessThan(oldest):
		e.fail(subject, "Kubernetes "+serverVersion+" is older than "+oldest.String()+", the oldest version that accord supports", "upgrade the cluster")
	case newest.LessThan(minor):
		e.warn(subject, "Kubernetes "+serverVersion+" is newer than "+newest.String()+", the newest version that this accord was tested with", "upgrade accord")
	default:
		e.ok(subject, "Kubernetes %s is supported (%s to %s)", serverVersion, oldest, newest)
	}
}

// kinds compares the CustomResourceDefinitions of the hub with the built-in ones. It reports whether the hub serves the kinds.
func (e *examination) kinds(ctx context.Context) bool {
	wanted, err := v1alpha1.CRDs()
	if err != nil {
		e.fail("kinds", err.Error(), "download accord again")
		return false
	}
	var missing, different []string
	for _, crd := range wanted {
		live, err := e.definition(ctx, crd.Name)
		switch {
		case apierrors.IsForbidden(err):
			e.unread("kinds", err)
			return true
		case apierrors.IsNotFound(err):
			missing = append(missing, crd.Name)
		case err != nil:
			e.fail("kinds", err.Error(), "run the command again")
			return false
		case !sameVersions(crd.Spec.Versions, live.Spec.Versions):
			different = append(different, crd.Name)
		}
	}
	fix := applyManifests + " (a hub of \"accord up\": start \"accord up\" again)"
	switch {
	case len(missing) == len(wanted):
		e.fail("kinds", "the kinds of accord are not installed: this is not a hub", "accord up, or "+applyManifests)
	case len(missing) > 0:
		e.fail("kinds", "not installed: "+phrase.List(missing, 5), fix)
	case len(different) > 0:
		e.warn("kinds", "installed by another version of accord: "+phrase.List(different, 5), fix)
	default:
		e.ok("kinds", "%s of this version", phrase.Count(len(wanted), "CustomResourceDefinition"))
	}
	return len(missing) < len(wanted)
}

// definition reads a CustomResourceDefinition of the hub.
func (e *examination) definition(ctx context.Context, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	if err := e.hub.Get(ctx, client.ObjectKey{Name: name}, u); err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	return crd, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, crd)
}

// sameVersions reports whether two definitions serve the same versions with the same schemas. The order does not matter.
func sameVersions(a, b []apiextensionsv1.CustomResourceDefinitionVersion) bool {
	if len(a) != len(b) {
		return false
	}
	for _, wanted := range a {
		i := slices.IndexFunc(b, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == wanted.Name })
		if i < 0 || wanted.Served != b[i].Served || wanted.Storage != b[i].Storage || !apiequality.Semantic.DeepEqual(wanted.Schema, b[i].Schema) {
			return false
		}
	}
	return true
}
