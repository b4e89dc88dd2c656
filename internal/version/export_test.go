package version

// From calls from, for builds that a test makes up.
var From = from
