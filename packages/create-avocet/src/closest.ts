// "Did you mean": the candidate that a mistyped word is nearest to.

/** ` (did you mean 'basic'?)`, or nothing when no candidate is near: at most a third of the letters differ. */
export function didYouMean(word: string, candidates: readonly string[]): string {
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
