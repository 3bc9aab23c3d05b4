// Starts the processes of the hostile bench, and talks with them.
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { siteModel, type HostSpec } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import type { HostileAccount, HostilePlan } from '@avocet/stress/hostile'
import type { Figures, Job } from './crawl.ts'
import type { Served } from './serve.ts'

/** Five hosts that are well: what a crawl is for. */
const HEALTHY: readonly HostSpec[] = Array.from({ length: 5 }, (_, n) => ({
  name: `healthy-${String(n)}.test`,
  pages: { kind: 'tree', pages: 150, textBytes: 4_000 },
  latency: { law: 'uniform', minMs: 20, maxMs: 80 },
}))

/** Running healthy hosts. */
export interface Healthy {
  readonly seeds: readonly string[]
  readonly hosts: readonly string[]
  /** Paths that were asked for since the last look, each as often as it was. */
  asked(): readonly string[]
  close(): Promise<void>
}

/** Starts them. */
export async function startHealthy(): Promise<Healthy> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-hostile-log-'))
  const log = join(folder, 'requests.jsonl')
  writeFileSync(log, '')
  const web = await spawnRoughWeb(siteModel({ seed: 'healthy', hosts: HEALTHY }), { log })
  let read = 0
  return {
    seeds: web.model.seeds(),
    hosts: HEALTHY.map(({ name }) => new URL(web.urlOf(name)).host),
    asked() {
      const lines = readFileSync(log, 'utf8')
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '')
      const fresh = lines.slice(read).map((line) => JSON.parse(line) as { host: string; path: string })
      read = lines.length
      return fresh.filter(({ path }) => path !== '/robots.txt').map(({ host, path }) => host + path)
    },
    async close() {
      await web.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A running hostile web. */
export interface Hostile {
  readonly plan: HostilePlan
  account(): Promise<HostileAccount>
  close(): void
}

/** Starts the rows with these names. */
export async function startHostile(names: readonly string[]): Promise<Hostile> {
  const child = start('serve.ts', names)
  const { plan } = (await said(child)) as Extract<Served, { plan: unknown }>
  return {
    plan,
    async account() {
      const answer = said(child)
      child.send('account')
      return ((await answer) as Extract<Served, { account: unknown }>).account
    },
    close: () => child.disconnect(),
  }
}

/** Runs a crawl to its end. It trusts the authority of the plan. */
export async function runCrawl(job: Job): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-hostile-ca-'))
  const ca = join(folder, 'ca.pem')
  writeFileSync(ca, job.plan.ca)
  try {
    const child = start('crawl.ts', [], { NODE_EXTRA_CA_CERTS: ca })
    child.send(job)
    return (await said(child)) as Figures
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function start(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions'))
  return fork(fileURLToPath(new URL(script, import.meta.url)), [...args], {
    // A heap as the command has it.
    execArgv: [...conditions, '--max-semi-space-size=8', '--heap-growing-percent=100'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/** Its next message. Rejects when it ends without one. */
function said(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null, signal: string | null): void =>
      reject(new Error(`expected a message of the process, got its end: code ${String(code)}, signal ${String(signal)}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}
