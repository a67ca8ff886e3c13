package search

import (
	"mime"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// form is the form of an answer.
type form int

const (
	whole form = iota
	asTable
	onlyMetadata
)

// formOf returns the form that a client asks for. All are JSON.
func formOf(r *http.Request) (form, error) {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	if accept == "" {
		return whole, nil
	}
	for clause := range strings.SplitSeq(accept, ",") {
		media, params, err := mime.ParseMediaType(strings.TrimSpace(clause))
		if err != nil || media != "application/json" && media != "*/*" && media != "application/*" {
			continue
		}
		switch params["as"] {
		case "":
			return whole, nil
		case "Table":
			return asTable, nil
		case "PartialObjectMetadata", "PartialObjectMetadataList":
			return onlyMetadata, nil
		}
	}
	return whole, &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotAcceptable, Reason: metav1.StatusReasonNotAcceptable,
		Message: "objects of several clusters are answered as application/json only: accept it",
	}}
}
