package stage

import "time"

// Simulate runs a rollout with simulated reports, from the state of in, and returns its timeline. It calls Decide as a
// controller does. Clusters that are held or unreachable in the input stay so. The other clusters keep their report until
// they are updated. The simulation ends when nothing can change any more, or with the scenario.
func Simulate(in Input, s Scenario) Timeline { return Play(in, s, func(Step) {}) }

// Step is one call of Decide in a simulation.
type Step struct {
	At      time.Duration
	Input   Input
	Outcome Outcome
}

// Play is Simulate, and calls see with each step.
func Play(in Input, s Scenario, see func(Step)) Timeline {
	w := newWorld(in, s)
	var line Timeline
	for at := time.Duration(0); ; {
		for range maxRounds {
			step := w.step(at)
			see(step)
			line.add(step)
			if !w.deliver(step) {
				break
			}
		}
		next, more := w.next(at)
		if !more {
			line.Lasted = at
			return line
		}
		at = next
	}
}

// maxRounds limits the decisions at the same time, each of which follows from the previous one: an update, its report, a
// command about it.
const maxRounds = 16
