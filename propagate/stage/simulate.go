package stage

import "time"

// Simulate plays a rollout with made-up reports, from the state that in has, and returns what happens when. It is Decide,
// called as a controller would. Who is held or unreachable in the input stays so; what else clusters say they say until
// they are given something. It ends when nothing can happen any more, or with the scenario.
func Simulate(in Input, s Scenario) Timeline { return Play(in, s, func(Step) {}) }

// Step is one call of Decide in a simulation.
type Step struct {
	At      time.Duration
	Input   Input
	Outcome Outcome
}

// Play is Simulate, and shows each step.
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

// maxRounds is how often a decision can follow from the one before at the same time: one that gives, one that hears of
// it, one that obeys an order about it.
const maxRounds = 16
