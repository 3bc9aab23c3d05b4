// Five common patterns of crawling many sites, two common limiters, and Avocet, on one web of 800 sites with 20 pages each, in one run.
//
// Usage: npm run bench:patterns -- [--seeds 1] [--sites 800] [--only NAME,…] [--json]
// The web: 60 % of the sites answer in 0.2–0.8 s, 25 % in 0.8–3 s, 10 % in 3–15 s, 5 % are dead; a quarter has a token bucket, ten ban for ten
// minutes. URLs come clustered, as links do. On virtual time.
// What this web lacks: sites that get slow under many requests at once, and the client's own DNS and TLS; so `gather` (28,000 ports are its
// only limit) and `host lock` look better here than they are. Makespan: until the last page of a live host is there; "never" when pages
// were lost. T*: what a clairvoyant client needs with as many slots. A page counts once; who never retries loses what was refused.
import { contest, type Figures } from './contest.ts'
import { CONTESTANTS, type Contestant } from './contestants.ts'
import { table } from './table.ts'
import { contestWorld } from './world.ts'
import { toldOptions } from '../told-options.ts'

const { values } = toldOptions('bench:patterns', {
  options: {
    seeds: { type: 'string', default: '1' },
    sites: { type: 'string', default: '800' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})
const wanted = values.only.split(',').filter((word) => word !== '')
const chosen = CONTESTANTS.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
const figures = new Map<Contestant, Figures[]>()
for (let seed = 1; seed <= Number(values.seeds); seed++) {
  const model = contestWorld(`patterns-${String(seed)}`, Number(values.sites))
  for (const contestant of chosen) {
    const one = await contest(contestant, model)
    console.error(`seed ${String(seed)}, ${contestant.name}: ${one.wallSeconds.toFixed(1)} s`)
    figures.set(contestant, [...(figures.get(contestant) ?? []), one])
  }
}
if (values.json) console.log(JSON.stringify({ schema: 1, runs: [...figures.values()].flat() }))
else console.log(table([...figures.values()]))
