// Command accord-apiserver is the hub of "accord up": a Kubernetes API server with its store. "accord up" runs it, sends it the settings,
// and ends it. It is a program of its own, so that accord links neither an API server nor etcd.
package main

import "github.com/accord-dev/accord/clusters/local/subprocess/child"

func main() { child.Main() }
