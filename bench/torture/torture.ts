// Runs chains, two at a time, until enough has happened; each point of the table first.
import { rmSync } from 'node:fs'
import { Nurse } from './child.ts'
import { run, unharmed, type Chain, type Measure, type Outcome, type Unharmed } from './chain.ts'
import { faultsIn } from './inspect.ts'
import type { Work } from './job.ts'
import { coveringChains, FOUND, seededChain, type Covering } from './plans.ts'
import { POINTS } from './points.ts'

const WORKS: readonly Work[] = ['crawl', 'again', 'asked', 'share', 'retry', 'rejects', 'many', 'index']

const THOROUGH: Covering = { killEach: 4, both: true }

/** What is wanted. */
export interface Wish {
  /** Kills and faults; each point is met once in any case. */
  readonly hits: number
  readonly seed: string
  /** Chains at once. */
  readonly parallel: number
  /** These alone, by name. */
  readonly only?: readonly string[]
  /** How each point is met first. Default: before and after each write, every fourth time by SIGKILL. */
  readonly covering?: Covering
  /** Looks at what each hit left, in its folder, and says what is wrong with it. */
  readonly look?: (folder: string) => Promise<readonly string[]>
  readonly told?: (outcome: Outcome, hits: number) => void
}

/** What came of it. */
export interface Tortured {
  readonly outcomes: readonly Outcome[]
  /** Points that no process was killed at. */
  readonly missed: readonly string[]
  /** Writes that are in no table. */
  readonly nameless: readonly string[]
}

/** Tortures. Throws when a crawl fails that nothing befalls. */
export async function torture({ hits, seed, parallel, only, covering = THOROUGH, look, told }: Wish): Promise<Tortured> {
  const measure = new Map<Work, Unharmed>()
  try {
    for (const work of WORKS) measure.set(work, await unharmed(work, measure))
    for (const { folder } of measure.values()) {
      const faults = await faultsIn(folder, { pages: false })
      if (faults.length > 0) throw new Error(`${folder} is wrong without any harm: ${faults.join(', ')}`)
    }
    const outcomes: Outcome[] = []
    const chains = only === undefined ? endless(seed, covering, measure) : named(only, seed, measure)
    const first = FOUND.length + coveringChains(covering, measure).length
    let happened = 0
    let begun = 0
    const worker = async (): Promise<void> => {
      const nurse = new Nurse()
      using _nurse = { [Symbol.dispose]: () => nurse.close() }
      while (only !== undefined || begun < first || happened < hits) {
        const { value: chain, done } = chains.next()
        if (done === true) return
        begun++
        const outcome = await run(chain, { measure, nurse, ...(look && { look }) })
        outcomes.push(outcome)
        happened += outcome.hits.length
        told?.(outcome, happened)
      }
    }
    await Promise.all(Array.from({ length: parallel }, worker))
    const killedAt = new Set(
      outcomes
        .flatMap(({ hits: each }) => each.flatMap(({ shots }) => shots.filter(({ deed }) => deed === 'kill')))
        .map(({ point }) => point),
    )
    return {
      outcomes,
      missed: only === undefined ? Object.keys(POINTS).filter((point) => !killedAt.has(point)) : [],
      nameless: [...new Set(outcomes.flatMap(({ nameless }) => nameless))],
    }
  } finally {
    for (const { folder } of measure.values()) rmSync(folder, { recursive: true, force: true })
  }
}

function* endless(seed: string, covering: Covering, measure: Measure): Generator<Chain, undefined> {
  yield* FOUND
  yield* coveringChains(covering, measure)
  for (let index = 0; ; index++) yield seededChain(seed, index, measure)
}

function* named(names: readonly string[], seed: string, measure: Measure): Generator<Chain, undefined> {
  for (const name of names) {
    const index = /^chain (\d+)$/.exec(name)?.[1]
    const chain =
      index === undefined
        ? [...FOUND, ...coveringChains(THOROUGH, measure)].find((each) => each.name === name)
        : seededChain(seed, Number(index), measure)
    if (chain === undefined)
      throw new Error(`expected --only "chain NUMBER", "before POINT", "after POINT" or "fault at POINT", got ${name}`)
    yield chain
  }
  return undefined
}
