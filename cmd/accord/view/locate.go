package view

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// locate returns the namespace to read, empty for all, and the name without its namespace.
func (l listing) locate(h *hub.Hub, name string) (namespace, short string, err error) {
	given, short, qualified := strings.Cut(name, "/")
	switch {
	case !l.namespaced:
		return "", name, nil
	case qualified && h.NamespaceGiven && given != h.Namespace:
		return "", "", fmt.Errorf("%s is not in namespace %s: omit --namespace", name, h.Namespace)
	case qualified:
		return given, short, nil
	case name != "" && h.AllNamespaces:
		return "", "", errors.New("--all-namespaces and NAME are mutually exclusive: write NAMESPACE/NAME")
	case h.NamespaceGiven || name != "":
		return h.Namespace, name, nil
	}
	return "", "", nil
}

// notFound returns the error about an object that is not there, with the nearest name.
func notFound(ctx context.Context, h *hub.Hub, l listing, namespace, name string) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(l.kind + "List"))
	in := ""
	var where []client.ListOption
	if namespace != "" {
		in, where = " in namespace "+namespace, append(where, client.InNamespace(namespace))
	}
	if err := h.List(ctx, list, where...); err != nil {
		return h.Wrap("listing the "+l.title, err)
	}
	names := make([]string, len(list.Items))
	for i := range list.Items {
		names[i] = list.Items[i].Name
	}
	hint := manifest.DidYouMean(name, names)
	if hint == "" {
		hint = fmt.Sprintf("; \"accord get %s%s\" lists them", l.names[0], text.WithPrefix(" -n ", namespace))
	}
	return fmt.Errorf("no %s %q%s on %s%s", l.names[1], name, in, h.Config.Host, hint)
}
