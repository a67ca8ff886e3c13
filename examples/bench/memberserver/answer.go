package memberserver

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// accepted finds the first form that a client accepts and that exists here: JSON of whole objects, or of their metadata.
func accepted(r *http.Request) (partial bool, err error) {
	accept := r.Header.Get("Accept")
	if accept == "" {
		return false, nil
	}
	for clause := range strings.SplitSeq(accept, ",") {
		kind, parameters, err := mime.ParseMediaType(clause)
		if err != nil || kind != "application/json" && kind != "application/*" && kind != "*/*" {
			continue
		}
		switch parameters["as"] {
		case "":
			return false, nil
		case "PartialObjectMetadata", "PartialObjectMetadataList":
			return true, nil
		}
	}
	return false, status(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: application/json")
}

// unsupported is for bodies in a form that is not read here.
func unsupported(contentType string, forms ...string) error {
	return status(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		"the body of the request was in an unknown format ("+contentType+") - accepted media types include: "+strings.Join(forms, ", "))
}

func status(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
}

// send answers with JSON.
func send(w http.ResponseWriter, code int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(text) // an error means that the client is gone
}

// refuse answers with a Status.
func refuse(w http.ResponseWriter, err error) {
	s := statusOf(err)
	text, err := json.Marshal(s)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, int(s.Code), text)
}

// statusOf returns the Status of an error; for an error without a Status, a failure without a reason.
func statusOf(err error) metav1.Status {
	s := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	var is apierrors.APIStatus
	if errors.As(err, &is) {
		s = is.Status()
	}
	s.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return s
}
