// Does what a reader of README.md and docs/tutorial.md does, with the machine's own Node, in folders outside this repository.
//
// `node scripts/walk-documents.ts [--keep]`, after a build. README.md: clones what is committed, installs it, and takes the tour. docs/tutorial.md: packs the
// packages as it tells, and begins in an empty folder. The commands, the files, what is replaced, and the output that is compared come from the texts as they
// stand. Prints each command with its seconds; ends with 1 when one fails, or prints other than what the text shows.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { toldOptions } from '../bench/told-options.ts'
import { ROOT } from '../test/documents/code-blocks.ts'
import { missingLine, readerSteps, replacementsOf, typed, type Replacements } from '../test/documents/reader-steps.ts'
import { run, secondsSince, strangersEnvironment, systemPath, versionOf } from './as-a-stranger.ts'

/** What follows `npm ci` in README.md are steps of CI of their own: the demos, and all tests. */
const OF_CI = /^npm (?:ci && npm (?:run demo|test)\b.*|run demo:two\b.*)/

/** Fewer in a document are a mistake of what reads it. */
const LEAST_COMMANDS = 8

const { values } = toldOptions('walk', { options: { keep: { type: 'boolean', default: false } } })
const place = mkdtempSync(join(tmpdir(), 'avocet-walk-'))
const packs = join(ROOT, 'packs')
const path = systemPath()
try {
  await walkTutorial()
  await walkReadme()
} finally {
  rmSync(packs, { recursive: true, force: true })
  if (values.keep) console.log(`left at ${place}`)
  else rmSync(place, { recursive: true, force: true })
}

async function walkTutorial(): Promise<void> {
  const document = 'docs/tutorial.md'
  const replacements = replacementsOf(document, ROOT)
  rmSync(packs, { recursive: true, force: true })
  // This is a clone with everything installed.
  const pack = replacements.inClone.replace(/^npm ci && /, '')
  run(pack, ['bash', '-c', pack], { folder: ROOT, path: process.env['PATH'] ?? '' })
  const folder = join(place, 'empty')
  mkdirSync(folder)
  await walk({ document, replacements, folder })
}

async function walkReadme(): Promise<void> {
  const document = 'README.md'
  const folder = join(place, 'clone')
  run('git clone', ['git', 'clone', '--quiet', '--depth', '1', `file://${ROOT}`, folder], { folder: place, path })
  await walk({ document, replacements: replacementsOf(document, folder), folder })
}

/** A document, and where its reader begins. */
interface Walk {
  readonly document: string
  readonly replacements: Replacements
  readonly folder: string
}

async function walk({ document, replacements, folder: from }: Walk): Promise<void> {
  console.log(`\n# ${document}, Node ${versionOf({ path })}`)
  const startedAt = performance.now()
  await using terminals = new AsyncDisposableStack()
  let folder = from
  let commands = 0
  let isInstalled = false
  for (const step of readerSteps(document)) {
    if (step.kind === 'save') {
      mkdirSync(dirname(join(folder, step.path)), { recursive: true })
      writeFileSync(join(folder, step.path), step.text)
      continue
    }
    const command = typed(step.command, replacements).replace(OF_CI, 'npm ci')
    // Several lines of README.md begin with it, or need it, each for readers of that line alone.
    if (command === 'npm ci' && isInstalled) continue
    isInstalled ||= command === 'npm ci'
    commands += 1
    if (step.aside) terminals.use(await begin(command, folder))
    else {
      const isKilled = command.startsWith('timeout -s KILL ')
      const words = ['bash', '-c', `{ ${command}${isKilled ? ' || test $? = 137' : ''}\n} 2>&1`]
      const said = run(step.command.replace(OF_CI, 'npm ci'), words, { folder, path })
      const missing = missingLine(step.shown ?? [], said)
      if (missing !== undefined)
        throw new Error(`${document}:${String(step.line)}: expected '${missing}' from ${step.command}, got\n${said}`)
    }
    folder = join(folder, /(?:^|&& )cd ([\w.-]+)$/.exec(command)?.[1] ?? '.')
  }
  if (commands < LEAST_COMMANDS)
    throw new Error(`expected at least ${String(LEAST_COMMANDS)} commands in ${document}, found ${String(commands)}`)
  console.log(`  ${String(commands)} commands in ${secondsSince(startedAt)} s`)
}

/** Runs in a terminal of its own until it is disposed, from when it prints that it is ready. */
async function begin(command: string, folder: string): Promise<AsyncDisposable> {
  console.log(`  ${command}, in a terminal of its own`)
  const env = { ...strangersEnvironment(), PATH: path }
  const child = spawn('bash', ['-c', `exec ${command}`], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const isReady = new Promise((resolve) => {
    child.stdout.on('data', (text: Buffer) => text.includes('{') && resolve(true))
  })
  const ready = await Promise.race([isReady, closed.then(() => false)])
  if (ready !== true) throw new Error(`${command}: expected it to go on, it ended`)
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await closed
    },
  }
}
