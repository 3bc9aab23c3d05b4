// What a fuzzed property is: a name, where its inputs come from, and what must hold of each of them.
//
// fast-check draws the inputs from a seed and shrinks one that fails, so a finding is told by its seed and its path, and is the same on every machine.
import * as fc from 'fast-check'

/** A property of the table. */
export interface Property {
  /** Kebab-case, as `--only` takes it. */
  readonly name: string
  /** The sentence that is tried to be shown untrue. */
  readonly what: string
  /** Inputs tried in `npm test`, and in each round of `npm run fuzz`: so many that it takes about a second. */
  readonly runs: number
  /** Tries inputs until one fails. */
  check(draw: Draw): Promise<Tried>
}

/** Which inputs are tried. */
interface Draw {
  readonly seed: number
  /** Default: the property's own. */
  readonly runs?: number
  /** Where a finding of this seed is. */
  readonly path?: string
  /** Told before each input: how many there were before it. */
  readonly began?: (index: number) => void
}

/** What came of it. */
export interface Tried {
  readonly runs: number
  readonly finding?: Finding
}

/** An input of which the property does not hold. */
export interface Finding {
  readonly property: string
  readonly seed: number
  /** Leads to the smallest input that was found. */
  readonly path: string
  /** As source text. */
  readonly input: string
  readonly error: string
}

/** Longest input and error that are told. */
const MAX_TOLD_CHARACTERS = 4_000

/** A property of the inputs of `arbitrary`: `holds` throws, or gives false, where it does not. */
export function property<Input>(
  about: Pick<Property, 'name' | 'what' | 'runs'>,
  arbitrary: fc.Arbitrary<Input>,
  holds: (input: Input) => void | boolean | Promise<void | boolean>,
): Property {
  return {
    ...about,
    async check({ seed, runs = about.runs, path, began }) {
      let index = 0
      const details = await fc.check(
        fc.asyncProperty(arbitrary, async (input) => {
          began?.(index++)
          const claim = await holds(input)
          return claim
        }),
        { seed, numRuns: runs, ...(path !== undefined && { path }) },
      )
      if (!details.failed) return { runs: details.numRuns }
      const input = cut(fc.stringify(details.counterexample?.[0]))
      const error = details.errorInstance === null ? 'it does not hold' : messageOf(details.errorInstance)
      const found = { property: about.name, seed: details.seed, path: details.counterexamplePath ?? '', input, error: cut(error) }
      return { runs: details.numRuns, finding: found }
    },
  }
}

/** The command that tries the input of a finding again. */
export function commandOf({ property: name, seed, path }: Finding): string {
  return `npm run fuzz -- --only ${name} --seed ${String(seed)}${path === '' ? '' : ` --path ${path}`}`
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
}

function cut(text: string): string {
  return text.length > MAX_TOLD_CHARACTERS ? `${text.slice(0, MAX_TOLD_CHARACTERS)}…` : text
}
