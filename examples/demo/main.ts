// `npm run demo`: serves a rough web of 40 hosts from another process, crawls it with the command line, and checks what was found.
//
// The store stays in .avocet/demo.db: the same command resumes the crawl, or is done; `npm run demo -- --fresh` starts over.
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { roughForty, type SiteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/simulator/rough-web'
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

const NEXT = `
What to try next, in the clone. The servers of the demo have ended; its store is still there:
  npx avocet report .avocet/demo.db                       how each host was treated
  npx avocet hosts .avocet/demo.db                        how far the crawl is at each
  npx avocet dlq list .avocet/demo.db                     what was given up, and why
  npm run demo                                            resumes it, with its servers
  npm run demo -- --fresh                                 shows it again from the start
  npx avocet crawl https://your.example/ -O pages.jsonl   a site of yours
README.md has a tour of five minutes, examples/quotes/spider.ts is the smallest spider.`

/** Always the same, so that a later run finds the hosts where the store has them. */
const PORT = 8_142

const ROOT = join(import.meta.dirname, '../..')

/** Git ignores it. From the root of the clone, as all paths here: that is where npm runs the demo. */
const FOLDER = '.avocet'
const TITLES = `${FOLDER}/demo-titles.jsonl`
const SITES = `${FOLDER}/demo-sites.txt`
const STORE = `${FOLDER}/demo.db`

const isFresh = process.argv.includes('--fresh')
const web = await spawnRoughWeb(roughForty(), { port: PORT })
try {
  console.log(INTRO)
  await mkdir(join(ROOT, FOLDER), { recursive: true, mode: 0o700 })
  await writeFile(join(ROOT, SITES), web.model.seeds().join('\n'))
  const exitCode = await crawl()
  process.exitCode = GOOD_ENDS.includes(exitCode) ? await verdict(web.model) : exitCode
} finally {
  await web.close()
}

/** Runs the command, and gives its exit code. */
async function crawl(): Promise<number> {
  const words = ['crawl', 'examples/demo/spider.ts', '--config', 'examples/demo/avocet.config.ts', '-a', `sites=${SITES}`]
  const fresh = isFresh ? ['--fresh', '--yes'] : []
  const child = spawn(process.execPath, [COMMAND, ...words, '-O', TITLES, '--store', STORE, ...fresh], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  // The command ends in good order; the demo waits for it, and ends its servers. A signal that reaches both counts once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  using _progress = process.stderr.isTTY ? undefined : tellProgress(join(ROOT, STORE))
  return await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/** Says whether the items are what stands there, and gives the exit code for it. */
async function verdict(model: SiteModel): Promise<number> {
  const lines = (await readFile(join(ROOT, TITLES), 'utf8')).trim().split('\n')
  const found = lines.map((line) => (JSON.parse(line) as { url: string }).url)
  const hosts = model.hosts.filter(({ name }) => GIVES_ALL.test(name))
  const expected = hosts.flatMap(({ name }) => model.expected.pages(name))
  const seen = new Set(found)
  const missing = expected.filter((url) => !seen.has(url))
  const twice = found.length - seen.size
  const [all, missed] = [expected.length, missing.length]
  console.log(`\nOf ${all} pages of hosts that are well, slow or refusing, ${all - missed} found, ${twice} twice.`)
  console.log(NEXT)
  return missing.length + twice === 0 ? 0 : 1
}
