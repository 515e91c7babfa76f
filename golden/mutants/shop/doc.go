// Package shop has what the right and the wrong handlers share: the input, the tables, and the statements on them.
package shop
