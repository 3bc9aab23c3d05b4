// "Did you mean": the candidate that a mistyped word is nearest to.

/** Of a word: ten thousand candidates take less than a second. */
const MOST_LETTERS = 100

/**
 * The candidate with the smallest edit distance to `word`, or undefined when none is near enough to be meant.
 *
 * Near enough is a third of the longer word's letters, at least one, so that `foo` does not suggest `out`.
 *
 * @example
 * ```ts
 * closest('conccurency', ['concurrency', 'config']) // 'concurrency'
 * ```
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const limit = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3))
    const distance = distanceWithin(word.toLowerCase(), candidate.toLowerCase(), Math.min(limit, bestDistance - 1))
    if (distance !== undefined) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/**
 * ` (did you mean 'x'?)`, or nothing when no candidate is near.
 *
 * @example
 * ```ts
 * didYouMean('identiy', ['identity']) // " (did you mean 'identity'?)"
 * ```
 */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const candidate = closest(word, candidates)
  return candidate === undefined ? '' : ` (did you mean '${candidate}'?)`
}

/** The edit distance; undefined when it is above `limit`, and of long words, whose comparison takes their product. */
function distanceWithin(a: string, b: string, limit: number): number | undefined {
  if (Math.abs(a.length - b.length) > limit || Math.max(a.length, b.length) > MOST_LETTERS) return undefined
  const distance = editDistance(a, b)
  return distance <= limit ? distance : undefined
}

/** Optimal string alignment distance: insert, delete, replace, swap neighbours, each 1 (Damerau 1964). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let distance = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1)
      row.push(distance)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
