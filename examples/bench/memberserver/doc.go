// Package memberserver has API servers that are small enough to run a thousand of in one process: members for a benchmark,
// each with a listener, a certificate, a token and objects of its own.
//
// What they say is true to the protocol, because it is shared with a client that does not know the difference: discovery
// as a real API server of the same version answers it, server-side apply by the library that API servers use, typed, with
// managed fields and conflicts; create, get, delete with preconditions and finalizers; lists with selectors and pages that are
// consistent; watches that go on from a version, with bookmarks and initial events; metadata on its own; errors as Status.
// The tests send the same requests to a real one.
//
// What they do not do: they read and write JSON and YAML only, not protobuf; they keep everything in memory and nothing else, so there is no other replica to disagree; they
// default and validate nothing but names and namespaces; PUT, other patches, subresources, definitions of new kinds and
// admission do not exist, and answer 404, 405 or 415; no controller runs. In place of one, a Deployment has the
// status of a rollout that ended well as soon as it was written.
package memberserver
