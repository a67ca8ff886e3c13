package stage

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Live is a live object as reported by a cluster.
type Live struct {
	ID manifest.ID
	// Version of the API, "v1".
	Version string
	// Status has the reported fields of .status; nil when there are none.
	Status map[string]any
}

// Answers returns the answers to all Questions of a gate, from the objects of the rollout on a cluster. expression is the
// compiled expression of the gate; nil when the gate has none or it cannot be compiled, and then the answer is "not yet".
func Answers(g policy.RolloutGate, expression *Expression, objects []Live) map[Question]Answer {
	questions := Questions(g)
	if len(questions) == 0 {
		return nil
	}
	answers := make(map[Question]Answer, len(questions))
	for _, q := range questions {
		name, subject, _ := strings.Cut(string(q), " ")
		switch {
		case name == "condition":
			answers[q] = condition(subject, objects)
		case name == "job":
			answers[q] = job(*g.Job, objects)
		case expression != nil:
			answers[q] = expression.Answer(objects)
		default:
			answers[q] = Answer{State: Progressing, Message: "the expression cannot be compiled"}
		}
	}
	return answers
}

// condition returns yes when the condition is True on every object that has it, and on at least one.
func condition(name string, objects []Live) Answer {
	found := false
	for _, o := range objects {
		status, message, there := o.condition(name)
		if there && status != "True" {
			return Answer{State: Progressing, Message: withMessage(fmt.Sprintf("the condition is %s on %s", status, o.ID), message)}
		}
		found = found || there
	}
	if !found {
		return Answer{State: Progressing, Message: "no object has the condition"}
	}
	return Answer{State: Healthy}
}

// job returns yes when the Job is complete, and never when it failed.
func job(want policy.RolloutJob, objects []Live) Answer {
	for _, o := range objects {
		if o.ID.Group != "batch" || o.ID.Kind != "Job" || o.ID.Namespace != want.Namespace || o.ID.Name != want.Name {
			continue
		}
		if status, _, _ := o.condition("Complete"); status == "True" {
			return Answer{State: Healthy}
		}
		if status, message, _ := o.condition("Failed"); status == "True" {
			return Answer{State: Stalled, Message: withMessage("the Job failed", message)}
		}
		return Answer{State: Progressing, Message: "the Job is not complete"}
	}
	return Answer{State: Progressing, Message: "the Job does not exist"}
}

// condition returns one of status.conditions.
func (o Live) condition(name string) (status, message string, there bool) {
	conditions, _ := o.Status["conditions"].([]any)
	for _, entry := range conditions {
		if c, ok := entry.(map[string]any); ok && c["type"] == name {
			status, _ = c["status"].(string)
			message, _ = c["message"].(string)
			return status, message, true
		}
	}
	return "", "", false
}

// document returns the object in the form that expressions use.
func (o Live) document() map[string]any {
	apiVersion := o.Version
	if o.ID.Group != "" {
		apiVersion = o.ID.Group + "/" + o.Version
	}
	status := o.Status
	if status == nil {
		status = map[string]any{}
	}
	return map[string]any{
		"apiVersion": apiVersion, "kind": o.ID.Kind, "status": status,
		"metadata": map[string]any{"namespace": o.ID.Namespace, "name": o.ID.Name},
	}
}
