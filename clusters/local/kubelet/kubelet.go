// Package kubelet answers for fake nodes what an API server asks their kubelets: the logs of a container, and the commands in it. Nothing
// runs there, so that the logs say only this, and a command prints itself and its standard input. A command that ends with "exit 3" has this
// exit code.
package kubelet

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"github.com/accord-dev/accord/clusters/local/selfsigned"
)

// Server listens on loopback.
type Server struct {
	server *http.Server
	port   int32
}

// Start starts a server.
func Start() (*Server, error) {
	certificate, _, err := selfsigned.New("kubelet")
	if err != nil {
		return nil, fmt.Errorf("making the certificate of the kubelet: %w", err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		return nil, fmt.Errorf("starting the kubelet: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", logs)
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", execute)
	mux.HandleFunc("/attach/{namespace}/{pod}/{container}", attach)
	mux.HandleFunc("/portForward/{namespace}/{pod}", forward)
	s := &Server{server: &http.Server{Handler: mux}, port: int32(listener.Addr().(*net.TCPAddr).Port)}
	go func() { _ = s.server.Serve(listener) }() // ends with Stop
	return s, nil
}

// Stop ends the server and all answers.
func (s *Server) Stop() { _ = s.server.Close() }

// Address writes the address of the server into the status of a node.
func (s *Server) Address(status *corev1.NodeStatus) {
	status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
	status.DaemonEndpoints.KubeletEndpoint.Port = s.port
}

// Log returns the lines that a container has logged.
func Log(namespace, pod, container string) []string {
	return []string{
		fmt.Sprintf("container %s of pod %s/%s starts", container, namespace, pod),
		fmt.Sprintf("container %s runs on a fake node, where no program runs", container),
	}
}

// logs sends the log, and holds it open for those who follow it.
func logs(w http.ResponseWriter, r *http.Request) {
	lines := Log(r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container"))
	if tail, err := strconv.Atoi(r.URL.Query().Get("tailLines")); err == nil {
		lines = lines[max(0, len(lines)-tail):]
	}
	fmt.Fprintln(w, strings.Join(lines, "\n"))
	if r.URL.Query().Get("follow") == "true" {
		_ = http.NewResponseController(w).Flush() // the reader may be gone
		<-r.Context().Done()
	}
}

// open opens a SPDY session, and returns its streams as they arrive. The session is nil if the request is answered without one.
func open(w http.ResponseWriter, r *http.Request, protocol string) (session httpstream.Connection, arriving <-chan httpstream.Stream) {
	if _, err := httpstream.Handshake(r, w, []string{protocol}); err != nil {
		return nil, nil
	}
	streams := make(chan httpstream.Stream, 4)
	session = spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		streams <- s
		return nil
	})
	return session, streams
}

// execute runs a command, which prints itself and its standard input.
func execute(w http.ResponseWriter, r *http.Request) {
	answer(w, r, strings.Join(r.URL.Query()["command"], " "))
}

// status returns the end of a command.
func status(command []string) metav1.Status {
	if len(command) == 0 {
		return metav1.Status{Status: metav1.StatusSuccess}
	}
	text, exits := strings.CutPrefix(command[len(command)-1], "exit ")
	code, err := strconv.Atoi(text)
	if !exits || err != nil || code == 0 {
		return metav1.Status{Status: metav1.StatusSuccess}
	}
	return metav1.Status{
		Status: metav1.StatusFailure, Reason: remotecommand.NonZeroExitCodeReason, Message: fmt.Sprintf("command terminated with exit code %d", code),
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: remotecommand.ExitCodeCauseType, Message: strconv.Itoa(code)}}},
	}
}

// attach prints the log of a container, and the standard input.
func attach(w http.ResponseWriter, r *http.Request) {
	answer(w, r, strings.Join(Log(r.PathValue("namespace"), r.PathValue("pod"), r.PathValue("container")), "\n"))
}

// answer writes a text and the standard input to the output of one SPDY session.
func answer(w http.ResponseWriter, r *http.Request, text string) {
	session, arriving := open(w, r, "v4.channel.k8s.io")
	if session == nil {
		return
	}
	defer session.Close()
	query, streams := r.URL.Query(), map[string]httpstream.Stream{}
	expected := 1
	for _, part := range []string{"input", "output", "error"} {
		if query.Get(part) == "1" {
			expected++
		}
	}
	for len(streams) < expected {
		select {
		case s := <-arriving:
			streams[s.Headers().Get("streamType")] = s
		case <-session.CloseChan():
			return
		}
	}
	fmt.Fprintln(streams["stdout"], text)
	if in := streams["stdin"]; in != nil {
		_, _ = io.Copy(streams["stdout"], in) // an error ends the command
	}
	_ = json.NewEncoder(streams["error"]).Encode(status(query["command"])) // the caller may be gone
	for _, s := range streams {
		_ = s.Close()
	}
	<-session.CloseChan()
}

// Forwarded returns the line that a connection to a port of a pod begins with.
func Forwarded(namespace, pod, port string) string {
	return fmt.Sprintf("port %s of pod %s/%s", port, namespace, pod)
}

// forward answers connections to ports of a pod over one SPDY session: each gets a line, and then the bytes that it sends.
func forward(w http.ResponseWriter, r *http.Request) {
	session, arriving := open(w, r, "portforward.k8s.io")
	if session == nil {
		return
	}
	defer session.Close()
	failing := map[string]httpstream.Stream{} // the streams of errors, by connection
	for {
		select {
		case s := <-arriving:
			connection := s.Headers().Get("requestID")
			if s.Headers().Get("streamType") == "error" {
				failing[connection] = s
				continue
			}
			failed := failing[connection]
			go func() { // ends with the session
				fmt.Fprintln(s, Forwarded(r.PathValue("namespace"), r.PathValue("pod"), s.Headers().Get("port")))
				_, _ = io.Copy(s, s) // an error ends the connection
				_ = s.Close()
				_ = failed.Close()
			}()
		case <-session.CloseChan():
			return
		}
	}
}
