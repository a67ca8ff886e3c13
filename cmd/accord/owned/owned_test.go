package owned_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/owned"
)

// TestFamily: an object has what its controllers created, with the reason of a pod that does not start, and without old ReplicaSets.
func TestFamily(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	answers := map[string]any{
		"/apis/apps/v1/namespaces/shop/replicasets": appsv1.ReplicaSetList{Items: []appsv1.ReplicaSet{
			{ObjectMeta: ownedBy("web-1", "apps/v1", "Deployment", "web"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(0))}},
			{ObjectMeta: ownedBy("web-2", "apps/v1", "Deployment", "web"), Status: appsv1.ReplicaSetStatus{Replicas: 2, ReadyReplicas: 1}},
		}},
		"/apis/batch/v1/namespaces/shop/jobs": batchv1.JobList{Items: []batchv1.Job{{
			ObjectMeta: ownedBy("backup-1", "batch/v1", "CronJob", "backup"),
			Status:     batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}},
		}}},
		"/api/v1/namespaces/shop/pods": corev1.PodList{Items: []corev1.Pod{
			{
				ObjectMeta: ownedBy("web-2-b", "apps/v1", "ReplicaSet", "web-2"),
				Status: corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{
					State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such tag"}},
				}}},
			},
			{
				ObjectMeta: ownedBy("web-2-a", "apps/v1", "ReplicaSet", "web-2"),
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web"}}},
				Status:     corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Ready: true}}},
			},
			{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "of-nobody"}},
		}},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)

	f, err := owned.Read(t.Context(), &rest.Config{Host: server.URL}, []string{"shop"})
	require.NoError(t, err)
	set := manifest.ID{Group: "apps", Kind: "ReplicaSet", Namespace: "shop", Name: "web-2"}
	require.Equal(t, []owned.Object{{ID: set, State: "1 of 2 ready"}}, f.Of(web))
	require.Equal(t, []owned.Object{
		{ID: manifest.ID{Kind: "Pod", Namespace: "shop", Name: "web-2-a"}, State: "Running, 1 of 1 ready"},
		{ID: manifest.ID{Kind: "Pod", Namespace: "shop", Name: "web-2-b"}, State: "ImagePullBackOff: no such tag"},
	}, f.Of(set))
	require.Equal(t, "Failed", f.Of(manifest.ID{Group: "batch", Kind: "CronJob", Namespace: "shop", Name: "backup"})[0].State)

	_, err = owned.Read(t.Context(), &rest.Config{Host: server.URL}, []string{"hidden"})
	require.Error(t, err)
}

func ownedBy(name, apiVersion, kind, owner string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "shop", Name: name, OwnerReferences: []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: owner, Controller: new(true)}}}
}
