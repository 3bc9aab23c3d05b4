// A process that delivers items 1 to N to a table in small batches, to be killed: `deliverer.ts URL TABLE CRAWL ITEMS`. Prints a dot for each batch, and a line
// when it has ended.
import { postgres } from '@avocet/sink-postgres'
import { deliver, itemOf } from './deliver.ts'

const [url = '', table = '', id = '', count = '0'] = process.argv.slice(2)
const items = Array.from({ length: Number(count) }, (_, n) => itemOf(n + 1, { n: n + 1, name: `tea ${String(n + 1)}` }))
const sink = postgres({ url, table })
const telling: typeof sink = {
  ...sink,
  async write(batch) {
    await sink.write(batch)
    process.stdout.write('.')
  },
}
const { mark, failures } = await deliver(telling, items, { id, batchItems: 5 })
process.stdout.write(`${JSON.stringify({ mark, failures })}\n`)
