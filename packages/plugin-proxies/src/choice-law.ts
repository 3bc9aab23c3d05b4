// Which of several proxies a host, or a session, uses: always the same one while it works, and the next best while it rests. Pure.
//
// Rendezvous hashing (Thaler and Ravishankar 1998): every pair of seat and proxy has a number, and the largest of those that may be used wins. So a proxy that
// rests moves only those that used it, evenly to all others, and they return to it.

/** The candidates for `seat` (a host, or a session), best first. */
export function ranked<Candidate extends { readonly id: string }>(
  candidates: readonly Candidate[],
  seat: string,
): readonly Candidate[] {
  if (candidates.length < 2) return candidates
  return candidates
    .map((candidate) => ({ candidate, weight: weightOf(`${seat}\n${candidate.id}`) }))
    .toSorted((a, b) => b.weight - a.weight || (a.candidate.id < b.candidate.id ? -1 : 1))
    .map(({ candidate }) => candidate)
}

/** FNV-1a, then the finaliser of MurmurHash3: an even spread for texts that differ in a character. */
function weightOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
