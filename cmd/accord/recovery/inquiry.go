package recovery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/recovery"
	"github.com/accord-dev/accord/status/kind"
)

// inquiry asks the standby about the objects that it would have.
type inquiry struct {
	standby    *clusters.Member
	objects    []*unstructured.Unstructured
	registries *registries // nil: none is asked
	*Rehearsal
}

func core(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Version: "v1", Kind: kind}
}

// pods sends a dry-run of one pod of each workload.
func (q inquiry) pods(ctx context.Context) error {
	mapping, err := q.standby.Kinds.Mapping(core("Pod"))
	if err != nil {
		return fmt.Errorf("cluster %s: %w", q.standby.Name, err)
	}
	for _, u := range q.objects {
		id := manifest.IDOf(u)
		k := kind.Of(id.GroupKind())
		if k.Replicas != nil {
			if n, ok := k.Replicas(u); ok {
				q.Replicas += int(n)
			}
		}
		if k.Template == nil {
			continue
		}
		pod := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(k.Template(u))}
		if pod.Object == nil {
			continue
		}
		pod.SetGroupVersionKind(core("Pod"))
		pod.SetGenerateName("accord-rehearsal-")
		_, err := q.standby.Objects.Resource(mapping.Resource).Namespace(id.Namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case apierrors.IsNotFound(err): // the namespace comes with the switch
			q.Notes = append(q.Notes, fmt.Sprintf("no pod of %s was tried: %s", id, phrase.Line(err.Error())))
		case err != nil:
			q.find(id.String(), "its pods are rejected: %v", q.standby.Explain(err))
		default:
			q.Tried++
		}
	}
	return nil
}

// quotas compares the requests of all replicas with the quotas of their namespaces.
func (q inquiry) quotas(ctx context.Context) error {
	found, err := list(ctx, q.standby, core("ResourceQuota"), "")
	if apierrors.IsForbidden(err) {
		q.Notes = append(q.Notes, fmt.Sprintf("the quotas are unknown: the credentials of %s need the right to list resourcequotas", q.standby.Name))
		return nil
	} else if err != nil {
		return err
	}
	all := make([]corev1.ResourceQuota, len(found))
	for i, u := range found {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &all[i]); err != nil {
			return fmt.Errorf("decoding ResourceQuota %s/%s: %w", u.GetNamespace(), u.GetName(), err)
		}
	}
	for _, x := range recovery.Exceeded(all, recovery.Requests(q.objects)) {
		q.find("ResourceQuota "+x.Namespace+"/"+x.Quota, "%s", x.Message)
	}
	return nil
}

// needs looks for the objects that others refer to.
func (q inquiry) needs(ctx context.Context) error {
	for _, n := range recovery.Needs(q.objects) {
		by := n.By[0].String()
		if more := len(n.By) - 1; more > 0 {
			by += fmt.Sprintf(" and %d more", more)
		}
		mapping, err := q.standby.Kinds.Mapping(schema.GroupVersionKind{Group: n.ID.Group, Version: "v1", Kind: n.ID.Kind})
		if err == nil {
			_, err = q.standby.Metadata.Resource(mapping.Resource).Namespace(n.ID.Namespace).Get(ctx, n.ID.Name, metav1.GetOptions{})
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case apierrors.IsNotFound(err) || apimeta.IsNoMatchError(err):
			q.find(n.ID.String(), "is missing on %s; %s refers to it", q.standby.Name, by)
		case mapping != nil && apierrors.IsForbidden(err):
			q.Notes = append(q.Notes, fmt.Sprintf("%s was not looked for: the credentials of %s need the right to get %s", n.ID, q.standby.Name, mapping.Resource.GroupResource()))
		case err != nil:
			q.Notes = append(q.Notes, fmt.Sprintf("%s was not looked for: %s", n.ID, phrase.Line(err.Error())))
		}
	}
	return nil
}

// images looks for the images that no node has in their registries.
func (q inquiry) images(ctx context.Context) error {
	nodes, err := list(ctx, q.standby, core("Node"), "")
	if err != nil {
		q.Notes = append(q.Notes, "the images of the nodes are unknown: "+phrase.Line(err.Error()))
		return nil
	}
	there := map[string]bool{}
	for _, n := range nodes {
		images, _, _ := unstructured.NestedSlice(n.Object, "status", "images")
		for _, i := range images {
			image, _ := i.(map[string]any)
			names, _, _ := unstructured.NestedStringSlice(image, "names")
			for _, name := range names {
				there[name] = true
			}
		}
	}
	var missing []string
	for _, image := range recovery.Images(q.objects) {
		if !there[image] && !there["docker.io/library/"+image] && !there["docker.io/"+image] {
			missing = append(missing, image)
		}
	}
	if q.registries == nil {
		slices.Sort(missing)
		q.unchecked(missing)
		return nil
	}
	gone, unknown := q.registries.missing(ctx, missing)
	for _, image := range gone {
		q.find("image "+image, "is on no node of %s, and its registry does not have it", q.standby.Name)
	}
	q.unchecked(unknown)
	return nil
}

func (q inquiry) unchecked(images []string) {
	if len(images) > 0 {
		q.Notes = append(q.Notes, fmt.Sprintf("no node of %s has %s that %s not checked: %s", q.standby.Name, phrase.Count(len(images), "image"), phrase.Plural(len(images), "was", "were"), strings.Join(images, ", ")))
	}
}
