package localtest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/clusters/local/localtest"
)

func TestMembersAreSeparateClusters(t *testing.T) {
	members := localtest.Members(t, "eu", "us")
	require.Len(t, members, 2)

	eu, err := kubernetes.NewForConfig(members["eu"].Config())
	require.NoError(t, err)
	us, err := kubernetes.NewForConfig(members["us"].Config())
	require.NoError(t, err)

	_, err = eu.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = us.CoreV1().Namespaces().Get(t.Context(), "shop", metav1.GetOptions{})
	require.Error(t, err)
	_, err = eu.CoreV1().Namespaces().Get(t.Context(), "shop", metav1.GetOptions{})
	require.NoError(t, err)
}
