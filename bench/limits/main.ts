// Self-stabilisation: 80 hosts with token buckets that nobody tells us about, on real sockets; how much of what they give do we take?
//
// Usage: npm run bench:limits -- [--world L|H|both] [--virtual] [--seconds N] [--hosts] [--json]
// World L: rates 0.2 to 10 a second, 50 s; world H: 1 to 50 a second, 60 s. Cold start included; 200 slots; the server is another process.
// The default plugins, with ceilings for one host of 200 requests a second and 32 in flight (the fastest need ten). Useful share = good pages
// / (sum of rates × time); the buckets are full at the beginning, which gives at most 0.02 on top. --virtual: the same on virtual time, in
// seconds and the same each time: what differs then is due to sockets and CPU, the rest to law and scheduler.
import { polite } from '@avocet/preset-polite'
import { runReal, runVirtual, type LimitsFigures } from './run.ts'
import type { WorldName } from './worlds.ts'
import { toldOptions } from '../told-options.ts'

const { values } = toldOptions('bench:limits', {
  options: {
    world: { type: 'string', default: 'both' },
    seconds: { type: 'string' },
    virtual: { type: 'boolean', default: false },
    hosts: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})

/** Least useful share and most refusals: of world L over all its time, of world H from second 20 on. */
const BARS = { L: { share: 0.95, refused: 0.03 }, H: { share: 0.9, refused: 0.015 } } as const

const names: readonly WorldName[] = values.world === 'L' || values.world === 'H' ? [values.world] : ['L', 'H']
const runs: LimitsFigures[] = []
for (const name of names) {
  console.error(`world ${name} …`)
  runs.push(
    await (values.virtual ? runVirtual : runReal)(
      name,
      polite({ robots: false, rate: { maxRps: 200, maxInFlight: 32 } }),
      values.seconds === undefined ? undefined : Number(values.seconds),
    ),
  )
}
if (values.json) console.log(JSON.stringify({ schema: 1, runs, passed: runs.every(passes) }))
else for (const figures of runs) print(figures)
process.exitCode = runs.every(passes) ? 0 : 1

function passes(figures: LimitsFigures): boolean {
  const [share, refused] = judgedBy(figures)
  const bar = BARS[figures.world]
  return share >= bar.share && refused <= bar.refused && figures.givenUp === 0
}

function judgedBy(figures: LimitsFigures): readonly [share: number, refused: number] {
  return figures.world === 'L' ? [figures.usefulShare, figures.refusedRatio] : [figures.lateUsefulShare, figures.lateRefusedRatio]
}

function print(figures: LimitsFigures): void {
  const { world, seconds, capacityRps, hosts } = figures
  const bar = BARS[world]
  console.log(`world ${world}: ${capacityRps.toFixed(1)} requests/s in all, ${String(seconds)} s`)
  console.log(`  useful share ${figures.usefulShare.toFixed(3)}, 429s ${percent(figures.refusedRatio)}`)
  console.log(`  from second 20 on ${figures.lateUsefulShare.toFixed(3)}, 429s ${percent(figures.lateRefusedRatio)}`)
  console.log(`  by 5 s: ${figures.usefulShareBy5s.map((share) => share.toFixed(2)).join(' ')}`)
  console.log(`  mean of the hosts ${figures.meanHostUsefulShare.toFixed(3)}, worst host ${String(figures.worstRefused)} 429s`)
  console.log(
    `  given up ${String(figures.givenUp)}, CPU ${percent(figures.cpuRatio)}, server ${percent(figures.serverCpuRatio)}`,
  )
  console.log(
    `  ${passes(figures) ? 'PASS' : 'MISS'}: ${world === 'L' ? 'in all' : 'from second 20 on'} ≥ ${String(bar.share)} with ≤ ${percent(bar.refused)}, none given up`,
  )
  if (!values.hosts) return
  for (const host of hosts) {
    const shares = `${host.usefulShare.toFixed(2)} late ${host.lateUsefulShare.toFixed(2)}`
    const kind = `${host.rps.toFixed(2)} rps, ${host.latencyMs.toFixed(0)} ms${host.saysRetryAfter ? ', Retry-After' : ''}`
    console.log(`    ${shares} 429s ${String(host.refused).padStart(3)}  ${kind}`)
  }
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(1)} %`
}
