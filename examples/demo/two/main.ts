// `npm run demo:two`: two processes crawl a rough web of 40 hosts on one PostgreSQL server. One is killed after 10 s, and the other finishes the crawl.
//
// Everything is real: the command, the sockets, the server (of a package, in a folder that goes away). The servers of the web are the judge.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { roughForty } from '@avocet/simulator'
import { spawnRoughWeb, readServedLog } from '@avocet/stress/rough-web'
import { postgresMissing, startPostgres } from '@avocet/stress/postgres'
import config from '../avocet.config.ts'
import { startCrawler, type Crawler } from './crawler.ts'
import { verdict } from './verdict.ts'
import { letterOf, Waterfall } from './waterfall.ts'

const INTRO = `Two processes crawl 40 difficult hosts, as two machines would: each runs
the same command, and they share one store on a PostgreSQL server. Each host is
asked by one of them at a time, 200 ms apart or more. After 10 s, B is killed.
`

/** Git ignores it. */
const FOLDER = '.avocet'
const ROOT = join(import.meta.dirname, '../../..')
const KILL_AFTER_MS = 10_000
/** Done, or all that is left waits longer than the demo's patience: flapping hosts and dead ones. */
const GOOD_ENDS: readonly (number | null)[] = [0, 8]

const missing = postgresMissing()
if (missing !== undefined) {
  console.log(`npm run demo:two needs a PostgreSQL server ${missing}`)
  process.exit(2)
}
console.log(INTRO)
mkdirSync(join(ROOT, FOLDER), { recursive: true, mode: 0o700 })
const log = join(ROOT, FOLDER, 'two-requests.jsonl')
writeFileSync(log, '')
const [server, web] = await Promise.all([startPostgres({ fsync: true }), spawnRoughWeb(roughForty(), { log })])
try {
  process.exitCode = await shown()
} finally {
  await web.close()
  await server.stop()
}

/** The show, from the first request to the verdict; its exit code. */
async function shown(): Promise<number> {
  const sites = `${FOLDER}/two-sites.txt`
  writeFileSync(join(ROOT, sites), web.model.seeds().join('\n'))
  const store = new URL(server.url)
  const password = decodeURIComponent(store.password)
  store.password = ''
  const words = ['examples/demo/spider.ts', '--config', 'examples/demo/two/avocet.config.ts', '-a', `sites=${sites}`]
  const shared = [...words, '--store', `${store.href}?crawl=demo`]
  const titles = `${FOLDER}/two-titles.jsonl`
  console.log(`A and B: avocet crawl examples/demo/spider.ts --store ${store.protocol}//…/postgres`)
  const start = (name: string, more: readonly string[] = []): Crawler =>
    startCrawler({ name, words: [...shared, ...more], password, log: join(ROOT, FOLDER, `two-${name}.txt`) })
  const [a, b] = [start('A', ['-O', titles]), start('B')]
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => [a, b].forEach((each) => each.kill(signal)))
  const { code, killedAt } = await watched(a, b)
  if (!GOOD_ENDS.includes(code)) {
    console.log(`\nA ended with exit code ${String(code)}; what it said is in ${FOLDER}/two-A.txt.`)
    return code ?? 1
  }
  const isGood = verdict({
    ...{ model: web.model, log, titles: join(ROOT, titles), delayMs: config.delayMs },
    isWhole: (host) => /^(?:well|slow|refusing)-/.test(host),
    killed: { name: 'B', at: killedAt },
  })
  console.log(`\nWhat A said is in ${FOLDER}/two-A.txt, the titles are in ${titles}.`)
  return isGood ? 0 : 1
}

/** Draws, kills B, and waits for the end of A. */
async function watched(a: Crawler, b: Crawler): Promise<{ readonly code: number | null; readonly killedAt: number }> {
  using waterfall = new Waterfall({ hosts: web.model.hosts.map(({ name }) => name), log })
  let killedAt = Infinity
  const timer = setTimeout(() => {
    b.kill('SIGKILL')
    killedAt = Date.now()
    waterfall.tell(`kill -9 B, which had ${String(hostsOf('B'))} hosts. Nobody tells A.`)
  }, KILL_AFTER_MS)
  const [code] = await Promise.all([a.ended, b.ended])
  clearTimeout(timer)
  waterfall.draw()
  return { code, killedAt }
}

/** Hosts that were asked by the process last. */
function hostsOf(name: string): number {
  const last = new Map(readServedLog(log).map(({ host, agent }) => [host, letterOf(agent)]))
  return [...last.values()].filter((letter) => letter === name).length
}
