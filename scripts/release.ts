// Publishes all packages, in the order of their dependencies: `npm run release -- --repository https://github.com/OWNER/NAME`.
//
// Each package is packed, unpacked into a temporary folder, bundled (published.ts), told where its source is (npm's provenance compares that with where it was
// built), and published from there, so nothing in the working tree changes. What the registry has in this version already is left out: a release that broke off is continued by the same
// command. `--provenance` needs a build service that npm trusts (.github/workflows/release.yml). `--dry-run` asks the registry, and publishes nothing.
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { toldOptions } from '../bench/told-options.ts'
import { bundle } from './published.ts'

/** `npm run` starts it there. */
const ROOT = process.cwd()
/** Of one call of npm. */
const MAX_MS = 120_000

interface Package {
  readonly name: string
  readonly version: string
  /** From the root of the repository. */
  readonly folder: string
  /** Names of other packages of this repository. */
  readonly needs: readonly string[]
}

const { values } = toldOptions('release', {
  options: {
    repository: { type: 'string' },
    registry: { type: 'string', default: 'https://registry.npmjs.org/' },
    provenance: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
  },
})
const place = mkdtempSync(join(tmpdir(), 'avocet-release-'))
try {
  await release(repositoryOf(values.repository))
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  rmSync(place, { recursive: true, force: true })
}

async function release(repository: string): Promise<void> {
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' })
  if (changes !== '' && !values['dry-run'])
    throw new Error(`expected a clean working tree, got changes; commit them first\n${changes}`)
  for (const one of inOrder(packagesIn())) {
    const known = isPublished(one)
    console.log(`${known ? 'is there ' : values['dry-run'] ? 'would go ' : 'publish  '} ${one.name}@${one.version}`)
    if (!known && !values['dry-run']) await publish(one, repository)
  }
}

/** An address that people can open. */
function repositoryOf(address: string | undefined): string {
  if (address !== undefined && /^https:\/\/[^\s/]+\/\S+$/.test(address)) return address.replace(/(?:\.git)?\/?$/, '')
  throw new Error(`expected --repository with the https address of the source, got ${address ?? 'nothing'}`)
}

function packagesIn(): readonly Package[] {
  const all = globSync('packages/*/package.json', { cwd: ROOT }).sort()
  const read = all.map((path) => ({
    path,
    json: JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Readonly<Record<string, unknown>>,
  }))
  const names = new Set(read.map(({ json }) => String(json['name'])))
  return read.map(({ path, json }) => ({
    name: String(json['name']),
    version: String(json['version']),
    folder: relative(ROOT, dirname(join(ROOT, path))),
    needs: Object.keys(json['dependencies'] ?? {}).filter((name) => names.has(name)),
  }))
}

/** Whoever installs a package finds what it needs: that goes first. */
function inOrder(packages: readonly Package[]): readonly Package[] {
  const ordered: Package[] = []
  let left = packages
  while (left.length > 0) {
    const ready = left.filter(({ needs }) => needs.every((name) => ordered.some((one) => one.name === name)))
    if (ready.length === 0)
      throw new Error(`expected no circle of dependencies, got one in ${left.map(({ name }) => name).join(', ')}`)
    ordered.push(...ready)
    left = left.filter((one) => !ready.includes(one))
  }
  return ordered
}

/** Only the registry's word that it does not have it counts as such. */
function isPublished({ name, version }: Package): boolean {
  const { status, stdout, stderr } = npm(['view', `${name}@${version}`, 'version', '--json'], place)
  if (status === 0) return stdout.trim() !== ''
  if (/E404/.test(stdout + stderr)) return false
  throw new Error(`expected the registry to say whether it has ${name}@${version}, got:\n${stderr}`)
}

async function publish({ name, folder }: Package, repository: string): Promise<void> {
  const to = mkdtempSync(join(place, 'package-'))
  const [archive = ''] = checked(npm(['pack', '--silent', '--pack-destination', to], join(ROOT, folder)), `npm pack ${name}`)
    .trim()
    .split('\n')
  execFileSync('tar', ['-xzf', archive, '--strip-components=1'], { cwd: to })
  rmSync(join(to, archive))
  await bundle(to)
  const path = join(to, 'package.json')
  const json = JSON.parse(readFileSync(path, 'utf8')) as object
  const source = {
    homepage: `${repository}#readme`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
  }
  writeFileSync(path, `${JSON.stringify({ ...json, ...source }, undefined, 2)}\n`)
  const flags = ['--access', 'public', ...(values.provenance ? ['--provenance'] : [])]
  checked(npm(['publish', ...flags], to), `npm publish ${name}`)
}

function npm(words: readonly string[], folder: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('npm', [...words, '--registry', values.registry, '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: MAX_MS,
  })
}

function checked({ status, stdout, stderr }: ReturnType<typeof npm>, what: string): string {
  if (status === 0) return stdout
  throw new Error(`${what}: expected exit code 0, got ${String(status)}\n${stderr}`)
}
