// "Did you mean": the candidate that a mistyped word is nearest to.

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
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    const limit = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3))
    if (distance <= limit && distance < bestDistance) {
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
