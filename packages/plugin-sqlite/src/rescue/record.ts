// SQLite's record format (sqlite.org/fileformat2.html §2.1), read without trust: what does not fit is no record.

/** A value of a record; blobs are views. Integers beyond 2^53, which no store has, are no values. */
export type Value = number | string | Buffer | null

/** A number of up to nine bytes, and where what comes after it begins. */
export interface Varint {
  readonly value: number
  readonly end: number
}

const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The variable-length integer at `at`; undefined where it does not end within `bytes`, or is greater than 2^53. */
export function varintAt(bytes: Buffer, at: number): Varint | undefined {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) return undefined
    value = value * 128 + (byte & 0x7f)
    if (!Number.isSafeInteger(value)) return undefined
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return undefined
}

/** The values of the record in `payload`; undefined where it is none. */
export function valuesOf(payload: Buffer): Value[] | undefined {
  const header = varintAt(payload, 0)
  if (header === undefined || header.value > payload.length || header.value < header.end) return undefined
  const values: Value[] = []
  let body = header.value
  for (let at = header.end; at < header.value;) {
    const type = varintAt(payload, at)
    if (type === undefined || type.end > header.value) return undefined
    const bytes = bytesOf(type.value)
    if (bytes === undefined || body + bytes > payload.length) return undefined
    const value = valueOf(type.value, payload.subarray(body, body + bytes))
    if (value === undefined) return undefined
    values.push(value)
    body += bytes
    at = type.end
  }
  return body === payload.length ? values : undefined
}

/** Floating point (7) is no type of any column. */
function bytesOf(type: number): number | undefined {
  if (type >= 12) return Math.floor((type - 12) / 2)
  return [0, 1, 2, 3, 4, 6, 8, undefined, 0, 0, undefined, undefined][type]
}

function valueOf(type: number, bytes: Buffer): Value | undefined {
  if (type === 0) return null
  if (type === 8 || type === 9) return type - 8
  if (type === 6) {
    const long = bytes.readBigInt64BE(0)
    return long === BigInt.asIntN(54, long) ? Number(long) : undefined
  }
  if (type < 6) return bytes.readIntBE(0, bytes.length)
  if (type % 2 === 0) return bytes
  try {
    return text.decode(bytes)
  } catch {
    return undefined
  }
}
