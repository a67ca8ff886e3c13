package controllers

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/cronjob"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/endpoint"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

const (
	workers              = 5   // per controller, as kube-controller-manager has
	maxEndpointsPerSlice = 100 // the same
)

// A loop is a controller that has been made and runs until its context ends.
type loop func(ctx context.Context)

// startManager runs the controllers of kube-controller-manager, each as one of running.
func startManager(ctx, life context.Context, cfg *rest.Config, running *sync.WaitGroup) error {
	client, err := clientFor(cfg, "kube-controller-manager")
	if err != nil {
		return err
	}
	caches := informers.NewSharedInformerFactory(client, 0)
	loops, err := makeLoops(life, client, caches)
	if err != nil {
		return err
	}
	running.Go(func() { <-life.Done(); caches.Shutdown() })
	if err := readAll(ctx, life, caches); err != nil {
		return err
	}
	for _, run := range loops {
		running.Go(func() { run(life) })
	}
	return nil
}

// makeLoops is the list of controllers.
func makeLoops(ctx context.Context, c kubernetes.Interface, f informers.SharedInformerFactory) ([]loop, error) {
	building.Lock()
	defer building.Unlock()
	pods, nodes, services := f.Core().V1().Pods(), f.Core().V1().Nodes(), f.Core().V1().Services()
	sets, revisions, jobs := f.Apps().V1().ReplicaSets(), f.Apps().V1().ControllerRevisions(), f.Batch().V1().Jobs()

	deployments, err := deployment.NewDeploymentController(ctx, f.Apps().V1().Deployments(), sets, pods, c)
	if err != nil {
		return nil, err
	}
	daemons, err := daemon.NewDaemonSetsController(ctx, f.Apps().V1().DaemonSets(), revisions, pods, nodes, c,
		flowcontrol.NewBackOff(time.Second, 15*time.Minute))
	if err != nil {
		return nil, err
	}
	batch, err := job.NewController(ctx, c, pods, jobs, nil, nil) // the last two belong to a feature that is off
	if err != nil {
		return nil, err
	}
	cron, err := cronjob.NewControllerV2(ctx, jobs, f.Batch().V1().CronJobs(), c)
	if err != nil {
		return nil, err
	}
	accounts, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), f.Core().V1().ServiceAccounts(), f.Core().V1().Namespaces(), c,
		serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return nil, err
	}
	withWorkers := func(run func(context.Context, int)) loop { return func(ctx context.Context) { run(ctx, workers) } }
	return []loop{
		withWorkers(deployments.Run),
		withWorkers(replicaset.NewReplicaSetController(ctx, sets, pods, c, replicaset.BurstReplicas).Run),
		withWorkers(statefulset.NewStatefulSetController(ctx, pods, f.Apps().V1().StatefulSets(), f.Core().V1().PersistentVolumeClaims(), revisions, c).Run),
		withWorkers(daemons.Run),
		withWorkers(batch.Run),
		withWorkers(cron.Run),
		withWorkers(endpoint.NewEndpointController(ctx, pods, services, f.Core().V1().Endpoints(), c, 0).Run),
		withWorkers(endpointslice.NewController(ctx, pods, services, nodes, f.Discovery().V1().EndpointSlices(), maxEndpointsPerSlice, c, 0).Run),
		withWorkers(accounts.Run),
	}, nil
}
