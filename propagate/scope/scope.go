// Package scope decides which objects have a namespace.
package scope

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/render"
)

// Scope is the knowledge about the namespace of a kind. The planner asks no API server: it knows the built-in kinds, some
// widely used ones, every CustomResourceDefinition among the objects, and the kinds that clusters list with their scope.
type Scope int

// A kind is Unknown when nothing defines it, or when clusters disagree.
const (
	Unknown Scope = iota
	Namespaced
	Cluster
)

// DefaultNamespace is the namespace of namespaced manifests that name none, as with kubectl.
const DefaultNamespace = "default"

// Kinds has the scopes of the kinds in an input.
type Kinds struct {
	defined map[schema.GroupKind]Scope // by CustomResourceDefinitions in Git
	fleet   []fleet.Cluster
}

// Of returns the scopes in an input with these objects and clusters.
func Of(objects []render.Object, clusters []fleet.Cluster) Kinds {
	k := Kinds{defined: map[schema.GroupKind]Scope{}, fleet: clusters}
	for _, o := range objects {
		if o.ID().GroupKind() != manifest.DefinitionKind {
			continue
		}
		scope := Namespaced
		if text, _, _ := unstructured.NestedString(o.Manifest.Get().Object, "spec", "scope"); text == "Cluster" {
			scope = Cluster
		}
		k.defined[manifest.Defines(o.Manifest.Get())] = scope
	}
	return k
}

// Scope returns the scope of a kind. A CustomResourceDefinition in Git comes first, the lists of the clusters last.
func (k Kinds) Scope(gk schema.GroupKind) Scope {
	return cmp.Or(k.defined[gk], wellKnown(gk), k.listed(gk))
}

// Namespace returns the namespace that an object has on a member: none for a cluster-scoped kind, and DefaultNamespace for a
// namespaced kind when the manifest names none. known is false when the manifest names none and the scope is unknown.
func (k Kinds) Namespace(id manifest.ID) (namespace string, known bool) {
	switch k.Scope(id.GroupKind()) {
	case Cluster:
		return "", true
	case Namespaced:
		return cmp.Or(id.Namespace, DefaultNamespace), true
	}
	return id.Namespace, id.Namespace != ""
}

// listed returns the scope in the lists of the clusters.
func (k Kinds) listed(gk schema.GroupKind) Scope {
	found := Unknown
	for _, c := range k.fleet {
		if c.APIs == nil {
			continue
		}
		clusterScoped, listed := c.APIs.ClusterScoped[gk]
		if !listed {
			continue
		}
		scope := Namespaced
		if clusterScoped {
			scope = Cluster
		}
		if found != Unknown && found != scope {
			return Unknown
		}
		found = scope
	}
	return found
}

func wellKnown(gk schema.GroupKind) Scope {
	switch {
	case slices.Contains(clusterScoped[gk.Group], gk.Kind):
		return Cluster
	case slices.Contains(namespaced[gk.Group], gk.Kind), builtIn(gk.Group), policy.Configures(gk.Group):
		return Namespaced
	}
	return Unknown
}

// builtIn reports whether every kind of a group that clusterScoped lacks has a namespace: the groups of Kubernetes.
func builtIn(group string) bool {
	if !strings.Contains(group, ".") {
		return true
	}
	_, listed := clusterScoped[group]
	switch group {
	case "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "metrics.k8s.io", "authentication.k8s.io", "authorization.k8s.io":
		return true
	case "gateway.networking.k8s.io", "policy.networking.k8s.io", "snapshot.storage.k8s.io", "templates.gatekeeper.sh":
		return false
	}
	return listed && strings.HasSuffix(group, ".k8s.io")
}

