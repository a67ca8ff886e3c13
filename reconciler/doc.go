// Package reconciler wires the loops: the only code that writes workloads to members and status to the hub.
//
// The journey of one push:
//
//	webhook.Handler or the interval requests the Federation        sync.Controller.Reconcile
//	fetch the sources, compare them with the last input            Controller.fetch, Controller.compare
//	compile and plan                                               Controller.plan, propagate.Plan.Next
//	wait for approval, try the plan on the clusters                Controller.approve, Controller.tryOut
//	activate the plan, then persist its records on the hub         state.Federation.Activate, report.Reporter.Persist
//	apply it, cluster by cluster                                   deliver.Worker.deliver, apply.Deliver
//	decide whose turn it is in staged rollouts                     rollout.Loop.decide, stage.Decide
//	observe the members, repair drift                              deliver's observer, state.Federation.Observe
//	compute and write status, emit events                          report.Reporter.write, package status
//	report the commit to its forge, and notify receivers           commitstatus.Reporter.Reconcile, notify.Notifier.Reconcile
//
// State that has to survive a restart is in Git, on the members, or in package store.
package reconciler
