package main

// Main is main, for tests that run it as a process of its own.
func Main() { main() }
