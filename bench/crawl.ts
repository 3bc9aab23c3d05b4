// What a page costs: crawls a real site link-only with SQLite on, the same with cookies and a sink, with `$` on every page, and with a bare loop, all in one run.
//
// Usage: npm run bench:crawl -- --site DIR [--start en/index.html] | --url http://127.0.0.1:8080/en/index.html   [--rounds 3] [--json]
// Each contestant is a process of its own, and its figures are those of the whole process from start to end; rounds are interleaved, medians
// printed. The site is served by another process. The bare loop is the same fetcher library, scanner and canonicaliser without a framework.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { firstLine } from './first-line.ts'
import { median } from './median.ts'
import { toldOptions } from './told-options.ts'
import { withoutTypes } from './without-types.ts'

const KINDS = ['bare', 'link-only', 'cookies-and-sink', 'dom'] as const
type Kind = (typeof KINDS)[number]

interface Figures {
  readonly pages: number
  readonly links: number
  readonly cpuSeconds: number
  readonly peakMb: number
  readonly wallMs: number
}

const { values } = toldOptions('bench:crawl', {
  options: {
    site: { type: 'string' },
    url: { type: 'string' },
    start: { type: 'string', default: 'index.html' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: KINDS.join(',') },
    json: { type: 'boolean', default: false },
  },
})
if (values.site === undefined && values.url === undefined) {
  console.error(
    'expected --site DIR (a folder of HTML) or --url URL; for example: npm run bench:crawl -- --site /usr/share/cppreference/doc/html --start en/index.html',
  )
  process.exit(2)
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const server =
  values.site === undefined
    ? undefined
    : spawn(process.execPath, [here('serve-folder.ts'), values.site], { stdio: ['pipe', 'pipe', 'inherit'] })
const base = server ? await firstLine(server.stdout) : ''
const seed = values.url ?? `${base}/${values.start}`

const script = withoutTypes(new URL('crawl-contestant.ts', import.meta.url))
const figures = new Map<Kind, Figures[]>()
const kinds = KINDS.filter((kind) => values.only.split(',').includes(kind))
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const kind of kinds) {
    console.error(`round ${round}: ${kind}`)
    figures.set(kind, [...(figures.get(kind) ?? []), await contestant(kind)])
  }
}
server?.stdin.end()
print()

async function contestant(kind: Kind): Promise<Figures> {
  const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
  // A young generation as the command has it; for the bare loop too, so that the difference is the framework's.
  const child = spawn(process.execPath, [...conditions, '--max-semi-space-size=8', script, kind, seed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  const line = await firstLine(child.stdout)
  const [code] = (await exit) as [number]
  if (code !== 0) throw new Error(`${kind} ended with ${code}`)
  return JSON.parse(line) as Figures
}

function medianOf(kind: Kind, pick: (one: Figures) => number): number {
  return median((figures.get(kind) ?? []).map(pick))
}

/** Median, over the rounds, of what a page of one contestant cost in CPU, divided by what it cost the other in the same round. */
function pairedRatio(one: Kind, other: Kind): number {
  const others = figures.get(other) ?? []
  const ratios = (figures.get(one) ?? []).map(({ cpuSeconds, pages }, round) => {
    const beside = others[round]
    return beside === undefined ? Number.NaN : cpuSeconds / pages / (beside.cpuSeconds / beside.pages)
  })
  return median(ratios)
}

function rounded(value: number): number {
  return Number(value.toFixed(3))
}

function print(): void {
  const rows = kinds.map((kind) => {
    const pages = medianOf(kind, (one) => one.pages)
    const cpu = medianOf(kind, (one) => one.cpuSeconds)
    return {
      contestant: kind,
      pages,
      links: medianOf(kind, (one) => one.links),
      'ms CPU a page': Number(((cpu / pages) * 1e3).toFixed(3)),
      'pages per CPU s': Math.round(pages / cpu),
      'pages per s': Math.round((pages / medianOf(kind, (one) => one.wallMs)) * 1e3),
      'peak MB': Math.round(medianOf(kind, (one) => one.peakMb)),
    }
  })
  const cost = (kind: Kind): number => medianOf(kind, (one) => one.cpuSeconds / one.pages) * 1e3
  const overheadMs = rounded(cost('link-only') - cost('bare'))
  const cookiesAndSinkRatio = rounded(pairedRatio('cookies-and-sink', 'link-only'))
  if (values.json) {
    console.log(JSON.stringify({ schema: 1, seed, rows, overheadMs, cookiesAndSinkRatio }))
    return
  }
  console.table(rows)
  if (kinds.includes('bare'))
    console.log(`the framework costs ${overheadMs} ms of CPU a page over the bare loop (aim: at most 0.15)`)
  if (kinds.includes('cookies-and-sink'))
    console.log(
      `cookies and a sink of JSON Lines cost ${cookiesAndSinkRatio} times the CPU of link-only, in pairs of a round (aim: at most 1.10)`,
    )
}
