// Fails unless each package could be published as it is: what is in it, that publint has nothing to say, and that nobody needs its sources.
//
// `node scripts/check-packages.ts`, after a build. A line a package; `npm pack --dry-run` says which files npm would take.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

const ROOT = join(import.meta.dirname, '..')

interface Packed {
  readonly name: string
  readonly version: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

interface PackageJson {
  readonly version: string
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly bin?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** What a package must say of itself, beside what publint asks for. */
const FIELDS = ['name', 'version', 'description', 'license', 'type', 'engines', 'files', 'exports']

/** Everything that is wrong with a packed package. */
async function faultsOf(folder: string, packed: Packed): Promise<string[]> {
  const json = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson
  const paths = packed.files.map(({ path }) => path)
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: 'npm' })
  return [
    ...FIELDS.filter((field) => json[field] === undefined).map((field) => `package.json has no ${field}`),
    ...(paths.includes('README.md') ? [] : ['there is no README.md in it']),
    ...paths.filter((path) => /^(?:src|test)\/|\.map$|tsbuildinfo$/.test(path)).map((path) => `${path} is in it`),
    ...targetsOf(json)
      .filter((path) => !paths.includes(path))
      .map((path) => `${path} is promised, and is not in it`),
    ...messages.flatMap((message) => formatMessage(message, json) ?? []),
  ]
}

/** Files that whoever installs it is led to. The condition `@avocet/source` is for this workspace alone: no Node asks for it by itself. */
function targetsOf({ exports, bin = {} }: PackageJson): string[] {
  const targets = Object.values(exports).flatMap((conditions) =>
    Object.entries(conditions).flatMap(([condition, path]) => (condition === '@avocet/source' ? [] : [path])),
  )
  return [...targets, ...Object.values(bin)].map((path) => path.replace(/^\.\//, ''))
}

const folders = globSync('packages/*/package.json', { cwd: ROOT })
  .map((path) => dirname(join(ROOT, path)))
  .sort()
if (folders.some((folder) => !existsSync(join(folder, 'dist'))))
  throw new Error('expected a build, found none; run npm run build')
const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel=error', ...folders], { cwd: ROOT, encoding: 'utf8' })
const all = Object.values(JSON.parse(out) as Readonly<Record<string, Packed>>)
let faulty = 0
for (const folder of folders) {
  const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly name: string }
  const packed = all.find((one) => one.name === name)
  const faults = packed === undefined ? ['npm pack does not know it'] : await faultsOf(folder, packed)
  const size = packed === undefined ? '' : `${String(packed.files.length)} files, ${String(Math.ceil(packed.size / 1024))} KiB`
  console.log(`${faults.length === 0 ? 'ok    ' : 'FAULTY'} ${name.padEnd(32)} ${packed?.version ?? ''}  ${size}`)
  for (const fault of faults) console.log(`       - ${fault}`)
  faulty += faults.length
}
if (faulty > 0) process.exitCode = 1
