package specs

// ShortTree makes what is compiled.
var ShortTree = shortTree

var LoadText = load
