#!/usr/bin/env node
// Starts `npm create avocet`; runs on Node 20.
await import("../dist/index.js")
