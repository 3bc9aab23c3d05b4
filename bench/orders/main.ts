// How soon an order of an operator is felt at the sites of a running crawl, and that no `kill -9` loses one.
//
// Usage: npm run bench:orders -- [--tries 10] [--json]. `avocet crawl` runs in a process of its own on an SQLite store, at sites on loopback that this process
// serves, each asked ten times a second. Each order is given by its command, in another process. What is measured is at the sites: from the end of the command
// until the last request arrives (pause, host pause, stop), until the first one does (resume, host resume), or until the last one that came sooner than the new
// limit allows (host set). The command is quick to end after it has written, so an order may be felt before: then the figure is below 0.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AvocetCommand } from '../move/avocet-command.ts'
import { toldOptions } from '../told-options.ts'
import { BAR_MS, ORDERS, orderRow, orderTable, type Order } from './figures.ts'
import { OrderedCrawl } from './ordered-crawl.ts'
import { tryOrders } from './tries.ts'

const { values } = toldOptions('bench:orders', {
  options: { tries: { type: 'string', default: '10' }, json: { type: 'boolean', default: false } },
})
const tries = Number(values.tries)
if (!Number.isSafeInteger(tries) || tries < 1 || tries > 100) {
  console.error(`bench:orders: expected --tries of 1 to 100, got ${values.tries}`)
  process.exit(2)
}

const folder = await mkdtemp(join(tmpdir(), 'avocet-bench-orders-'))
const crawl = await OrderedCrawl.of(tries + 1, new AvocetCommand(folder))
const [held = '', ...toLimit] = crawl.hostKeys
const found: Readonly<Record<Order, number>>[] = []
let isKept = false
try {
  for (const [n, limited] of toLimit.entries()) {
    const startedAt = performance.now()
    await crawl.start()
    found.push(await tryOrders(crawl, held, limited))
    console.error(`try ${String(n + 1)} of ${String(tries)}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  }
  isKept = await outlivesKill()
} finally {
  await crawl.close()
  await rm(folder, { recursive: true, force: true })
}
print()

/** Kills the crawl when a command has ended; its order is in the store then, and the next run carries it out. */
async function outlivesKill(): Promise<boolean> {
  await crawl.start()
  await crawl.order('host', 'pause', held)
  await crawl.gone('SIGKILL')
  const killedAt = crawl.now()
  const { hosts } = (await crawl.says('host', 'list')) as { readonly hosts: readonly { readonly hostKey: string }[] }
  const isListed = hosts.some(({ hostKey }) => hostKey === held)
  await crawl.start([held])
  return isListed && crawl.arrivals(held).every((at) => at <= killedAt)
}

function print(): void {
  const rows = ORDERS.map((order) =>
    orderRow(
      order,
      found.map((each) => each[order]),
    ),
  )
  const passed = isKept && rows.every(({ holds }) => holds)
  if (values.json) console.log(JSON.stringify({ schema: 1, rows, barMs: BAR_MS, outlivesKill: isKept, passed }))
  else {
    for (const line of orderTable(rows)) console.log(line)
    console.log(`${isKept ? 'PASS' : 'MISS'}: an order outlives kill -9 right after its command, and the next run follows`)
    console.log(`${passed ? 'PASS' : 'MISS'} (bar: ${String(BAR_MS)} ms)`)
  }
  process.exitCode = passed ? 0 : 1
}
