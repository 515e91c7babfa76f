// Package wrong has handlers with one mistake each. Package right has their corrected twins, in files of the same names:
// compare the folders to see the mistakes.
package wrong
