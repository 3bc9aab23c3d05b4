// What is done to which crawl: first each point once, then whatever the seed brings.
import { pick, seeded } from '@avocet/simulator'
import type { Chain, Hit, Measure } from './chain.ts'
import type { Deed, Shot, Work } from './job.ts'
import { POINTS, type Door } from './points.ts'

const FAULTS: Readonly<Record<Door, readonly Deed[]>> = {
  statement: ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_BUSY'],
  file: ['ENOSPC', 'EIO', 'EACCES'],
  station: ['interrupt'],
}

/** Of a hundred chains, so many are of each work. */
const SHARES: readonly (readonly [Work, number])[] = [
  ['crawl', 74],
  ['rejects', 3],
  ['retry', 7],
  ['share', 5],
  ['again', 3],
  ['asked', 6],
  ['index', 1],
]

/** Chains whose processes die by SIGKILL; of the others the files are copied at that moment, which is five times as quick. */
const REALLY_KILLED = 0.05

/** One kill at `point`. */
function killAt(point: string, when: Shot['when'] = 'before', nth = 1): Shot {
  return { point, nth, when, deed: 'kill', forEver: false, rollsBack: false }
}

/** How each point is met once. */
export interface Covering {
  /** Every how-many-eth chain ends its process by SIGKILL; the others cut it. */
  readonly killEach: number
  /** Before each write and after it; otherwise the one or the other. */
  readonly both: boolean
}

/** Chains that end a process at each point, in the middle of its work. */
export function coveringChains({ killEach, both }: Covering, measure: Measure): Chain[] {
  const ends = Object.entries(POINTS).flatMap(([point, how], index) => {
    const whens = how.door === 'station' ? (['before'] as const) : (['before', 'after'] as const)
    return (both ? whens : whens.slice(index % whens.length).slice(0, 1)).map((when) => ({ point, how, when }))
  })
  return ends.map(({ point, how: { work, after = [], rewound, failing }, when }, index) => {
    const before: Hit[] = after.map((earlier) => ({ shots: [killAt(earlier)] }))
    const reached = after.length > 0 ? 1 : (measure.get(work)?.reached[point] ?? 1)
    const fault: Shot[] =
      failing === undefined
        ? []
        : [{ point: failing, nth: 1, when: 'before', deed: 'SQLITE_FULL', forEver: false, rollsBack: false }]
    const last = { shots: [...fault, killAt(point, when, Math.ceil(reached / 2))], ...(rewound && { rewound }) }
    return { name: `${when} ${point}`, work, hits: [...before, last], kills: index % killEach === 0 }
  })
}

/** What the torture has found, for good: faults that ended a crawl with exit code 1. */
export const FOUND: readonly Chain[] = ['in-progress remove', 'lock remove'].map((point) => {
  const shot: Shot = { point, nth: 1, when: 'before', deed: 'EACCES', forEver: true, rollsBack: false }
  return { name: `fault at ${point}`, work: 'crawl', hits: [{ shots: [shot] }], kills: false }
})

/** The `index`-th chain of a seed. */
export function seededChain(seed: string, index: number, measure: Measure): Chain {
  const chance = seeded('torture', seed, index)
  let drawn = 0
  const next = (): number => chance(drawn++)
  const work = workOf(next() * 100)
  const reached: Readonly<Record<string, number>> = measure.get(work)?.reached ?? {}
  const points = Object.keys(reached).filter((point) => Object.hasOwn(POINTS, point))
  const count = work === 'share' || work === 'index' ? 1 : 2 + Math.floor(next() * 8)
  const hits = Array.from({ length: count }, (): Hit => {
    const point = pick(points, chance, drawn++)
    const { door } = POINTS[point] ?? { door: 'station' }
    // Visits are due at fixed moments: a fault that is waited for would cost some.
    const deed = work === 'again' || next() < 0.7 ? 'kill' : faultAt(point, pick(FAULTS[door], chance, drawn++))
    // Early ones more often: a life that comes after others has less to do.
    const nth = 1 + Math.floor((reached[point] ?? 1) * next() ** 3)
    const when = door === 'station' || deed !== 'kill' || next() < 0.5 ? 'before' : 'after'
    const fault = deed !== 'kill' && deed !== 'interrupt'
    const shot = { point, nth, when, deed, forEver: fault && next() < 0.5, rollsBack: fault && next() < 0.5 } as const
    // A fault, and then death: what was to be made good is not.
    const shots = fault && next() < 0.3 ? [shot, killAt(pick(points, chance, drawn++), 'before', nth)] : [shot]
    return { shots, ...(work === 'crawl' && next() < 0.02 && { rewound: true }) }
  })
  // Two processes at once must be two.
  return { name: `chain ${String(index)}`, work, hits, kills: work === 'share' || next() < REALLY_KILLED }
}

/** What can go wrong there: a rollback cannot fail, and only writes are cut short. */
function faultAt(point: string, deed: Deed): Deed {
  if (point === 'rollback') return 'kill'
  return point === 'output write' && deed === 'EACCES' ? 'short' : deed
}

function workOf(share: number): Work {
  let left = share
  for (const [work, of] of SHARES) {
    left -= of
    if (left < 0) return work
  }
  return 'crawl'
}
