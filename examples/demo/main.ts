// `npm run demo`: serves a rough web of 40 hosts from another process, crawls it with the command line, and checks what was found.
//
// The store stays in .avocet/demo.db, with a report in .avocet/demo.html: the same command resumes the crawl, or is done; `npm run demo -- --fresh` starts
// over, `-- --ui` serves its page, and `-- --port N` has its servers listen at another port than 8142.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { roughForty, type SiteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import { closingLines, nothingToWatch } from './hints.ts'
import { tellProgress } from './progress.ts'

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/avocet.js')

/** Hosts that a polite crawl gets everything from within its patience. The flapping ones wait behind their breakers longer than the demo does. */
const GIVES_ALL = /^(?:well|slow|refusing)-/

/** Done, or all that is left waits longer than the demo's patience. */
const GOOD_ENDS = [0, 8]

const INTRO = `A rough web of 40 hosts, served by another process on this machine:
127.42.0.1 to .20 are well, to .24 slow, to .29 refuse whoever comes too fast,
to .31 come and go, to .34 hang, the rest are dead in six ways.
Avocet crawls all of them at once and each of them gently: one request at a
time, 200 ms apart or more. What it finds goes into SQLite as it comes.
`

/** Always the same, so that a later run finds the hosts where the store has them. */
const DEFAULT_PORT = 8_142

const ROOT = join(import.meta.dirname, '../..')

/** Git ignores it. From the root of the clone, as all paths here: that is where npm runs the demo. */
const FOLDER = '.avocet'
const TITLES = `${FOLDER}/demo-titles.jsonl`
const SITES = `${FOLDER}/demo-sites.txt`
const STORE = `${FOLDER}/demo.db`
const REPORT = `${FOLDER}/demo.html`

const {
  fresh: isFresh,
  port,
  ui: hasPage,
} = parseArgs({
  options: { fresh: { type: 'boolean', default: false }, port: { type: 'string' }, ui: { type: 'boolean', default: false } },
}).values
const portWords = port === undefined ? [] : ['--port', port]
const web = await spawnRoughWeb(roughForty(), { port: port === undefined ? DEFAULT_PORT : Number(port) })
try {
  console.log(INTRO)
  await mkdir(join(ROOT, FOLDER), { recursive: true, mode: 0o700 })
  await writeFile(join(ROOT, SITES), web.model.seeds().join('\n'))
  // Its page would end with it before anybody has opened it.
  if (hasPage && !isFresh && existsSync(join(ROOT, STORE)) && (await pagesOf(web.model)).missing === 0)
    console.log(nothingToWatch(STORE, portWords).join('\n'))
  else await show()
} finally {
  await web.close()
}

/** Crawls, says what was found, and what to try next. */
async function show(): Promise<void> {
  const exitCode = await crawl()
  process.exitCode = GOOD_ENDS.includes(exitCode) ? await verdict(web.model) : exitCode
  // Also of a crawl that was stopped.
  if ((await avocet(['report', STORE, '--html', REPORT], { stdio: 'ignore' })) === 0)
    console.log(['', ...closingLines({ store: STORE, report: REPORT }, join(ROOT, REPORT), portWords)].join('\n'))
}

/** Crawls, and gives the exit code. */
async function crawl(): Promise<number> {
  const words = ['crawl', 'examples/demo/spider.ts', '--config', 'examples/demo/avocet.config.ts', '-a', `sites=${SITES}`]
  const fresh = isFresh ? ['--fresh', '--yes'] : []
  const page = hasPage ? ['--ui'] : []
  using _progress = process.stderr.isTTY ? undefined : tellProgress(join(ROOT, STORE))
  return await avocet([...words, '-O', TITLES, '--store', STORE, ...fresh, ...page], { stdio: 'inherit' })
}

/** Runs the command, and gives its exit code. */
async function avocet(words: readonly string[], { stdio }: { readonly stdio: 'inherit' | 'ignore' }): Promise<number> {
  const child = spawn(process.execPath, [COMMAND, ...words], { cwd: ROOT, stdio })
  // The command ends in good order; the demo waits for it, and ends its servers. A signal that reaches both counts once.
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, kill)
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  }).finally(() => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, kill)
  })
}

/** Says whether the items are what stands there, and gives the exit code for it. */
async function verdict(model: SiteModel): Promise<number> {
  const { all, missing, twice } = await pagesOf(model)
  console.log(`\nOf ${all} pages of hosts that are well, slow or refusing, ${all - missing} found, ${twice} twice.`)
  return missing + twice === 0 ? 0 : 1
}

/** How many pages of hosts that give all there are, and how many of them have no item, or two. */
async function pagesOf(model: SiteModel): Promise<{ readonly all: number; readonly missing: number; readonly twice: number }> {
  const text = await readFile(join(ROOT, TITLES), 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => line !== '')
  const found = lines.map((line) => (JSON.parse(line) as { url: string }).url)
  const hosts = model.hosts.filter(({ name }) => GIVES_ALL.test(name))
  const expected = hosts.flatMap(({ name }) => model.expected.pages(name))
  const seen = new Set(found)
  return { all: expected.length, missing: expected.filter((url) => !seen.has(url)).length, twice: found.length - seen.size }
}
