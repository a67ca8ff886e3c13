// Package mirror publishes the templates of federations on a dedicated hub as the objects they are, with the status of all
// clusters added up, so that tools that know a Deployment can be asked about all of its clusters at once: "kubectl rollout
// status deployment/web" on the hub answers for the federation. Nothing runs on the hub, so nothing acts on what is
// published there, and nothing reads it back: a template comes from Git, never from its mirror.
//
// Two things are promised of every object whose kind has status.observedGeneration. Its generation moves when anything moves
// that the decided clusters have to do, before any of them is changed. And status.observedGeneration equals it only while every
// decided cluster is known to run just that: with a cluster that is held, older, failed or not heard from it is less.
package mirror
