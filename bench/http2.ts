// What a page costs over HTTP/2, beside HTTP/1.1: the same crawl of the same nginx over TLS, in turns, in one run.
//
// Usage: npm run bench:http2 -- [--rounds 7] [--hosts 20] [--pages 150] [--json]; or --many for 10,000 hosts of one page, and what they leave in memory.
// Needs nginx and openssl. The server runs in processes of its own, so CPU is that of the crawl alone. Prints the median over pairs of rounds of CPU per page,
// and connections as the server counted them.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { crawl, memoryFrontier, spider } from 'avocet'
import { systemClock } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { median } from './median.ts'
import { toldOptions } from './told-options.ts'

const MOST = { cpu: 1.1, connections: 0.4, idle: 1_000, manyMib: 64 } as const
const PORT = 19_443

const CONFIG = `
daemon off;
user root;
worker_processes 1;
pid nginx.pid;
error_log error.log;
events { worker_connections 4096; }
http {
  log_format short '$connection $server_protocol';
  access_log access.log short;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  keepalive_requests 10000;
  server {
    listen 127.0.0.1:${PORT} ssl http2;
    ssl_certificate own.crt;
    ssl_certificate_key own.key;
    root .;
    location / { default_type text/html; try_files /page.html =404; }
  }
}
`

const { values } = toldOptions('bench:http2', {
  options: {
    rounds: { type: 'string', default: '7' },
    hosts: { type: 'string', default: '20' },
    pages: { type: 'string', default: '150' },
    many: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'avocet-http2-'))
const inFolder = (name: string): string => join(folder, name)

type Version = 'auto' | 'off'

interface Round {
  readonly cpuMicros: number
  readonly connections: number
  readonly seconds: number
}

const server = await startNginx()
try {
  if (values.many) await many()
  else await pairs()
} finally {
  server.kill()
  rmSync(folder, { recursive: true })
}

async function pairs(): Promise<void> {
  const [hosts, pages] = [Number(values.hosts), Number(values.pages)]
  const seeds = seedsOf(hosts, pages)
  const rounds: { readonly off: Round; readonly auto: Round }[] = []
  for (const version of ['off', 'auto'] as const) await round(version, seeds)
  for (let nth = 0; nth < Number(values.rounds); nth++) {
    // Each begins every other pair.
    const first = nth % 2 === 0 ? 'off' : 'auto'
    const one = await round(first, seeds)
    const other = await round(first === 'off' ? 'auto' : 'off', seeds)
    rounds.push(first === 'off' ? { off: one, auto: other } : { off: other, auto: one })
  }
  const cpu = median(rounds.map(({ off, auto }) => auto.cpuMicros / off.cpuMicros))
  const connections = median(rounds.map(({ off, auto }) => auto.connections / off.connections))
  const passed = cpu <= MOST.cpu && connections <= MOST.connections
  const of = (version: 'off' | 'auto', what: keyof Round): number => median(rounds.map((each) => each[version][what]))
  if (values.json) console.log(JSON.stringify({ schema: 1, cpu, connections, rounds, passed }))
  else
    console.log(
      `CPU per page: ${cpu.toFixed(2)} x HTTP/1.1 (${of('auto', 'cpuMicros').toFixed(0)} and ${of('off', 'cpuMicros').toFixed(0)} µs; bar ${MOST.cpu}); ` +
        `connections: ${connections.toFixed(2)} x (${of('auto', 'connections')} and ${of('off', 'connections')}; bar ${MOST.connections}); ` +
        `${seeds.length} pages of ${hosts} hosts in ${of('auto', 'seconds').toFixed(1)} and ${of('off', 'seconds').toFixed(1)} s`,
    )
  process.exitCode = passed ? 0 : 1
}

/** One crawl of all pages. */
async function round(version: Version, seeds: readonly string[]): Promise<Round> {
  const before = served().length
  globalThis.gc?.()
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
  await crawled(version, seeds)
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - startedAt) / 1_000
  await sleep(300)
  const requests = served().slice(before)
  const wrong = requests.filter(({ protocol }) => (protocol === 'HTTP/2.0') !== (version === 'auto'))
  if (requests.length < seeds.length || wrong.length > 0)
    throw new Error(
      `expected ${seeds.length} requests with http2 ${version}, got ${requests.length}, ${wrong.length} over the other version`,
    )
  const connections = new Set(requests.map(({ connection }) => connection)).size
  return { cpuMicros: (user + system) / seeds.length, connections, seconds }
}

