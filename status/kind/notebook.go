package kind

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/pods"
)

// notebook is that of Kubeflow: one pod. Its status is in status/interpret/kinds.
var notebook = Kind{
	Replicas:     func(*unstructured.Unstructured) (int32, bool) { return 1, true },
	Requirements: pods.Requirements(pods.TemplateSpec),
	Mistakes:     pods.Unreadable(pods.InTemplate),
	Health:       genericHealth,
}
