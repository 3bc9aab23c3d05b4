// Where the data of a gzip member begin: servers send several members, and garbage behind them.
const FLAG_HEADER_CRC = 2
const FLAG_EXTRA = 4
const FLAG_NAME = 8
const FLAG_COMMENT = 16
const FIXED_HEADER_BYTES = 10

/** Where the deflate data begin of the gzip member at `at`, or undefined when there is no whole gzip header. Source: RFC 1952 §2.3. */
export function gzipDataAt(input: Uint8Array, at: number): number | undefined {
  if (input.length < at + FIXED_HEADER_BYTES || input[at] !== 0x1f || input[at + 1] !== 0x8b || input[at + 2] !== 8)
    return undefined
  const flags = input[at + 3] ?? 0
  let offset = at + FIXED_HEADER_BYTES
  if ((flags & FLAG_EXTRA) !== 0) {
    if (offset + 2 > input.length) return undefined
    offset += 2 + (input[offset] ?? 0) + (input[offset + 1] ?? 0) * 256
  }
  for (const flag of [FLAG_NAME, FLAG_COMMENT]) {
    if ((flags & flag) === 0) continue
    const end = input.indexOf(0, offset)
    if (end < 0) return undefined
    offset = end + 1
  }
  return (flags & FLAG_HEADER_CRC) === 0 ? offset : offset + 2
}
