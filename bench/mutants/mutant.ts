// One way to break the code, as the list has it: a text that stands once in a file, and what stands there instead.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '..', '..')

/** What is broken in a file. */
interface Break {
  /** What the broken code does; unique in the list. */
  readonly name: string
  /** Stands exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** Test files, from the root, that notice together: some test in them fails. */
interface Noticed {
  readonly caughtBy: readonly string[]
}

/** Why no test can tell it from the code as it is. */
interface Harmless {
  readonly harmless: string
}

/** A way to break one file. */
export type Mutant = Break & { readonly file: string } & (Noticed | Harmless)

/** Ways to break `file`, noticed by the tests of `caughtBy`. */
export function caught(file: string, caughtBy: readonly string[], breaks: readonly Break[]): readonly Mutant[] {
  return breaks.map((one) => ({ ...one, file, caughtBy }))
}

/** Ways to break `file` that change nothing that anybody could see, each with its reason. */
export function harmless(file: string, breaks: readonly (Break & Harmless)[]): readonly Mutant[] {
  return breaks.map((one) => ({ ...one, file }))
}

/** The text of the file as `mutant` has it. Throws unless `find` stands in it exactly once: the code has changed, and the list has to follow. */
export function mutated({ name, file, find, replace }: Mutant): string {
  const parts = readFileSync(join(ROOT, file), 'utf8').split(find)
  if (parts.length === 2) return parts.join(replace)
  const times = String(parts.length - 1)
  throw new Error(
    `expected the text of mutant "${name}" once in ${file}, got it ${times} times; let the list follow the code: ${find}`,
  )
}
