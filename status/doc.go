// Package status computes the statuses of accord from the reports of clusters: states, roll-ups and conditions.
// It is pure: reports in, status out. Everything is counted against the decided set.
//
// A roll-up takes the status before it and returns the whole status after it. Nothing in it ticks: if nothing changed
// the two are equal, and the caller has nothing to write.
//
// # Other tools
//
// kstatus (and flux) compare status.observedGeneration with metadata.generation and then read Reconciling, Stalled and
// Ready. "kubectl wait --for=condition=Ready" compares the observedGeneration of the condition itself. Both must
// agree with us, neither may be early, and neither may hang when it is done. So:
//
//   - every condition carries the generation that the status was written for;
//   - status.observedGeneration is that generation too, except on a FederatedObject, where it stays behind until every
//     decided cluster runs the decided version and its controller has observed it (rule 2 of the contract);
//   - Ready=True is written only with status.observedGeneration == metadata.generation;
//   - it is never 0, which JSON leaves out, and without it kstatus takes everything for done: it is -1 before the first.
//
// Which gives, for generation N:
//
//	state                         observedGeneration  Ready              with it              kstatus      kubectl wait
//	begun, on its way             N (object: < N)     Unknown            Reconciling          InProgress   waits
//	refused, unhealthy            N (object: <= N)    False              Reconciling (retry)  InProgress   waits
//	no retry can fix it           N (object: <= N)    False              Stalled              Failed (1)   waits
//	held, suspended               N (object: < N)     Unknown                                 InProgress   waits
//	done                          N                   True                                    Current      satisfied
//	done, later unhealthy         N                   False or Unknown   Reconciling          InProgress   waits
//	spec is N+1, status of N      N                   as it was                               InProgress   waits
//
// (1) On a FederatedObject that is behind, kstatus says InProgress before it looks at Stalled; the Release says Failed.
//
// docs/reference/truth.md, which a test makes, has every combination.
package status
