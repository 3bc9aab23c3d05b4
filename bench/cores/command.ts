// The same as `avocet crawl` does it: one process, and two below a supervisor. What the whole command costs, in memory and CPU, the supervisor included.
//
// Looked at from outside, in /proc (Linux), five times a second: the peak of each process (RSS), the largest sum of their shares (PSS), and their CPU time, of
// which the last look may miss some.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/avocet.js', import.meta.url))
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const LOOK_MS = 200

const SPIDER = `export default ({ port, hosts }) => ({
  name: 'cores',
  seeds: Array.from({ length: Number(hosts) }, (_, n) => 'http://127.0.1.' + (n + 1) + ':' + port + '/0'),
  handlers: { *start(page) { yield { title: page.title }; yield* page.links() } },
})
`

/** What a command cost. */
export interface CommandCost {
  readonly cpuSeconds: number
  /** Of each process, the command itself first. */
  readonly peakMb: readonly number[]
  readonly shareMb: number
}

/** Crawls the site at `port` with so many processes. */
export async function commandCost(
  processes: number,
  { port, hosts, slots }: { readonly port: string; readonly hosts: string; readonly slots: string },
): Promise<CommandCost> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-cores-'))
  writeFileSync(join(folder, 'spider.mjs'), SPIDER)
  symlinkSync(MODULES, join(folder, 'node_modules'))
  const words = `crawl spider.mjs -a port=${port} -a hosts=${hosts} --processes ${processes} --concurrency ${slots} --log-level error`
  const rate = '--rate none --delay 0 --max-per-host 1 --ignore-robots'
  const child = spawn(process.execPath, [BIN, ...`${words} ${rate}`.split(' ')], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const looks = new Look(child.pid ?? 0)
  const timer = setInterval(() => looks.look(), LOOK_MS)
  try {
    const [code] = (await once(child, 'exit')) as [number]
    if (code !== 0) throw new Error(`expected the command to end with 0, got ${code}`)
    return looks.cost
  } finally {
    clearInterval(timer)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What was seen of a command and its children. */
class Look {
  readonly #pid: number
  readonly #peaks = new Map<number, number>()
  readonly #cpu = new Map<number, number>()
  #shareMb = 0

  constructor(pid: number) {
    this.#pid = pid
  }

  get cost(): CommandCost {
    const cpuSeconds = [...this.#cpu.values()].reduce((a, b) => a + b, 0)
    return { cpuSeconds, peakMb: [...this.#peaks.values()].map(Math.round), shareMb: Math.round(this.#shareMb) }
  }

  look(): void {
    let shareMb = 0
    for (const pid of [this.#pid, ...childrenOf(this.#pid)]) {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'latin1')
        const shares = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
        const times = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
        this.#peaks.set(pid, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024)
        // User and system, in hundredths of a second (proc_pid_stat(5), fields 14 and 15).
        this.#cpu.set(pid, (Number(times[11]) + Number(times[12])) / 100)
        shareMb += Number(/^Pss:\s+(\d+)/m.exec(shares)?.[1]) / 1024
      } catch {
        // It has ended since.
      }
    }
    this.#shareMb = Math.max(this.#shareMb, shareMb)
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}
