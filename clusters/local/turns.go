package local

import (
	"net/http"
	"runtime"
	"strings"

	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

const (
	// agentPrefix is delivery.AgentUserPrefix, which begins the user names of the agents of clusters in pull mode. This package imports
	// nothing of accord; TestAgentsWriteInTurn compares both.
	agentPrefix = "system:accord:agent:"
	// turnsPerCore is the number of writes of agents that are in progress at once, for each core.
	turnsPerCore = 4
	// maxWaiting is the number of writes that may wait: those of a few thousand agents.
	maxWaiting = 4000
)

// turns bounds the writes of agents that are in progress at once. A thousand agents report at the same time. The others wait for their turn,
// because an API server that is busy with all of them does not answer its store in time, and an agent that is refused tries again every
// second, which costs more than it waits for.
type turns chan struct{}

func newTurns() turns { return make(turns, turnsPerCore*runtime.GOMAXPROCS(0)) }

// inTurn has the writes of agents wait for their turn behind the filters of a server.
func (t turns) inTurn(filters func(http.Handler, *genericapiserver.Config) http.Handler) func(http.Handler, *genericapiserver.Config) http.Handler {
	return func(next http.Handler, c *genericapiserver.Config) http.Handler { return filters(t.wait(next), c) }
}

// wait has the writes of agents wait for their turn until their time is over. The filter that ends them answers then.
func (t turns) wait(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !writesAsAgent(r) {
			next.ServeHTTP(w, r)
			return
		}
		select {
		case t <- struct{}{}:
			defer func() { <-t }()
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// writesAsAgent reports whether an agent sends a request that changes something on the hub.
func writesAsAgent(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		user, known := request.UserFrom(r.Context())
		return known && strings.HasPrefix(user.GetName(), agentPrefix)
	}
	return false
}
