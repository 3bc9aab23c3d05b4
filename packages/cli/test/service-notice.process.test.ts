// What systemd is told of a crawl: that it is ready, lives, stops; and what a watchdog is not told.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { ServiceNotice } from '../../project/src/log/service-notice.ts'
import { StallWatch } from '../src/crawl/supervise-crawl.ts'
import { crawlStatus, hostStatus } from './crawl/crawl-status.ts'
import { runCli, spawnCli } from './run-cli.ts'
import { smallSite } from './small-site.ts'

/** A service manager that prints each message as JSON, and closes the descriptors that come with a barrier. */
const MANAGER = `import socket, sys, os, json
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('"listening"', flush=True)
while True:
    data, fds, _, _ = socket.recv_fds(s, 65536, 4)
    for fd in fds: os.close(fd)
    print(json.dumps(data.decode()), flush=True)
`

const missing = ['systemd-notify', 'python3'].find((program) => spawnSync(program, ['--version']).status !== 0)

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-notice-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A service manager, and what it has heard: variables by message, barriers left out. */
async function manager(): Promise<{ readonly socket: string; readonly heard: string[][] } & Disposable> {
  const socket = join(folder, 'notify')
  const child = spawn('python3', ['-c', MANAGER, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const heard: string[][] = []
  await once(lines, 'line')
  lines.on('line', (line) => {
    const variables = (JSON.parse(line) as string).split('\n')
    if (!variables.includes('BARRIER=1')) heard.push(variables)
  })
  return { socket, heard, [Symbol.dispose]: () => void child.kill() }
}

describe.skipIf(missing !== undefined)('a crawl as a service', { timeout: 60_000 }, () => {
  it('says that it is ready once its store is open, what it does, that it lives, and that it stops', async () => {
    using service = await manager()
    const site = await smallSite(400)
    const env = { NOTIFY_SOCKET: service.socket, WATCHDOG_USEC: '600000' }
    const words = ['crawl', site.url, '--ignore-robots', '--rate', 'fixed', '--delay', '50ms']
    const run = await spawnCli(words, {
      folder,
      env,
      meanwhile: (child) => {
        void expect
          .poll(() => service.heard.filter((said) => said.includes('WATCHDOG=1')).length, { timeout: 15_000 })
          .toBeGreaterThan(1)
          .finally(() => child.kill('SIGTERM'))
      },
    })
    site.close()
    await expect.poll(() => service.heard.flat()).toContain('STOPPING=1')

    expect(run.code).toBe(143)
    expect(service.heard[0]?.[0]).toBe('READY=1')
    expect(service.heard.flat().find((each) => each.startsWith('STATUS='))).toMatch(
      /^STATUS=127\.0\.0\.1-\d+: \d+ pages?, .* waiting/,
    )
  })

  it('does so for a crawl in several processes, of which its supervisor tells', async () => {
    using service = await manager()
    const site = await smallSite(300)
    const env = { NOTIFY_SOCKET: service.socket, WATCHDOG_USEC: '600000' }
    const words = ['crawl', site.url, '--ignore-robots', '--rate', 'fixed', '--delay', '20ms', '--processes', '2']
    const run = await runCli(words, { folder, env })
    site.close()
    await expect.poll(() => service.heard.flat(), { timeout: 5_000 }).toContain('STOPPING=1')

    expect(run.code).toBe(0)
    const said = service.heard.flat()
    expect(said.filter((each) => each === 'READY=1')).toHaveLength(1)
    expect(said).toContain('WATCHDOG=1')
  })

  it('is no longer said to live when one of its processes hangs in a handler', async () => {
    using service = await manager()
    const site = await smallSite(3)
    await writeFile(
      join(folder, 'hangs.js'),
      `export default { name: 'hangs', seeds: ['${site.url}'], handlers: { *start() { for (;;); } } }`,
    )
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const env = { NOTIFY_SOCKET: service.socket, WATCHDOG_USEC: '1000000' }
    const last = (): string[] => service.heard.slice(-3).flatMap((said) => said.map((each) => each.replace(/=.*/, '')))
    await spawnCli(['crawl', 'hangs.js', '--ignore-robots', '--processes', '2'], {
      folder,
      env,
      meanwhile: (child) => {
        void expect
          .poll(last, { timeout: 15_000 })
          .toEqual(['STATUS', 'STATUS', 'STATUS'])
          .finally(() => {
            // The first asks, the second insists, the third kills what hangs.
            const insisting = setInterval(() => child.kill('SIGTERM'), 300)
            child.once('exit', () => clearInterval(insisting))
          })
      },
    })
    site.close()

    expect(service.heard.flat()).toContain('WATCHDOG=1')
  })

  it('leaves the socket to nobody that a spider starts', async () => {
    using service = await manager()
    const env = { NOTIFY_SOCKET: service.socket, WATCHDOG_USEC: '2000000', PATH: process.env['PATH'] }

    const notice = ServiceNotice.of({ env, pid: 7, clock: systemClock(), tell: () => undefined })

    expect(notice?.watchdogMs).toBe(2_000)
    expect(Object.keys(env)).toEqual(['PATH'])
  })
})

describe('a notice', () => {
  it('is not given where nobody listens, and a watchdog of another process is not answered', () => {
    const clock = new VirtualClock()
    const parts = { pid: 7, clock, tell: () => undefined }

    expect(ServiceNotice.of({ ...parts, env: {} })).toBeUndefined()
    expect(
      ServiceNotice.of({ ...parts, env: { NOTIFY_SOCKET: '/s', WATCHDOG_USEC: '2000000', WATCHDOG_PID: '8' } })?.watchdogMs,
    ).toBeUndefined()
  })

  it('that cannot be given is said once, and costs nothing else', async () => {
    const told: string[] = []
    const env = { NOTIFY_SOCKET: '/nowhere', PATH: folder }
    const notice = ServiceNotice.of({ env, pid: 7, clock: systemClock(), tell: (line) => told.push(line) })

    notice?.ready()
    await expect.poll(() => told).toHaveLength(1)
    notice?.stopping()

    expect(told[0]).toMatch(/^the service manager cannot be told of this crawl: systemd-notify: .*ENOENT/)
  })
})

describe('a crawl that stands still', () => {
  const idle = { inFlight: 0, handlersRunning: 0 }
  const ready = { ...idle, hosts: [hostStatus({ waiting: 3 })] }

  it('is one whose hosts could go on and do not, for ten minutes', () => {
    const watch = new StallWatch()

    expect([0, 300_000, 599_999, 600_000].map((at) => watch.isStalled(crawlStatus(ready), at))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  it.each([
    ['is paused', { ...ready, phase: 'paused' as const }],
    ['waits for an answer', { ...ready, inFlight: 1 }],
    ['is in a handler', { ...ready, handlersRunning: 1 }],
    ['waits for its next round', { ...idle, hosts: [hostStatus({ waiting: 0 })] }],
    ['waits for a delay', { ...idle, hosts: [hostStatus({ waiting: 3, hold: { by: 'rate', why: 'delay', until: Infinity } })] }],
  ])('is none that %s', (_name, changes) => {
    const watch = new StallWatch()

    expect([0, 700_000, 3_600_000].map((at) => watch.isStalled(crawlStatus(changes), at))).toEqual([false, false, false])
  })

  it('is none that went on meanwhile', () => {
    const watch = new StallWatch()
    const { run } = crawlStatus()
    watch.isStalled(crawlStatus(ready), 0)

    expect(watch.isStalled(crawlStatus({ ...ready, run: { ...run, pages: run.pages + 1 } }), 600_000)).toBe(false)
    expect(watch.isStalled(crawlStatus({ ...ready, run: { ...run, pages: run.pages + 1 } }), 1_100_000)).toBe(false)
  })
})