// clusterScoped are the kinds without a namespace: all of Kubernetes' and Karmada's, and some widely used ones.
var clusterScoped = map[string][]string{
	"":                             {"Namespace", "Node", "PersistentVolume", "ComponentStatus"},
	"admissionregistration.k8s.io": {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"},
	"apiextensions.k8s.io":         {"CustomResourceDefinition"},
	"apiregistration.k8s.io":       {"APIService"},
	"certificates.k8s.io":          {"CertificateSigningRequest", "ClusterTrustBundle"},
	"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
	"internal.apiserver.k8s.io":    {"StorageVersion"},
	"networking.k8s.io":            {"IngressClass", "IPAddress", "ServiceCIDR"},
	"node.k8s.io":                  {"RuntimeClass"},
	"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
	"resource.k8s.io":              {"DeviceClass", "DeviceTaintRule", "ResourceSlice"},
	"scheduling.k8s.io":            {"PriorityClass"},
	"storage.k8s.io":               {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
	"storagemigration.k8s.io":      {"StorageVersionMigration"},

	"config.karmada.io": {"ResourceInterpreterCustomization", "ResourceInterpreterWebhookConfiguration"},
	"remedy.karmada.io": {"Remedy"},
	"search.karmada.io": {"ResourceRegistry"},
	"work.karmada.io":   {"ClusterResourceBinding"},

	"apps.kruise.io":            {"SidecarSet"},
	"argoproj.io":               {"ClusterAnalysisTemplate", "ClusterWorkflowTemplate"},
	"cert-manager.io":           {"ClusterIssuer"},
	"cilium.io":                 {"CiliumClusterwideNetworkPolicy"},
	"external-secrets.io":       {"ClusterSecretStore", "ClusterExternalSecret"},
	"gateway.networking.k8s.io": {"GatewayClass"},
	"karpenter.sh":              {"NodePool", "NodeClaim"},
	"keda.sh":                   {"ClusterTriggerAuthentication"},
	"kyverno.io":                {"ClusterPolicy", "ClusterCleanupPolicy"},
	"policy.networking.k8s.io":  {"AdminNetworkPolicy", "BaselineAdminNetworkPolicy"},
	"snapshot.storage.k8s.io":   {"VolumeSnapshotClass", "VolumeSnapshotContent"},
	"templates.gatekeeper.sh":   {"ConstraintTemplate"},
}

// namespaced are widely used kinds with a namespace, outside of the groups of Kubernetes.
var namespaced = map[string][]string{
	"apps.kruise.io":                 {"CloneSet", "StatefulSet", "DaemonSet", "UnitedDeployment", "BroadcastJob", "AdvancedCronJob"},
	"argoproj.io":                    {"AnalysisTemplate", "AppProject", "Application", "ApplicationSet", "CronWorkflow", "Rollout", "Workflow", "WorkflowTemplate"},
	"autoscaling.k8s.io":             {"VerticalPodAutoscaler"},
	"batch.volcano.sh":               {"Job"},
	"bitnami.com":                    {"SealedSecret"},
	"cert-manager.io":                {"Certificate", "CertificateRequest", "Issuer"},
	"cilium.io":                      {"CiliumNetworkPolicy"},
	"external-secrets.io":            {"ExternalSecret", "SecretStore"},
	"flink.apache.org":               {"FlinkDeployment"},
	"gateway.networking.k8s.io":      {"GRPCRoute", "Gateway", "HTTPRoute", "ReferenceGrant", "TCPRoute", "TLSRoute", "UDPRoute"},
	"helm.toolkit.fluxcd.io":         {"HelmRelease"},
	"keda.sh":                        {"ScaledJob", "ScaledObject", "TriggerAuthentication"},
	"kubeflow.org":                   {"MPIJob", "Notebook", "PyTorchJob", "TFJob"},
	"kustomize.toolkit.fluxcd.io":    {"Kustomization"},
	"kyverno.io":                     {"CleanupPolicy", "Policy", "PolicyException"},
	"monitoring.coreos.com":          {"Alertmanager", "AlertmanagerConfig", "PodMonitor", "Probe", "Prometheus", "PrometheusRule", "ServiceMonitor"},
	"multicluster.x-k8s.io":          {"ServiceExport", "ServiceImport"},
	"networking.istio.io":            {"DestinationRule", "EnvoyFilter", "Gateway", "ServiceEntry", "Sidecar", "VirtualService"},
	"notification.toolkit.fluxcd.io": {"Alert", "Provider", "Receiver"},
	"ray.io":                         {"RayCluster", "RayJob", "RayService"},
	"security.istio.io":              {"AuthorizationPolicy", "PeerAuthentication", "RequestAuthentication"},
	"snapshot.storage.k8s.io":        {"VolumeSnapshot"},
	"source.toolkit.fluxcd.io":       {"Bucket", "GitRepository", "HelmChart", "HelmRepository", "OCIRepository"},
	"sparkoperator.k8s.io":           {"ScheduledSparkApplication", "SparkApplication"},
	"traefik.io":                     {"IngressRoute", "Middleware"},
}
