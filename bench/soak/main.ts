// A month on virtual time: `npm run soak -- --seeds 200 --days 30 --hosts 800 [--seed X] [--weather outage,kill] [--json]`. Fails for any finding.
import { soak, type Soaked } from './soak.ts'
import { ALL_WEATHER, type SoakOptions } from './world.ts'
import { toldOptions } from '../told-options.ts'

const { values } = toldOptions('soak', {
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1' },
    days: { type: 'string', default: '30' },
    hosts: { type: 'string', default: '800' },
    products: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
    store: { type: 'string' },
    weather: { type: 'string', default: ALL_WEATHER.join(',') },
    json: { type: 'boolean', default: false },
  },
})

const processes = whole('processes', values.processes)
const store = values.store ?? (processes > 1 ? 'sqlite' : 'memory')
if (store !== 'memory' && store !== 'sqlite') throw new Error(`expected --store to be memory or sqlite, got ${store}`)
if (store === 'memory' && processes > 1) throw new Error('expected one process on a store in RAM; use --store sqlite')
const kinds: readonly string[] = ALL_WEATHER
const weather = values.weather === 'none' ? [] : values.weather.split(',')
const unknown = weather.find((kind) => !kinds.includes(kind))
if (unknown !== undefined) throw new Error(`expected --weather to be among ${kinds.join(', ')}, or none, got ${unknown}`)

const options: Omit<SoakOptions, 'seed'> = {
  days: above('days', values.days),
  hosts: whole('hosts', values.hosts),
  products: whole('products', values.products),
  processes,
  store,
  weather: ALL_WEATHER.filter((kind) => weather.includes(kind)),
}
const seeds =
  values.seed === undefined ? Array.from({ length: whole('seeds', values.seeds) }, (_, n) => String(n + 1)) : [values.seed]

const soaks: Soaked[] = []
for (const [n, seed] of seeds.entries()) {
  const show = (day: number, { requests, findings }: { requests: number; findings: number }): void => {
    const line = `seed ${seed} (${String(n + 1)} of ${String(seeds.length)}), day ${String(day)}: ${String(requests)} requests, ${String(findings)} findings`
    if (process.stderr.isTTY) process.stderr.write(`\r${line}\u001B[K`)
    else if (day >= options.days) console.error(line)
  }
  const soaked = await soak({ ...options, seed }, { day: show, heap: true })
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
  soaks.push(soaked)
  if (!values.json) console.log(printed(soaked))
}
if (values.json) console.log(JSON.stringify({ schema: 1, ...options, soaks }, undefined, 2))
else console.log(`${String(soaks.filter(({ findings }) => findings.length === 0).length)} of ${String(soaks.length)} seeds hold`)
process.exitCode = soaks.every(({ findings }) => findings.length === 0) ? 0 : 1

function printed({ seed, visits, rounds, requests, items, heapMb, realMs, findings }: Soaked): string {
  const speed = Math.round(requests / (realMs / 1_000))
  const kept = ((100 * visits) / rounds).toFixed(1)
  const head = `seed ${seed}: ${String(visits)} visits (${kept} % of the rounds), ${String(requests)} requests, ${String(items)} items, ${String(heapMb)} MB, ${(realMs / 1_000).toFixed(1)} s, ${String(speed)} a second: ${findings.length === 0 ? 'PASS' : 'MISS'}`
  const lines = findings.flatMap(({ check, about, count, examples }) => [
    `  ${String(count).padStart(6)}  ${check}, ${about}`,
    ...examples.map((example) => `            ${example}`),
  ])
  return [head, ...lines, ...(findings.length === 0 ? [] : [`  again: ${commandOf(seed)}`])].join('\n')
}

/** What runs this seed again. */
function commandOf(seed: string): string {
  const told = Object.entries({ ...options, seed }).map(
    ([name, value]) => `--${name} ${Array.isArray(value) ? value.join(',') || 'none' : String(value)}`,
  )
  return `npm run soak -- ${told.join(' ')}`
}

function above(name: string, value: string): number {
  const number = Number(value)
  if (!(number > 0 && number <= 366)) throw new Error(`expected --${name} to be a number above 0, 366 at most, got ${value}`)
  return number
}

function whole(name: string, value: string): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`expected --${name} to be a whole number of at least 1, got ${value}`)
  return number
}
