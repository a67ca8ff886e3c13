// Package memberserver has API servers that are small enough to run a thousand of in one process: members for a benchmark,
// each with a listener, a certificate, a token and objects of its own.
//
// The servers follow the protocol, so that a client cannot distinguish them from real ones. They serve discovery with the answers
// of a real API server of the same version; server-side apply by the library that API servers use, typed, with managed fields
// and conflicts; create, get, and delete with preconditions and finalizers; consistent lists with selectors and pages; watches
// that continue from a version, with bookmarks and initial events; metadata only; errors as Status. The tests send the same
// requests to a real API server.
//
// Limits: the servers read and write JSON and YAML only, not protobuf. They keep all objects in memory of one process. They default
// and validate nothing but names and namespaces. PUT, other patches, subresources, definitions of new kinds and admission do
// not exist, and answer 404, 405 or 415. No controller runs; instead, a Deployment has the status of a completed rollout as
// soon as it was written.
package memberserver
