// Package data holds databases and tables, the imports into them, and the connections to other systems.
package data
