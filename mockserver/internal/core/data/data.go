// Package data holds databases and tables, what is imported into them, and the connections to other systems.
package data
