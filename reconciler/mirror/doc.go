// Package mirror publishes the templates of Federations on a dedicated hub as the objects that they are, with the status of all
// clusters added up. "kubectl rollout status deployment/web" on the hub then answers for all clusters. No controller runs on the
// hub, so nothing acts on a mirrored object, and accord never reads one back: a template comes from Git, never from its mirror.
//
// The package makes two promises about every object whose kind has status.observedGeneration:
//
//   - Its generation moves when the decision for any cluster changes, before that cluster is changed.
//   - Its status.observedGeneration equals the generation only while every decided cluster is known to run that decision. A cluster
//     that is held, failed or unreachable, or that runs an older version, keeps it below.
package mirror
