// Does what a stranger does: packs all packages, then in an empty folder elsewhere npm create avocet, npm install, npm test, npm run crawl.
//
// `node scripts/try-scaffold.ts [--template basic,plugin] [--node system,22.19.0,24.21.0] [--keep]`, after a build. `system` is the machine's
// own Node, however old. Nothing comes from this folder but the packed files; what they depend on comes from npm. Prints each command with
// its seconds; ends with 1 when one fails, or when items are not on disk.
import { chmodSync, chownSync, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { toldOptions } from '../bench/told-options.ts'
import { machineWith, run, secondsSince, versionOf, type Machine, type StrangersPlace } from './as-a-stranger.ts'
import { packAll } from './pack.ts'

/** What the first crawl finds. */
const ITEMS: Readonly<Record<string, number>> = { basic: 5, plugin: 5, api: 3, 'price-watch': 4 }

/** A user without any rights, `nobody`. */
const NOBODY = 65_534

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
  await packAll(packed)
  const [create] = globSync('create-avocet-*.tgz', { cwd: packed })
  if (create === undefined) throw new Error('expected create-avocet among the packed packages, found none')
  for (const version of values.node.split(',')) {
    const machine = machineWith(version, place)
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
  run(`npm create avocet ${template}`, [...exec, template, '--template', template, '--from', packed], at)
  const project = { folder: join(empty, template), path: machine.path }
  run('npm install', ['npm', 'install'], project)
  // A watch goes on until it is stopped: code 5, for a limit has ended it.
  if (template === 'price-watch')
    run('avocet crawl --max-time 20s', ['sh', '-c', 'npx avocet crawl -O items.jsonl --max-time 20s; test $? = 5'], project)
  else run('npm run crawl', ['npm', 'run', 'crawl'], project)
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
  if (template === 'basic' && process.getuid?.() === 0) tryAsContainer(project)
  const [sources] = globSync('node_modules/@avocet/*/src', { cwd: project.folder })
  if (sources !== undefined) throw new Error(`expected packages without their sources, found ${sources}`)
}

/** Does what the project's Dockerfile says, without an engine that builds it: files belong to root, and a user without rights writes only to `.avocet`. */
function tryAsContainer(project: StrangersPlace): void {
  const text = readFileSync(join(project.folder, 'Dockerfile'), 'utf8')
  const wordsOf = (instruction: string): string[] => {
    const words = new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(text)?.[1]
    if (words === undefined) throw new Error(`expected ${instruction} [...] in the Dockerfile, found none`)
    return JSON.parse(words) as string[]
  }
  const [, install = ''] = /^RUN (npm ci .*)$/m.exec(text) ?? []
  const folder = join(dirname(project.folder), 'app')
  cpSync(project.folder, folder, { recursive: true, filter: (path) => !['node_modules', '.avocet'].includes(basename(path)) })
  run(`Dockerfile: ${install}`, install.split(' '), { ...project, folder })
  mkdirSync(join(folder, '.avocet'))
  chownSync(join(folder, '.avocet'), NOBODY, NOBODY)
  for (const path of [place, dirname(folder), folder]) chmodSync(path, 0o755)
  const [command = ''] = wordsOf('ENTRYPOINT')
  const inside = { folder, uid: NOBODY, path: `${join(folder, 'node_modules/.bin')}:${project.path}` }
  run(`Dockerfile: ${command} ${wordsOf('CMD').join(' ')}`, [command, ...wordsOf('CMD')], inside)
  // The crawl has finished, so nobody would be found healthy: what is left is whether the store can be read.
  run('Dockerfile: HEALTHCHECK', wordsOf('HEALTHCHECK .*CMD').slice(0, 2), inside)
  checkItems(join(folder, '.avocet'), 'basic')
}

/** Every line an item, as many as the template's site has. */
function checkItems(folder: string, template: string): void {
  const file = join(folder, 'items.jsonl')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const items = lines.map((line) => JSON.parse(line) as unknown)
  if (items.length !== ITEMS[template])
    throw new Error(`${template}: expected ${String(ITEMS[template])} items in ${file}, found ${String(items.length)}`)
}
