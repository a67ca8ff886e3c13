// Package defaulting fills in the defaults of API servers: of Kubernetes' own kinds with the functions of Kubernetes itself, of others
// with the schema in their CustomResourceDefinition. It sends no request.
package defaulting

import (
	"errors"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	admissionregistration "k8s.io/kubernetes/pkg/apis/admissionregistration/v1"
	apps "k8s.io/kubernetes/pkg/apis/apps/v1"
	autoscaling "k8s.io/kubernetes/pkg/apis/autoscaling/v2"
	batch "k8s.io/kubernetes/pkg/apis/batch/v1"
	core "k8s.io/kubernetes/pkg/apis/core/v1"
	networking "k8s.io/kubernetes/pkg/apis/networking/v1"
	policy "k8s.io/kubernetes/pkg/apis/policy/v1"
	rbac "k8s.io/kubernetes/pkg/apis/rbac/v1"
	scheduling "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	storage "k8s.io/kubernetes/pkg/apis/storage/v1"
)

// Defaulter knows the defaults of one kind.
type Defaulter struct {
	// Names are the names of the fields that can have a default, at any depth: "name", or
	// "around/name" for a field of such a field, or "around/" for all of them.
	Names map[string]bool
	// Fill returns an object with the defaults. It does not change its argument.
	Fill func(object map[string]any) (map[string]any, error)
}

// Kinds has the Defaulters of the kinds of one cluster. Its methods may be called from any goroutine, but for Define.
type Kinds struct {
	scheme  *runtime.Scheme
	defined map[schema.GroupVersionKind]*Defaulter
}

// NewKinds returns the kinds of Kubernetes.
func NewKinds() (*Kinds, error) {
	s := runtime.NewScheme()
	var errs []error
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme,
		networkingv1.AddToScheme, policyv1.AddToScheme, rbacv1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme,
		apiextensionsv1.AddToScheme, apiextensionsv1.RegisterDefaults,
		admissionregistration.RegisterDefaults, apps.RegisterDefaults, autoscaling.RegisterDefaults, batch.RegisterDefaults, core.RegisterDefaults,
		networking.RegisterDefaults, policy.RegisterDefaults, rbac.RegisterDefaults, scheduling.RegisterDefaults, storage.RegisterDefaults,
	} {
		errs = append(errs, add(s))
	}
	return &Kinds{scheme: s, defined: map[schema.GroupVersionKind]*Defaulter{}}, errors.Join(errs...)
}

// Of returns the Defaulter of a kind; nil if the defaults of the kind are unknown, or if it has none.
func (k *Kinds) Of(gvk schema.GroupVersionKind) *Defaulter {
	if d, ok := k.defined[gvk]; ok {
		return d
	}
	if !k.scheme.Recognizes(gvk) {
		return nil
	}
	return &Defaulter{Names: builtinNames, Fill: func(object map[string]any) (map[string]any, error) {
		typed, err := k.scheme.New(gvk)
		if err != nil {
			return nil, err
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, typed); err != nil {
			return nil, fmt.Errorf("decoding a %s: %w", gvk.Kind, err)
		}
		k.scheme.Default(typed)
		return runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	}}
}

// builtinNames are the names of the fields that the functions of Kubernetes set. TestBuiltinNames finds missing ones.
var builtinNames = nameSet(
	// strategies of workloads
	"podManagementPolicy", "updateStrategy", "strategy", "type", "rollingUpdate", "maxUnavailable", "maxSurge", "partition", "replicas",
	"revisionHistoryLimit", "progressDeadlineSeconds", "persistentVolumeClaimRetentionPolicy", "whenDeleted", "whenScaled",
	// jobs
	"completions", "parallelism", "backoffLimit", "completionMode", "suspend", "podReplacementPolicy", "manualSelector", "concurrencyPolicy",
	"successfulJobsHistoryLimit", "failedJobsHistoryLimit", "onPodConditions/status",
	// pods
	"dnsPolicy", "restartPolicy", "schedulerName", "securityContext", "terminationGracePeriodSeconds", "enableServiceLinks",
	"imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy", "protocol", "hostPort", "fieldRef/apiVersion", "optional",
	"timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold", "httpGet/path", "scheme", "grpc/service", "requests/", "defaultRequest/", "default/",
	"resources", "procMount",
	// volumes
	"defaultMode", "volumeMode", "emptyDir", "rbd/pool", "rbd/user", "rbd/keyring", "fsType", "storageMode", "cachingMode", "readOnly", "azureDisk/kind",
	"iscsiInterface", "expirationSeconds", "pullPolicy", "persistentVolumeReclaimPolicy",
	// services, networks and ingresses
	"sessionAffinity", "sessionAffinityConfig", "clientIP", "internalTrafficPolicy", "externalTrafficPolicy", "allocateLoadBalancerNodePorts",
	"targetPort", "policyTypes", "service/port",
	// admission, autoscaling, RBAC, storage and the rest
	"failurePolicy", "matchPolicy", "sideEffects", "reinvocationPolicy", "namespaceSelector", "objectSelector", "scope", "matchConstraints",
	"parameterNotFoundAction", "minReplicas", "metrics", "behavior", "scaleUp", "scaleDown", "selectPolicy", "stabilizationWindowSeconds",
	"policies", "apiGroup", "preemptionPolicy", "reclaimPolicy", "volumeBindingMode", "attachRequired", "podInfoOnMount", "storageCapacity",
	"fsGroupPolicy", "requiresRepublish", "volumeLifecycleModes", "seLinuxMount", "serviceAccountTokenInSecrets", "phase",
	"conversion", "listKind", "singular", "nodeAllocatableUpdatePeriodSeconds",
)

func nameSet(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}
