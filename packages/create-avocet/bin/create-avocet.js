#!/usr/bin/env node
// Starts `npm create avocet`; runs on Node 20, and says so on an older one before anything is imported.
if (Number(process.versions.node.split('.')[0]) >= 20) await start()
else {
  process.stderr.write(
    `create-avocet: expected Node.js 20 or newer, this is ${process.versions.node}; install one from https://nodejs.org\n`,
  )
  process.exitCode = 69
}

async function start() {
  const { createAvocet } = await import('../dist/index.js')
  const { stdout, stderr } = process
  process.exitCode = createAvocet(process.argv.slice(2), {
    stdout,
    stderr,
    folder: process.cwd(),
    nodeVersion: process.versions.node,
  })
}
