// The dice of a crawl: a pure function of its seed and of what is decided, so that chance commutes and survives a restart.

/**
 * A number in [0, 1) that depends on `text` alone: jitter needs an even spread and independence of like texts, not secrecy. FNV-1a over the characters,
 * then the finaliser of MurmurHash3, so that texts which differ in their last character are far apart; a tenth of what SHA-1 costs.
 */
export function chanceOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
