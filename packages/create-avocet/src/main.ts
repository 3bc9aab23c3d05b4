// `npm create avocet`: from what was typed, and what is asked, to a folder with a project in it.
//
// Runs on Node 20, which most machines have: what needs a newer one is the project, and it can bring one along.
import { relative } from 'node:path'
import { optionsOf, targetFolder, type Options } from './options.ts'
import { dependenciesOf, isNewEnough, OLDEST_NODE } from './packages.ts'
import { projectFiles, TEMPLATE_NAMES, TEMPLATES, type TemplateName } from './project-files.ts'
import { printLine, type Surroundings } from './surroundings.ts'
import { writeFiles } from './template-files.ts'
import { UsageError } from './usage-error.ts'

const DEFAULT_TEMPLATE: TemplateName = 'basic'

const templates = TEMPLATE_NAMES.map((name) => `  ${name.padEnd(13)} ${TEMPLATES[name].summary}`)

/** What `--help` prints: one screen, an example first. */
const HELP = `npm create avocet my-crawl
npm create avocet my-crawl -- --template price-watch

Makes a folder with a spider, its configuration, a test and a README.

Templates:
${templates.join('\n')}

Options:
  -t, --template NAME   which of them (default ${DEFAULT_TEMPLATE})
      --pin-node        the project brings its own Node.js along (default below ${OLDEST_NODE})
      --no-pin-node     it does not
      --from DIR        take Avocet's packages from DIR, where npm pack put them
  -h, --help            show this

Exit codes: 0 done, 2 wrong command line or a folder that is not empty, 7 cannot write,
69 this Node.js is too old.
`

/**
 * Runs `create-avocet` with `words` (without node and script).
 *
 * @returns the exit code: 0 done, 2 wrong command line or folder, 7 cannot write, 69 this Node is too old.
 */
export function createAvocet(words: readonly string[], around: Surroundings): number {
  try {
    const options = optionsOf(words)
    if (options.help) printLine(around.stdout, HELP)
    else create(options, around)
    return 0
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    printLine(around.stderr, `create-avocet: ${error.message}\n`)
    return error.exit
  }
}

function create({ from, folder, template = DEFAULT_TEMPLATE, ...options }: Options, around: Surroundings): void {
  const packages = dependenciesOf(from, around.folder, TEMPLATES[template].packages)
  if (folder === undefined) throw new UsageError('expected a folder, got nothing; try npm create avocet my-crawl')
  const isOld = !isNewEnough(around.nodeVersion)
  const { pinNode = isOld } = options
  if (isOld && !pinNode) throw tooOld(around.nodeVersion)
  const { path, project } = targetFolder(folder, around.folder)
  const files = projectFiles({ project, template, pinNode, packages })
  write(path, files)
  printLine(around.stdout, farewell({ folder: relative(around.folder, path), template, files: files.size, pinNode }))
}

function tooOld(version: string): UsageError {
  return new UsageError(
    `expected Node.js ${OLDEST_NODE} or newer, this is ${version}; leave out --no-pin-node, and the project brings its own, or install one from https://nodejs.org`,
    69,
  )
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  try {
    writeFiles(folder, files)
  } catch (error) {
    throw new UsageError(`expected to write into ${folder}, got ${error instanceof Error ? error.message : String(error)}`, 7)
  }
}

interface Made {
  /** As one types it; empty for the folder that one is in. */
  readonly folder: string
  readonly template: TemplateName
  readonly files: number
  readonly pinNode: boolean
}

function farewell({ folder, template, files, pinNode }: Made): string {
  const node = pinNode ? ' It brings its own Node.js along.' : ''
  return [
    `Made ${folder === '' ? 'a project here' : folder} (template ${template}, ${String(files)} files).${node}`,
    '',
    ...(folder === '' ? [] : [`  cd ${folder}`]),
    '  npm install',
    '  npm test',
    `  npm run crawl      # ${TEMPLATES[template].changes ?? 'items.jsonl'}, without the internet`,
    '',
    'README.md says how to go on.',
    '',
  ].join('\n')
}
