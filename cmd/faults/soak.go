package main

const soakName = "soak"