async function crawled(http2: Version, seeds: readonly string[], watch: (open: number) => void = () => {}): Promise<void> {
  const clock = systemClock()
  const ca = readFileSync(inFolder('ca.crt'), 'utf8')
  const fetcher = undiciFetcher({
    clock,
    ca,
    resolve: (_name, answer) => answer({ addresses: [{ address: '127.0.0.1', family: 4 }] }),
  })
  const one = spider({ name: 'http2', seeds, handlers: { *start() {} } })
  const run = crawl({
    spider: one,
    policies: [],
    fetcher,
    frontier: memoryFrontier(),
    hosts: { '*': { http2 } },
    allowPrivate: true,
    maxPerHost: 8,
    delayMs: 0,
    concurrency: 64,
    maxTimeMs: 120_000,
  })
  run.hooks.onSettled.tap('bench', () => watch(fetcher.connections?.().open ?? 0))
  const { ended, why } = await run.run()
  if (ended !== 'done') throw new Error(`expected a crawl that is done, got ${ended}: ${why}`)
}

/** 10,000 hosts, and the memory of the second half. */
async function many(): Promise<void> {
  const hosts = 10_000
  let [settled, most, halfMib, lastMib] = [0, 0, 0, 0]
  const mib = (): number => {
    globalThis.gc?.()
    return process.memoryUsage.rss() / 2 ** 20
  }
  await crawled('auto', seedsOf(hosts, 1), (open) => {
    most = Math.max(most, open)
    settled += 1
    if (settled === hosts / 2) halfMib = mib()
    if (settled === hosts) lastMib = mib()
  })
  const grownMib = lastMib - halfMib
  const passed = most <= MOST.idle + 64 && grownMib <= MOST.manyMib
  if (values.json) console.log(JSON.stringify({ schema: 1, hosts, most, halfMib, lastMib, passed }))
  else
    console.log(
      `${hosts} hosts over HTTP/2: at most ${most} sessions open (bar ${MOST.idle + 64}); ${halfMib.toFixed(0)} MiB after half of them, ` +
        `${lastMib.toFixed(0)} after all (bar: ${MOST.manyMib} more)`,
    )
  process.exitCode = passed ? 0 : 1
}

function seedsOf(hosts: number, pages: number): readonly string[] {
  return Array.from(
    { length: hosts * pages },
    (_, at) => `https://shop-${at % hosts}.bench.test:${PORT}/offer/${Math.floor(at / hosts)}`,
  )
}

/** What the server has answered. */
function served(): readonly { readonly connection: string; readonly protocol: string }[] {
  const lines = readFileSync(inFolder('access.log'), 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => {
    const [connection = '', protocol = ''] = line.split(' ')
    return { connection, protocol }
  })
}

async function startNginx(): Promise<{ kill(): void }> {
  const openssl = (...args: readonly string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  openssl('req', '-x509', ...key, '-subj', '/CN=Bench CA', '-keyout', 'ca.key', '-out', 'ca.crt')
  writeFileSync(inFolder('names'), 'subjectAltName=DNS:*.bench.test')
  openssl('req', ...key.slice(0, 5), '-subj', '/CN=*.bench.test', '-keyout', 'own.key', '-out', 'own.csr')
  openssl(
    'x509',
    '-req',
    '-in',
    'own.csr',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-days',
    '2',
    '-extfile',
    'names',
    '-out',
    'own.crt',
  )
  const links = Array.from(
    { length: 40 },
    (_, at) => `<li><a href="https://elsewhere.example/offer/${at}">Offer ${at}</a></li>\n`,
  )
  writeFileSync(
    inFolder('page.html'),
    `<!doctype html><title>Offer</title><ul>${links.join('')}</ul>${'<p>Text of a page.</p>\n'.repeat(700)}`,
  )
  writeFileSync(inFolder('nginx.conf'), CONFIG)
  const own = spawn('nginx', ['-p', folder, '-c', inFolder('nginx.conf')], { stdio: ['ignore', 'inherit', 'inherit'] })
  for (let tries = 0; tries < 50; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(PORT, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return own
    await sleep(100)
  }
  own.kill()
  throw new Error(`expected nginx to listen on port ${PORT}, got nothing`)
}
