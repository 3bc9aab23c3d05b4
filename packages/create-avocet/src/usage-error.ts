// What is wrong with the command line or the folder: one line for the user with what was probably meant, and the exit code that goes with it.

/** Exit codes as `avocet` has them: 2 the command line is wrong, 7 a file cannot be written, 69 this Node.js is too old. */
export type FailureExit = 2 | 7 | 69

/** Says what was expected, what came, what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly exit: FailureExit

  constructor(message: string, exit: FailureExit = 2) {
    super(message)
    this.exit = exit
  }
}

/** ` (did you mean 'basic'?)`, or nothing when no candidate is near: at most a third of the letters differ. */
export function suggestionFor(word: string, candidates: readonly string[]): string {
  const near = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3)))
    .sort((a, b) => a.distance - b.distance)
  return near[0] === undefined ? '' : ` (did you mean '${near[0].candidate}'?)`
}

/** Levenshtein 1966: insert, delete, replace, each 1. */
function editDistance(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i += 1) {
    const row = [i + 1]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    last = row
  }
  return last[b.length] ?? 0
}
