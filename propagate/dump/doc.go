// Package dump writes the input of a plan as one text file without secret values, and reads it back: a bug report, and
// the format of the planner's test cases.
package dump
