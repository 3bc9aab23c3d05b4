// `avocet bench`: crawls a hostile web on this machine for some seconds, as `avocet crawl` would: its servers in a process of their own, its store on the disk.
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, type Crawl, type Spider } from 'avocet'
import { hostKeyOf } from '@avocet/core/store'
import { keepHeapSmall } from '@avocet/core/tools'
import { polite } from '@avocet/preset-polite'
import type { SiteModel } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/simulator/rough-web'
import { storeFiles } from '../store-kinds/store-files.ts'
import { onEndSignals } from '../crawl/end-signals.ts'
import type { EndSignal } from '../exit-code.ts'
import type { ExitCode } from '../exit-codes.ts'
import { writeDocument } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import type { Place } from '../place.ts'
import { formatCountOf, formatCount, formatDuration, formatRate, formatRatio, formatBytes } from '../text/quantity.ts'
import { figuresOf, HostTally, type Figures } from './figures.ts'
import { hostileWorld, hostKindOf, KINDS } from './hostile-world.ts'
import { column } from '../text/columns.ts'

/** What was typed. */
export interface BenchWish {
  readonly seconds: number
  readonly json: boolean
}

const OF_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<EndSignal, ExitCode>

/** Prints the figures; with `json` one document. */
export async function benchCommand({ seconds, json }: BenchWish, place: Place): Promise<ExitCode> {
  const { stdout, stderr } = place
  const { figures, signal } = await runBench(seconds, place, ({ hosts }) => {
    say(stderr, `crawling ${formatCountOf(hosts.length, 'host')} on this machine for ${formatCountOf(seconds, 'second')}`)
  })
  await (json ? writeDocument(stdout, figures) : print(stdout, figureLines(figures)))
  return signal === undefined ? 0 : OF_SIGNAL[signal]
}

/** What came of it. */
interface Benched {
  readonly figures: Figures
  /** What ended it early. */
  readonly signal?: EndSignal
}

/** Runs it for `seconds`. `began` is called when the servers are listening. Throws AVO_CONFIG_INVALID where the machine lacks the addresses. */
async function runBench(seconds: number, place: Place, began: (model: SiteModel) => void): Promise<Benched> {
  const { clock } = place
  if (place.ownsProcess) keepHeapSmall()
  const folder = await mkdtemp(join(tmpdir(), 'avocet-bench-'))
  const web = await spawnRoughWeb(hostileWorld())
  const frontier = (await storeFiles()).sqlite(join(folder, 'bench.db'))
  try {
    began(web.model)
    const tally = new HostTally(
      new Map(web.model.hosts.map(({ name }) => [hostKeyOf(`${web.urlOf(name)}/`, 'host'), hostKindOf(name)])),
    )
    const run = crawl({
      spider: everyLink(web.model),
      policies: polite(),
      frontier,
      clock,
      drainMs: 0,
      patienceMs: seconds * 1_000,
    })
    tally.follow(run)
    const { elapsedMs, cpuMicros, signal } = await timed(run, seconds, place)
    const peakRssBytes = process.resourceUsage().maxRSS * 1_024
    const machine = { node: process.versions.node, cpus: cpus().length }
    return {
      figures: figuresOf({ elapsedMs, cpuMicros, peakRssBytes, hosts: tally.hosts, ...machine }),
      ...(signal && { signal }),
    }
  } finally {
    await frontier.close()
    await web.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Timed {
  readonly elapsedMs: number
  readonly cpuMicros: number
  readonly signal?: EndSignal
}

/** Aborts when the time is over: what hangs would be waited for otherwise. */
async function timed(run: Crawl, seconds: number, place: Place): Promise<Timed> {
  const { clock } = place
  const before = process.cpuUsage()
  const startedAt = clock.monotonic()
  let signal: EndSignal | undefined
  const end = (by?: EndSignal): void => {
    signal ??= by
    run.abort()
  }
  using _end = clock.at(clock.now() + seconds * 1_000, () => end())
  using _signals = onEndSignals(place, end, end)
  await run.run()
  const { user, system } = process.cpuUsage(before)
  return { elapsedMs: clock.monotonic() - startedAt, cpuMicros: user + system, ...(signal && { signal }) }
}

function everyLink(model: SiteModel): Spider {
  return {
    name: 'bench',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield { url: page.url.href, title: page.title }
        yield* page.links()
      },
    },
  }
}

// The figures of a bench on one screen, and what they mean.

const LABEL_COLUMNS = 16

/** Lines, unfolded. */
export function figureLines(figures: Figures): readonly string[] {
  const { fairness, kinds, machine } = figures
  const cpu = figures.cpuMicrosPerPage
  const hanging = kinds.hanging
  return [
    `${formatDuration(figures.elapsedMs)} with polite() on Node.js ${machine.node}, ${formatCount(machine.cpus)} cores`,
    '',
    row('good pages', `${formatRate(figures.pagesPerSecond)}, ${formatCount(figures.pages)} in all`),
    row(
      'fairness',
      `${indexOf(fairness.fast)} among fast hosts, ${indexOf(fairness.slow)} among slow ones (Jain; 1 = all alike)`,
    ),
    row(
      'refusals',
      `${formatRatio(figures.refusedRatio)} of all requests, ${formatCount(kinds.refusing.refusals)} by hosts that refuse`,
    ),
    row('hanging hosts', `${formatCount(hanging.requests)} requests to ${formatCount(hanging.hosts)} that never answer`),
    row('CPU', cpu === null ? 'not one page' : `${formatCount(cpu)} µs a page, ${formatRatio(figures.cpuRatio)} of a core`),
    row('peak memory', formatBytes(figures.peakRssBytes)),
    '',
    tableRow('', ['hosts', 'requests', 'refusals', 'pages']),
    ...KINDS.map((kind) => {
      const { hosts, requests, refusals, pages } = kinds[kind]
      return tableRow(kind, [hosts, requests, refusals, pages].map(formatCount))
    }),
    '',
    ...meaning(figures),
  ]
}

/** Three lines. */
function meaning({ kinds, cpuMicrosPerPage }: Figures): readonly string[] {
  const most = cpuMicrosPerPage === null ? '' : `: one core would do for ${formatRate(1_000_000 / cpuMicrosPerPage)}`
  return [
    `Pages a second follow from politeness: ${formatCount(kinds.fast.hosts)} fast hosts, each asked gently while it is a stranger. The CPU is the machine's own figure${most}.`,
    'Fairness near 1 says that no host waits for another; requests to hanging hosts near their number, that each was tried once and left alone.',
    'Refusals are how a rate is found: some at each host that refuses are its price; a hundredth of all requests is much.',
  ]
}

function row(label: string, text: string): string {
  return `${label.padEnd(LABEL_COLUMNS)}${text}`
}

function tableRow(label: string, cells: readonly string[]): string {
  return label.padEnd(LABEL_COLUMNS) + cells.map((cell) => column(cell, 10, 'right')).join('')
}

function indexOf(index: number | null): string {
  return index === null ? 'none' : index.toFixed(3)
}
