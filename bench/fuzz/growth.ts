// Whether a parser takes time in proportion to its input: some text repeated, and twice as often.
//
// Measured in CPU time, which other processes change little, against a bound in the middle between linear and quadratic. Of several tries the quickest
// counts, so a pause of the machine fails nothing.

/** Below this there is nothing to see: quadratic time of so much input is seconds. */
const GLANCE_MS = 60
/** Between 2, which is linear, and 4. */
const MOST_RATIO = 3.2
const TRIES = 4
const CHARACTERS = 128 * 2 ** 10

/** What is repeated, and what stands around it. */
export interface Growing {
  readonly before: string
  readonly unit: string
  readonly after: string
}

/** What was not linear, in words; undefined when all was. */
export function superlinear(parse: (text: string) => unknown, { before, unit, after }: Growing): string | undefined {
  const textOf = (characters: number): string => before + unit.repeat(Math.ceil(characters / Math.max(1, unit.length))) + after
  const [once, twice] = [textOf(CHARACTERS), textOf(2 * CHARACTERS)]
  let [quickest, quickestTwice] = [Infinity, Infinity]
  for (let left = TRIES; left > 0; left--) {
    quickestTwice = Math.min(quickestTwice, cpuMs(parse, twice))
    if (quickestTwice < GLANCE_MS) return undefined
    quickest = Math.min(quickest, cpuMs(parse, once))
    if (quickestTwice < MOST_RATIO * quickest) return undefined
  }
  return `${String(CHARACTERS)} characters take ${String(quickest)} ms, twice as many ${String(quickestTwice)} ms`
}

function cpuMs(parse: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage()
  parse(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
