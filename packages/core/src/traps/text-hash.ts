// A text as one number of 31 bits: an FNV hash, by the units of the text.

const FNV_PRIME = 0x01_00_01_93

/** At least 0. */
export function textHash(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME) + 1
  return hash >>> 1
}
