// A process that crawls a made-up site: page n links to 2n and 2n + 1 and has one item. Says on stdout what it holds, for other processes
// to compare. Arguments: the store, the number of pages, the hosts at once, and whether it crawls, waits for a second process and then
// crawls, or only holds what it leased first.
import { hash } from 'node:crypto'
import type { Fingerprint, NewRequest, CommitUnit, HostLease } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'

const [path = '', pageCount = '0', hostCount = '1', work = 'crawl'] = process.argv.slice(2)
const PAGES = Number(pageCount)
const HOSTS = 7

// Nobody here tries again, and the test machine may be slow.
const frontier = sqlite(path, { lockPatienceMs: 30_000 })
await frontier.open({ name: 'crawler', hostKeying: 'host' }, Date.now())
await frontier.add([pageOf(1)])
say({ what: 'open' })
while (work === 'pair' && (await frontier.reader.info()).liveProcesses < 2) await new Promise((resolve) => setTimeout(resolve, 2))

for (;;) {
  const { leases, heldElsewhere } = await frontier.lease({ now: Date.now(), hosts: Number(hostCount), requestsPerHost: 3 })
  for (const { hostKey, epoch } of leases) say({ what: 'held', hostKey, epoch })
  if (work === 'hold') await new Promise((resolve) => setTimeout(resolve, 60_000))
  if (leases.length === 0) {
    const { waiting } = await frontier.reader.counts()
    if (waiting === 0 && heldElsewhere === 0) break
    await new Promise((resolve) => setTimeout(resolve, 2))
    continue
  }
  const results = await frontier.commit(leases.flatMap(turnsOf))
  say({ what: 'committed', turns: results.filter(({ status }) => status === 'committed').length })
  for (const lease of leases) {
    say({ what: 'gave', hostKey: lease.hostKey, epoch: lease.epoch })
    await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
  }
}
await frontier.close()
say({ what: 'end' })

function turnsOf(lease: HostLease): CommitUnit[] {
  return lease.requests.map((request) => {
    const n = Number(new URL(request.url).pathname.slice(1))
    const links = [2 * n, 2 * n + 1].filter((next) => next <= PAGES).map(pageOf)
    const fetched = { at: Date.now(), status: 200, durationMs: 1, wireBytes: 100 }
    return {
      lease,
      requestId: request.id,
      outcome: { kind: 'done', fetched },
      links,
      items: [{ json: String(n) }],
      memory: { core: String(n) },
    }
  })
}

function pageOf(n: number): NewRequest {
  const hostKey = `h${n % HOSTS}.example`
  const url = `https://${hostKey}/${n}`
  const fingerprint = hash('sha1', url, 'binary').slice(0, 16) as Fingerprint
  return { fingerprint, hostKey, url, handler: 'start', depth: 0, priority: n % 3 }
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify({ ...line, at: performance.timeOrigin + performance.now() })}\n`)
}
