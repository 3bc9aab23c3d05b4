// Asks name servers for the addresses of one name: both families at once, for 7 s at most.
//
// c-ares does the work: it asks each server twice, turns to TCP by itself when an answer was cut, and holds no thread meanwhile.
//
// When one family is known, the other has 50 ms (RFC 8305 §3): many name servers never answer for the family that they do not have.
import type { Clock } from '@avocet/core/store'
import type { LookupAddress, RecordWithTtl, Resolver } from 'node:dns'
import type { Resolution } from '../lookup.ts'

/** Of all tries. */
const LIMIT_MS = 7_000
const OTHER_FAMILY_MS = 50

/** What is known of one family: addresses (perhaps none) with their time to live, or the code of why not. */
type Found = { readonly addresses: readonly LookupAddress[]; readonly ttlSeconds: number } | { readonly code: string }

/** c-ares' words for a name that does not exist, that has no such addresses, and that cannot exist. */
const MISSING: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])
/** Nobody answered. */
const SILENT: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECONNREFUSED'])
const SILENCE: Found = { code: 'ETIMEOUT' }

/** What to ask about: a name without a dot at its end. */
export interface DnsRequest {
  readonly name: string
  readonly clock: Clock
}

/** A question in progress. */
export class DnsQuestion {
  readonly #resolver: Resolver
  readonly #asked: DnsRequest
  readonly #answer: (resolution: Resolution) => void
  readonly #timers: Disposable[] = []
  #v4: Found | undefined
  #v6: Found | undefined
  #isOver = false

  /** Asks. Calls `answer` once, and not before this has returned. */
  constructor(resolver: Resolver, asked: DnsRequest, answer: (resolution: Resolution) => void) {
    this.#resolver = resolver
    this.#asked = asked
    this.#answer = answer
    this.#within(LIMIT_MS)
    resolver.resolve4(asked.name, { ttl: true }, (error, records) => {
      this.#v4 = error === null ? foundAmong(records, 4) : { code: error.code ?? 'EBADRESP' }
      this.#came()
    })
    resolver.resolve6(asked.name, { ttl: true }, (error, records) => {
      this.#v6 = error === null ? foundAmong(records, 6) : { code: error.code ?? 'EBADRESP' }
      this.#came()
    })
  }

  /** Nobody wants to know any more. */
  cancel(): void {
    this.#isOver = true
    this.#forgetTimers()
  }

  #came(): void {
    if (this.#v4 !== undefined && this.#v6 !== undefined) this.#end()
    else if (hasAddresses(this.#v4) || hasAddresses(this.#v6)) this.#within(OTHER_FAMILY_MS)
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#forgetTimers()
    const found = { v4: this.#v4 ?? SILENCE, v6: this.#v6 ?? SILENCE }
    this.#answer(resolutionOf(this.#asked.name, found, this.#resolver))
  }

  #within(ms: number): void {
    const { clock } = this.#asked
    this.#timers.push(clock.at(clock.now() + ms, () => this.#end()))
  }

  #forgetTimers(): void {
    for (const timer of this.#timers.splice(0)) timer[Symbol.dispose]()
  }
}

/** Whether an error says that there is no such name, rather than that nobody could tell. */
export function isMissing(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && MISSING.has(error.code)
}

/** Whether an error says that nobody answered. */
export function isSilence(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && SILENT.has(error.code)
}

interface Families {
  readonly v4: Found
  readonly v6: Found
}

function foundAmong(records: readonly RecordWithTtl[], family: 4 | 6): Found {
  const ttlSeconds = Math.min(...records.map(({ ttl }) => ttl))
  return { addresses: records.map(({ address }) => ({ address, family })), ttlSeconds }
}

function hasAddresses(found: Found | undefined): boolean {
  return found !== undefined && 'addresses' in found && found.addresses.length > 0
}

/** IPv4 first, for nearly every machine has a route for it, then by turns: so the first few have both families. */
function addressesOf({ v4, v6 }: Families): readonly LookupAddress[] {
  const [first, second] = [v4, v6].map((found) => ('addresses' in found ? found.addresses : []))
  const longest = Math.max(first?.length ?? 0, second?.length ?? 0)
  return Array.from({ length: longest }, (_, n) => [first?.[n], second?.[n]])
    .flat()
    .filter((address) => address !== undefined)
}

function resolutionOf(name: string, found: Families, resolver: Resolver): Resolution {
  const addresses = addressesOf(found)
  if (addresses.length > 0) {
    const ttls = [found.v4, found.v6].map((each) => ('ttlSeconds' in each ? each.ttlSeconds : Infinity))
    return { addresses, ttlMs: Math.min(...ttls) * 1_000 }
  }
  const codes = [found.v4, found.v6].map((each) => ('code' in each ? each.code : 'ENODATA'))
  const failed = codes.find((code) => !MISSING.has(code))
  const code = failed ?? (codes.includes('ENODATA') ? 'ENODATA' : codes[0])
  const message = failed === undefined ? `${name}: ${code}` : `${name}: ${code} from ${resolver.getServers().join(', ')}`
  return { error: Object.assign(new Error(message), { code }) }
}
