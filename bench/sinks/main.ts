// Five sinks and kill -9: `npm run kills:sinks [-- --kills 200] [--store postgres] [--seed S] [--json]`. Fails unless every item is once in PostgreSQL and in
// each file, and at least once at the webhook.
import { toldOptions } from '../told-options.ts'
import { killedCrawl } from './killed-crawl.ts'

const { values } = toldOptions('kills:sinks', {
  options: {
    kills: { type: 'string', default: '200' },
    store: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: 'avocet' },
    json: { type: 'boolean', default: false },
  },
})
const kills = Number(values.kills)
if (!Number.isInteger(kills) || kills < 1) throw new Error(`expected --kills to be a whole number from 1, got ${values.kills}`)

const { store } = values
if (store !== 'sqlite' && store !== 'postgres') throw new Error(`expected --store to be sqlite or postgres, got ${store}`)

const startedAt = performance.now()
const { whileOpening, books } = await killedCrawl({
  kills,
  store,
  seed: values.seed,
  told: (n) => {
    if (n % 10 === 0) console.error(`${String(n)} kills, ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`)
  },
})
const { expected, refused, sinks, wrong } = books
if (values.json) console.log(JSON.stringify({ schema: 1, kills, store, whileOpening, ...books }))
else {
  console.table(sinks)
  console.log(`refused by the schema and set aside: ${String(refused.has)} of ${String(refused.expected)}`)
  for (const what of wrong) console.log(`WRONG: ${what}`)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  console.log(
    `${wrong.length === 0 ? 'PASS' : 'MISS'}: ${String(kills)} kills on ${store} (${String(whileOpening)} before the first request), ${String(expected)} items, ${seconds} s`,
  )
}
process.exitCode = wrong.length === 0 ? 0 : 1
