package local_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authnv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/clusters/local"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

// start starts a control plane on dir that is stopped at the end of the test at the latest.
func start(t *testing.T, o local.Options) *local.ControlPlane {
	t.Helper()
	c, err := local.Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Stop() })
	return c
}

func client(t *testing.T, c *rest.Config) *kubernetes.Clientset {
	t.Helper()
	k, err := kubernetes.NewForConfig(c)
	require.NoError(t, err)
	return k
}

func configMap(name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners}, Data: map[string]string{"key": name}}
}

// gone waits until get answers that there is no such object.
func gone(t *testing.T, what string, get func(context.Context) error) {
	t.Helper()
	require.Eventually(t, func() bool { return apierrors.IsNotFound(get(t.Context())) }, time.Minute, 50*time.Millisecond, "%s is still there", what)
}

func TestARestartedControlPlaneIsTheSame(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "hub") // absent: Start makes it
	first := start(t, local.Options{Dir: dir, Name: "hub"})
	requirePrivate(t, dir)
	_, err := client(t, first.Config()).CoreV1().ConfigMaps("default").Create(t.Context(), configMap("kept"), metav1.CreateOptions{})
	require.NoError(t, err)
	kubeconfig, err := os.ReadFile(first.Kubeconfig())
	require.NoError(t, err)

	watch, err := client(t, first.Config()).CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	defer watch.Stop()
	stopping := time.Now()
	require.NoError(t, first.Stop())
	require.Less(t, time.Since(stopping), 10*time.Second, "an open watch holds up Stop")
	require.NoError(t, first.Stop(), "a second Stop has nothing to do")
	<-first.Done()
	_, err = client(t, first.Config()).CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.Error(t, err, "a stopped control plane answers")

	second := start(t, local.Options{Dir: dir, Name: "hub"})
	require.Equal(t, first.Config(), second.Config())
	again, err := os.ReadFile(second.Kubeconfig())
	require.NoError(t, err)
	require.Equal(t, string(kubeconfig), string(again))
	fromFile, err := clientcmd.BuildConfigFromFlags("", second.Kubeconfig())
	require.NoError(t, err)
	kept, err := client(t, fromFile).CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"key": "kept"}, kept.Data)
}

// requirePrivate checks that nobody else on the machine can read the keys and the data.
func requirePrivate(t *testing.T, dir string) {
	t.Helper()
	for name, mode := range map[string]os.FileMode{".": 0o700, "pki": 0o700, "etcd": 0o700, "kubeconfig": 0o600, "pki/ca.key": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), name)
	}
}

func TestADirectoryHasOneControlPlane(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := start(t, local.Options{Dir: dir})
	require.False(t, utilfeature.DefaultFeatureGate.Enabled(features.ListFromCacheSnapshot), "snapshots of watch caches")

	_, err := local.Start(t.Context(), local.Options{Dir: dir})
	require.ErrorContains(t, err, "data directory "+dir+" is in use by another control plane")
	_, err = client(t, c.Config()).Discovery().ServerVersion()
	require.NoError(t, err, "the refused start hurt the running control plane")
}

func TestStartRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		options local.Options
		says    string
	}{
		"no directory":              {local.Options{}, "no data directory given"},
		"a name no DNS would carry": {local.Options{Dir: t.TempDir(), Name: "Hub_1"}, `name "Hub_1"`},
		"a directory below a file":  {local.Options{Dir: "/dev/null/hub"}, "making the data directory"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := local.Start(t.Context(), c.options)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestACancelledStartLeavesTheDirectoryFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := local.Start(ctx, local.Options{Dir: dir})
	require.ErrorIs(t, err, context.Canceled)
	start(t, local.Options{Dir: dir})
}

func TestALongDirectoryGetsItsSocketElsewhere(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	dir := filepath.Join(temp, strings.Repeat("very-", 30)+"long")
	c := start(t, local.Options{Dir: dir})
	inUse, err := filepath.Glob(filepath.Join(temp, "accord-*", "etcd.sock"))
	require.NoError(t, err)
	require.Len(t, inUse, 1)
	require.NoError(t, c.Stop())
	left, err := filepath.Glob(filepath.Join(temp, "accord-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestControlPlanesAreIndependentAndLeaveNothingRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	dirs := map[string]string{"eu": t.TempDir(), "us": t.TempDir()}
	planes := map[string]*local.ControlPlane{}
	var mu sync.Mutex
	var starting sync.WaitGroup
	for name, dir := range dirs {
		starting.Go(func() {
			c, err := local.Start(t.Context(), local.Options{Dir: dir, Name: name})
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			planes[name] = c
		})
	}
	starting.Wait()
	require.NotNil(t, planes["eu"])
	require.NotNil(t, planes["us"])

	eu, us := client(t, planes["eu"].Config()), client(t, planes["us"].Config())
	_, err := eu.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("mine"), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = us.CoreV1().ConfigMaps("default").Get(t.Context(), "mine", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "one sees what the other stores: %v", err)
	stranger := planes["eu"].Config()
	stranger.Host = planes["us"].Config().Host
	_, err = client(t, stranger).CoreV1().ConfigMaps("default").Get(t.Context(), "mine", metav1.GetOptions{})
	require.ErrorContains(t, err, "certificate signed by unknown authority")

	require.NoError(t, planes["eu"].Stop())
	_, err = us.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("still"), metav1.CreateOptions{})
	require.NoError(t, err, "stopping one hurt the other")
	require.NoError(t, planes["us"].Stop())

	// One control plane is more than 3,000 goroutines; a handful belongs to the clients above and to the libraries for good.
	require.Eventually(t, func() bool { return runtime.NumGoroutine() < before+20 }, time.Minute, 50*time.Millisecond, "goroutines are left over")
}

func TestAControlPlaneKeepsTheAPIsPromises(t *testing.T) {
	t.Parallel()
	c := localtest.Start(t, "hub")
	k := client(t, c.Config())

	t.Run("says which Kubernetes it is", func(t *testing.T) {
		v, err := k.Discovery().ServerVersion()
		require.NoError(t, err)
		require.Regexp(t, `^v1\.\d+\.\d+$`, v.GitVersion)
		mod, err := os.ReadFile("../../go.mod")
		require.NoError(t, err)
		require.Contains(t, string(mod), "k8s.io/kubernetes "+v.GitVersion+"\n")
	})
	t.Run("a deleted namespace goes with what is in it", func(t *testing.T) {
		_, err := k.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = k.CoreV1().ConfigMaps("shop").Create(t.Context(), configMap("web"), metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, k.CoreV1().Namespaces().Delete(t.Context(), "shop", metav1.DeleteOptions{}))
		gone(t, "the namespace", func(ctx context.Context) error {
			_, err := k.CoreV1().Namespaces().Get(ctx, "shop", metav1.GetOptions{})
			return err
		})
		left, err := k.CoreV1().ConfigMaps("shop").List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Empty(t, left.Items)
	})
	t.Run("dependents go with their owner", func(t *testing.T) {
		owner, err := k.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("owner"), metav1.CreateOptions{})
		require.NoError(t, err)
		_, err = k.CoreV1().ConfigMaps("default").Create(t.Context(), configMap("dependent", metav1.OwnerReference{
			APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}), metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, k.CoreV1().ConfigMaps("default").Delete(t.Context(), "owner", metav1.DeleteOptions{}))
		gone(t, "the dependent", func(ctx context.Context) error {
			_, err := k.CoreV1().ConfigMaps("default").Get(ctx, "dependent", metav1.GetOptions{})
			return err
		})
	})
	t.Run("the role view allows to look", func(t *testing.T) {
		require.Eventually(t, func() bool {
			view, err := k.RbacV1().ClusterRoles().Get(t.Context(), "view", metav1.GetOptions{})
			return err == nil && len(view.Rules) > 0
		}, time.Minute, 50*time.Millisecond)
	})
	t.Run("a service account's token is a login", func(t *testing.T) {
		_, err := k.CoreV1().ServiceAccounts("default").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		token, err := k.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "robot", &authnv1.TokenRequest{}, metav1.CreateOptions{})
		require.NoError(t, err)
		robot := rest.AnonymousClientConfig(c.Config())
		robot.BearerToken = token.Status.Token
		me, err := client(t, robot).AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authnv1.SelfSubjectReview{}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.Equal(t, "system:serviceaccount:default:robot", me.Status.UserInfo.Username)
		_, err = client(t, robot).CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
		require.True(t, apierrors.IsForbidden(err), "RBAC lets a robot without a role read secrets: %v", err)
	})
}
