package hubobjects

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestPossibleEvictions(t *testing.T) {
	type tasks = map[manifest.ID][]v1alpha1.GracefulEvictionTask
	records := New()
	id := web
	write := func(all ...v1alpha1.GracefulEvictionTask) { records.Set(records.WithEvictions(id, all)) }
	possible := func(all ...tasks) {
		t.Helper()
		require.Equal(t, all, records.PossibleEvictions())
		require.Equal(t, all[0], records.AllEvictions())
	}
	require.Nil(t, records.WithEvictions(id, nil))
	records.Set(object(""))
	possible(tasks{})

	opened := v1alpha1.GracefulEvictionTask{FromCluster: "a", PurgeMode: v1alpha1.PurgeNever, SuppressDeletion: new(true)}
	write(opened)
	possible(tasks{id: {opened}}, tasks{})
	lifted := opened
	lifted.SuppressDeletion = new(false)
	write(lifted)
	possible(tasks{id: {lifted}}, tasks{})

	planned := func() { // the plan that follows is written
		o := records.Of(id).DeepCopy()
		SetPlanned(&o.Spec, records.Evictions(id))
		records.Set(o)
	}
	planned()
	possible(tasks{id: {lifted}})
	ended := lifted
	ended.CompletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	write(ended)
	write()
	possible(tasks{}, tasks{id: {lifted}})
	require.Nil(t, records.Evictions(id))
	write(lifted)
	possible(tasks{id: {lifted}})
	write()
	planned()
	possible(tasks{})
}
