package controllers

import (
	"context"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// startScheduler runs a kube-scheduler with its default profile. It has caches of its own, in which pods that
// are done do not take up room.
func startScheduler(ctx, life context.Context, cfg *rest.Config, running *sync.WaitGroup) error {
	client, err := clientFor(cfg, "kube-scheduler")
	if err != nil {
		return err
	}
	caches := scheduler.NewInformerFactory(client, 0)
	broadcaster := events.NewEventBroadcasterAdapterWithContext(life, client)
	s, err := makeScheduler(life, client, caches, broadcaster)
	if err != nil {
		return err
	}
	running.Go(func() { <-life.Done(); caches.Shutdown(); broadcaster.Shutdown() })
	broadcaster.StartRecordingToSink(life.Done())
	if err := readAll(ctx, life, caches); err != nil {
		return err
	}
	if err := s.WaitForHandlersSync(ctx); err != nil {
		return err
	}
	running.Go(func() { s.Run(life) })
	return nil
}

func makeScheduler(ctx context.Context, c kubernetes.Interface, caches informers.SharedInformerFactory, b events.EventBroadcasterAdapter) (*scheduler.Scheduler, error) {
	building.Lock()
	defer building.Unlock()
	return scheduler.New(ctx, c, caches, nil, profile.RecorderFactory(func(name string) events.EventRecorderLogger { return b.NewRecorder(name) }))
}
