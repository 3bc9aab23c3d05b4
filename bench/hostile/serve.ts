// The hostile web in a process of its own, so that what it costs to make a bomb is not counted for the crawl. Speaks over IPC: `bench/hostile/processes.ts`.
import { HOSTILE_FLOODS, HOSTILE_ROWS, startHostileWeb, type HostileAccount, type HostilePlan } from '@avocet/stress/hostile'

/** What this process says. */
export type Served = { readonly plan: HostilePlan } | { readonly account: HostileAccount }

const names = new Set(process.argv.slice(2))
const rows = [...HOSTILE_ROWS, ...HOSTILE_FLOODS].filter(({ name }) => names.has(name))
const web = await startHostileWeb(rows)
const say = (what: Served): void => void process.send?.(what)
process.on('message', () => say({ account: web.account() }))
process.on('disconnect', () => process.exit(0))
say({ plan: web.plan })
