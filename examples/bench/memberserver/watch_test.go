package memberserver

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func configMap(name, app, value string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, labels: {app: %q}}, data: {k: %q}}`, name, app, value)
}

func applyAll(t *testing.T, objects dynamic.ResourceInterface, texts ...string) {
	t.Helper()
	for _, text := range texts {
		_, err := apply(t, objects, text, "accord", true)
		require.NoError(t, err)
	}
}

// next event that is no bookmark, as "ADDED a".
func next(t *testing.T, w apiwatch.Interface) string {
	t.Helper()
	select {
	case e, ok := <-w.ResultChan():
		require.True(t, ok, "the watch ended")
		u, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			return fmt.Sprintf("%s %v", e.Type, apierrors.FromObject(e.Object))
		}
		value, _, _ := unstructured.NestedString(u.Object, "data", "k")
		return fmt.Sprintf("%s %s %s", e.Type, u.GetName(), value)
	case <-time.After(10 * time.Second):
		t.Fatal("nothing happens")
		return ""
	}
}

func aListHasPagesOfOneMoment(t *testing.T, c *rest.Config, space string) {
	objects := dynamicFor(t, c).Resource(configMaps).Namespace(space)
	applyAll(t, objects, configMap("a", "x", "1"), configMap("b", "x", "1"), configMap("c", "x", "1"), configMap("d", "y", "1"))
	first, err := objects.List(t.Context(), metav1.ListOptions{LabelSelector: "app=x", Limit: 2})
	require.NoError(t, err)
	require.Len(t, first.Items, 2)
	require.NoError(t, objects.Delete(t.Context(), "c", metav1.DeleteOptions{}))
	applyAll(t, objects, configMap("bb", "x", "1"))
	second, err := objects.List(t.Context(), metav1.ListOptions{LabelSelector: "app=x", Limit: 2, Continue: first.GetContinue()})
	require.NoError(t, err)
	require.Len(t, second.Items, 1)
	require.Equal(t, "c", second.Items[0].GetName(), "as it was when the first page was read")
	require.Equal(t, first.GetResourceVersion(), second.GetResourceVersion())
	require.Empty(t, second.GetContinue())

	one, err := objects.List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=d"})
	require.NoError(t, err)
	require.Len(t, one.Items, 1)
	_, err = objects.List(t.Context(), metav1.ListOptions{Limit: 1, Continue: "nonsense"})
	require.True(t, apierrors.IsBadRequest(err), "%v", err)
}

func aListFromMemoryHasNoPages(t *testing.T, c *rest.Config, space string) {
	objects := dynamicFor(t, c).Resource(configMaps).Namespace(space)
	applyAll(t, objects, configMap("a", "x", "1"), configMap("b", "x", "1"))
	require.Eventually(t, func() bool { // a real one may remember a moment late
		all, err := objects.List(t.Context(), metav1.ListOptions{LabelSelector: "app=x", Limit: 1, ResourceVersion: "0"})
		require.NoError(t, err)
		return len(all.Items) == 2
	}, 10*time.Second, 20*time.Millisecond)
}

func aWatchGoesOnFromAList(t *testing.T, c *rest.Config, space string) {
	objects := dynamicFor(t, c).Resource(configMaps).Namespace(space)
	applyAll(t, objects, configMap("a", "x", "1"))
	list, err := objects.List(t.Context(), metav1.ListOptions{LabelSelector: "app=x"})
	require.NoError(t, err)
	applyAll(t, objects, configMap("a", "x", "2"), configMap("other", "y", "1"))
	w, err := objects.Watch(t.Context(), metav1.ListOptions{LabelSelector: "app=x", ResourceVersion: list.GetResourceVersion(), AllowWatchBookmarks: true})
	require.NoError(t, err)
	defer w.Stop()
	require.Equal(t, "MODIFIED a 2", next(t, w))
	applyAll(t, objects, configMap("b", "x", "1"))
	require.Equal(t, "ADDED b 1", next(t, w))
	applyAll(t, objects, configMap("b", "y", "2"))
	require.Equal(t, "DELETED b 1", next(t, w), "it left the selection, and is shown as it was in it")
	applyAll(t, objects, configMap("b", "x", "3"))
	require.Equal(t, "ADDED b 3", next(t, w))
	require.NoError(t, objects.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	require.Equal(t, "DELETED a 2", next(t, w))
}

func aWatchFromNowhereBeginsWithWhatIsThere(t *testing.T, c *rest.Config, space string) {
	objects := dynamicFor(t, c).Resource(configMaps).Namespace(space)
	applyAll(t, objects, configMap("a", "x", "1"))
	yes, seconds := true, int64(1)
	w, err := objects.Watch(t.Context(), metav1.ListOptions{LabelSelector: "app=x"})
	require.NoError(t, err)
	defer w.Stop()
	require.Equal(t, "ADDED a 1", next(t, w))

	w, err = objects.Watch(t.Context(), metav1.ListOptions{
		LabelSelector: "app=x", SendInitialEvents: &yes, AllowWatchBookmarks: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, TimeoutSeconds: &seconds,
	})
	require.NoError(t, err)
	defer w.Stop()
	require.Equal(t, "ADDED a 1", next(t, w))
	mark := <-w.ResultChan()
	require.Equal(t, apiwatch.Bookmark, mark.Type)
	require.Equal(t, "true", mark.Object.(*unstructured.Unstructured).GetAnnotations()[metav1.InitialEventsAnnotationKey])
	for e := range w.ResultChan() { // until it ends by itself
		require.Equal(t, apiwatch.Bookmark, e.Type)
	}
	_, err = objects.Watch(t.Context(), metav1.ListOptions{SendInitialEvents: &yes})
	require.True(t, apierrors.IsInvalid(err), "%v", err)
}

func TestAWatchFromThePastIsExpired(t *testing.T) {
	c := startOne(t)
	objects := dynamicFor(t, c).Resource(configMaps).Namespace("default")
	applyAll(t, objects, configMap("a", "x", "0"))
	list, err := objects.List(t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(t, err)
	for i := range 2 * history {
		applyAll(t, objects, configMap("a", "x", strconv.Itoa(i+1)))
	}
	w, err := objects.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	require.NoError(t, err)
	defer w.Stop()
	e := <-w.ResultChan()
	require.Equal(t, apiwatch.Error, e.Type)
	require.True(t, apierrors.IsResourceExpired(apierrors.FromObject(e.Object)), "%v", e.Object)
}

// TestALongListGoesOn: while a client reads many objects page by page, others may change each of them once.
func TestALongListGoesOn(t *testing.T) {
	const many = 2 * history
	objects := dynamicFor(t, startOne(t)).Resource(configMaps).Namespace("default")
	name := func(i int) string { return fmt.Sprintf("a-%03d", i) }
	for i := range many {
		applyAll(t, objects, configMap(name(i), "x", "0"))
	}
	page, err := objects.List(t.Context(), metav1.ListOptions{Limit: 1})
	require.NoError(t, err)
	require.EqualValues(t, many-1, *page.GetRemainingItemCount())
	for i := range many - 1 {
		applyAll(t, objects, configMap(name(i), "x", "1"))
	}
	_, err = objects.List(t.Context(), metav1.ListOptions{Limit: 1}) // of somebody else, from the version of now
	require.NoError(t, err)
	var names []string
	for page.GetContinue() != "" {
		page, err = objects.List(t.Context(), metav1.ListOptions{Limit: 100, Continue: page.GetContinue()})
		require.NoError(t, err)
		for _, u := range page.Items {
			require.Equal(t, map[string]any{"k": "0"}, u.Object["data"])
			names = append(names, u.GetName())
		}
	}
	require.Len(t, names, many-1)
	require.True(t, slices.IsSorted(names))
}

// informer lists or asks for initial events, whatever client-go does by default, and goes on watching.
func informer(t *testing.T, c *rest.Config, space string) {
	d := dynamicFor(t, c)
	objects := d.Resource(configMaps).Namespace(space)
	applyAll(t, objects, configMap("a", "x", "1"))
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(d, 0, space, nil)
	informer := factory.ForResource(configMaps).Informer()
	seen := make(chan string, 100)
	tell := func(what string) func(any) {
		return func(object any) { seen <- what + " " + object.(*unstructured.Unstructured).GetName() }
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: tell("add"), UpdateFunc: func(_, now any) { tell("update")(now) }, DeleteFunc: tell("delete"),
	})
	require.NoError(t, err)
	factory.Start(t.Context().Done())
	require.True(t, cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced))
	wait := func(what string) {
		t.Helper()
		require.Eventually(t, func() bool {
			select {
			case got := <-seen:
				return got == what
			default:
				return false
			}
		}, 10*time.Second, time.Millisecond, what)
	}
	wait("add a")
	applyAll(t, objects, configMap("a", "x", "2"))
	wait("update a")
	applyAll(t, objects, configMap("b", "x", "1"))
	wait("add b")
	require.NoError(t, objects.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	wait("delete a")
}
