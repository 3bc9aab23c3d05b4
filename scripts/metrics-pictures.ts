// `npm run metrics:pictures`: takes pictures of a real Prometheus that scrapes a live crawl of the rough web, with the files that are published.
//
// Usage: node scripts/metrics-pictures.ts [FOLDER] [--wait MS] [--width PIXELS]. Needs Chromium, and `prometheus` in the path or AVOCET_TEST_PROMETHEUS. It is only
// asked more often than the published file says, so that two minutes are enough to see something.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { roughForty } from '@avocet/simulator'
import { crawlWithPage, startBrowser } from '../test/ui/browsed-crawl.ts'

const PORT = 9464
const ADDRESS = '127.0.0.1:9465'
const MONITORING = join(import.meta.dirname, '../packages/metrics/monitoring')
/** Of the dashboard: answers a second, by class of status. */
const QUERY = 'sum by (status) (rate(avocet_responses_total[30s]))'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { wait: { type: 'string', default: '120000' }, width: { type: 'string', default: '1100' } },
})
const folder = positionals[0] ?? '/tmp/avocet-metrics-pictures'
mkdirSync(folder, { recursive: true })
const work = mkdtempSync(join(tmpdir(), 'avocet-prometheus-'))
cpSync(MONITORING, work, { recursive: true })
const config = readFileSync(join(work, 'prometheus.yml'), 'utf8')
writeFileSync(join(work, 'prometheus.yml'), config.replace('15s', '2s').replace('30s', '2s'))

await using _crawl = await crawlWithPage({
  world: roughForty(),
  words: ['--delay', '1500ms', '--patience', '10m', '--metrics', String(PORT)],
})
const words = ['--config.file', 'prometheus.yml', '--storage.tsdb.path', 'data', '--web.listen-address', ADDRESS]
const prometheus = spawn(process.env['AVOCET_TEST_PROMETHEUS'] ?? 'prometheus', words, { cwd: work, stdio: 'ignore' })
// One that is not there is said, and what was begun ends.
const isMissing = new Promise<never>((_, reject) => prometheus.on('error', reject))
isMissing.catch(() => undefined)
const browser = await startBrowser()
try {
  const page = await browser.newPage({ viewport: { width: Number(values.width), height: 880 } })
  await Promise.race([page.waitForTimeout(Number(values.wait)), isMissing])
  const graph = `graph?g0.expr=${encodeURIComponent(QUERY)}&g0.tab=0&g0.range_input=2m`
  for (const [name, path] of Object.entries({ graph, alerts: 'classic/alerts', targets: 'classic/targets' })) {
    await page.goto(`http://${ADDRESS}/${path}`)
    await page.waitForTimeout(2_000)
    await page.evaluate('scrollTo(0, 0)')
    await page.screenshot({ path: join(folder, `prometheus-${name}.png`) })
  }
  for (const query of queriesOf(JSON.parse(readFileSync(join(MONITORING, 'dashboard.json'), 'utf8')))) {
    const answer = await fetch(`http://${ADDRESS}/api/v1/query?query=${encodeURIComponent(query)}`)
    const { status, error, data } = (await answer.json()) as Answer
    if (status !== 'success') process.exitCode = 1
    if (status !== 'success' || data?.result.length === 0) console.log(`${status} ${error ?? 'no series'}: ${query}`)
  }
  console.log(`pictures are in ${folder}`)
} finally {
  await browser.close()
  prometheus.kill()
  rmSync(work, { recursive: true, force: true })
}

/** Of Prometheus. */
interface Answer {
  readonly status: string
  readonly error?: string
  readonly data?: { readonly result: readonly unknown[] }
}

/** What a dashboard asks. */
interface Asking {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
  readonly annotations: { readonly list: readonly { readonly expr?: string }[] }
}

/** The queries of panels and annotations, with variables filled in; of an annotation what it compares, which is there also where nothing is to be marked. */
function queriesOf({ panels, annotations }: Asking): readonly string[] {
  const marks = annotations.list.flatMap(({ expr = [] }) => expr).map((expr) => expr.replace(/ > 0$/, ''))
  return [...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)), ...marks].map((expr) =>
    expr
      .replace(/\$\{?job\}?/g, '.*')
      .replace(/\$\{?instance\}?/g, '.*')
      .replace(/\$__(rate_)?interval/g, '30s')
      .replace(/\$__range/g, '2m'),
  )
}
