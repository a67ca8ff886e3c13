package kind

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// rayPods are the pod specs of a Ray cluster: that of its head, if it has one, and those of its groups of workers.
func rayPods(cluster map[string]any) []map[string]any {
	var all []map[string]any
	if head := object(cluster, "headGroupSpec"); head != nil {
		all = append(all, object(head, "template", "spec"))
	}
	for _, group := range maps(cluster, "workerGroupSpecs") {
		all = append(all, object(group, "template", "spec"))
	}
	return all
}

// rayDependencies are what the pods of the cluster at a path of the spec refer to, and one pod more at another path.
func rayDependencies(cluster []string, pod ...string) func(*unstructured.Unstructured) []Reference {
	return func(u *unstructured.Unstructured) []Reference {
		refs := references{namespace: u.GetNamespace()}
		for _, spec := range rayPods(object(u.Object, cluster...)) {
			refs.addPod(spec)
		}
		if len(pod) > 0 {
			refs.addPod(object(u.Object, pod...))
		}
		return refs.sorted()
	}
}
