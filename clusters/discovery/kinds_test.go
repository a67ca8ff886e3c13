package discovery

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// apis is a discovery server that counts requests.
type apis struct {
	discovery.DiscoveryInterface
	kinds []string
	err   error
	asked int
}

func (d *apis) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	d.asked++
	if d.err != nil {
		return nil, nil, d.err
	}
	version := metav1.GroupVersionForDiscovery{GroupVersion: "a.io/v1", Version: "v1"}
	list := &metav1.APIResourceList{GroupVersion: "a.io/v1"}
	for _, kind := range d.kinds {
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: kind + "s", Kind: kind, Namespaced: true})
	}
	return []*metav1.APIGroup{{Name: "a.io", Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version}}, []*metav1.APIResourceList{list}, nil
}

func (d *apis) newKinds() *Kinds {
	asking := fetcher{d, new(Cache)}
	return newKinds(d, func(snapshot) (snapshot, error) { return asking.fetchEachGroup() })
}

func kindOf(name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "a.io", Version: "v1", Kind: name}
}

func TestKindsAreAskedForWhenNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &apis{kinds: []string{"Gadget"}}
		k := d.newKinds()
		require.Zero(t, d.asked, "not before somebody needs it")
		served := func(kind string, asked int) {
			t.Helper()
			_, err := k.Mapping(kindOf(kind))
			require.NoError(t, err)
			require.Equal(t, asked, d.asked)
		}
		missing := func(kind string, asked int) {
			t.Helper()
			_, err := k.Mapping(kindOf(kind))
			require.True(t, meta.IsNoMatchError(err), "%v", err)
			require.Equal(t, asked, d.asked)
		}
		served("Gadget", 1)
		served("Gadget", 1)
		missing("Widget", 1) // it was asked a moment ago
		time.Sleep(minAge)
		missing("Widget", 2)
		for range 100 {
			missing("Widget", 2)
		}

		d.kinds = append(d.kinds, "Widget")
		changed := k.Changed()
		time.Sleep(minAge)
		served("Widget", 3)
		<-changed

		time.Sleep(maxAge)
		served("Widget", 3)
		time.Sleep(time.Second)
		served("Widget", 4)
	})
}

// A cluster that does not answer is known as it was, as long as nothing is missed.
func TestKindsAreKeptWhileNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &apis{kinds: []string{"Gadget"}}
		k := d.newKinds()
		_, err := k.Mapping(kindOf("Gadget"))
		require.NoError(t, err)
		d.err = errors.New("no route to host")
		_, err = k.Discover()
		require.ErrorContains(t, err, "no route to host")
		_, err = k.Mapping(kindOf("Gadget"))
		require.NoError(t, err)
		time.Sleep(minAge)
		_, err = k.Mapping(kindOf("Widget"))
		require.ErrorContains(t, err, "no route to host", "not that it does not exist, which nobody knows")
	})
}
