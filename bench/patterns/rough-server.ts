// The web of the contest on real sockets, in a process of its own: `node bench/patterns/rough-server.ts SEED SITES SCALE`.
//
// Its clock runs SCALE times as fast, and so do latencies, buckets, bans and what Retry-After means. Says its origins on a line; ends when
// its standard input does.
import { systemClock } from '@avocet/core/store'
import { startRoughWeb } from '@avocet/stress/rough-web'
import { contestWorld } from './world.ts'

const [seed = '', sites, scale] = process.argv.slice(2)
const model = contestWorld(seed, Number(sites))
const web = await startRoughWeb(model, { clock: systemClock({ scale: Number(scale) }) })
console.log(JSON.stringify(Object.fromEntries(model.hosts.map(({ name }) => [name, web.urlOf(name)]))))
process.stdin.resume().once('end', () => process.exit(0))
