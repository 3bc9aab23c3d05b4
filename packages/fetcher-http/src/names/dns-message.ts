// Writes a question of the DNS and reads the addresses in its answer (RFC 1035 §4.1, RFC 3596): what a retry over TCP needs. Pure.
import { isIP } from 'node:net'

/** The number of the record type that is queried. */
export const RECORD = { A: 1, AAAA: 28 } as const

/** What an answer says. Rcodes: 0 no error, 2 server failure, 3 no such name, 5 refused. */
export interface DnsAnswer {
  readonly id: number
  readonly rcode: number
  readonly addresses: readonly string[]
  /** The shortest of all records; undefined without any. */
  readonly ttlSeconds: number | undefined
}

const HEADER_BYTES = 12
const CLASS_INTERNET = 1
const RECURSION_DESIRED = 0x01_00
/** Of an answer; more are a mistake. */
const MAX_RECORDS = 512

/** A question for the records of `type` of `name`, which must be a name that DNS can carry: labels of 1 to 63 bytes. */
export function writeQuestion(id: number, name: string, type: number): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label, 'latin1'))
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(RECURSION_DESIRED, 2)
  header.writeUInt16BE(1, 4)
  const tail = Buffer.from([0, 0, type, 0, CLASS_INTERNET])
  return Buffer.concat([header, ...labels.flatMap((label) => [Buffer.from([label.length]), label]), tail])
}

/** The addresses in an answer; undefined when it is no whole message. */
export function readAnswer(message: Buffer): DnsAnswer | undefined {
  if (message.length < HEADER_BYTES) return undefined
  try {
    let at = HEADER_BYTES
    for (let left = message.readUInt16BE(4); left > 0; left -= 1) at = afterName(message, at) + 4
    const records = Math.min(message.readUInt16BE(6), MAX_RECORDS)
    const addresses: string[] = []
    let ttlSeconds: number | undefined
    for (let left = records; left > 0; left -= 1) {
      const fields = afterName(message, at)
      const length = message.readUInt16BE(fields + 8)
      const data = message.subarray(fields + 10, fields + 10 + length)
      const address = addressOf(message.readUInt16BE(fields), data)
      if (isIP(address) !== 0) addresses.push(address)
      ttlSeconds = Math.min(ttlSeconds ?? Infinity, message.readUInt32BE(fields + 4))
      at = fields + 10 + length
    }
    return { id: message.readUInt16BE(0), rcode: message.readUInt16BE(2) & 15, addresses, ttlSeconds }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Where the name at `at` ends. A pointer ends it, and is not followed: nobody needs the name. */
function afterName(message: Buffer, start: number): number {
  let at = start
  for (let length = message.readUInt8(at); length !== 0; length = message.readUInt8(at)) {
    if (length >= 0xc0) return at + 2
    at += length + 1
  }
  return at + 1
}

function addressOf(type: number, data: Buffer): string {
  if (type === RECORD.A && data.length === 4) return data.join('.')
  if (type !== RECORD.AAAA || data.length !== 16) return ''
  return Array.from({ length: 8 }, (_, group) => data.readUInt16BE(group * 2).toString(16)).join(':')
}
