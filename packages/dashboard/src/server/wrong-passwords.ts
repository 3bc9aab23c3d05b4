// Counts wrong passwords per client, so guessing locks out only the guesser.
//
// An IPv6 network of 64 bits counts as one: it is given to one customer, who may use all of its addresses. Who has more networks than are remembered may guess
// faster, which a password of any length bears.
import { isIPv6 } from 'node:net'

/** In a minute, before none is looked at. */
const MAX_WRONG = 10
const MINUTE_MS = 60_000
/** Senders that are remembered; of more, those that were wrong longest ago are forgotten. */
const MAX_SENDERS = 1_000

/** Those of the last minute. All moments are monotonic ms: a wall clock that is set back would make the minute an hour. */
export class WrongPasswords {
  /** By sender, in the order of the last one of each. */
  readonly #at = new Map<string, readonly number[]>()

  /** Whether no more are looked at now. */
  isTooMany(address: string, now: number): boolean {
    return this.#lately(senderOf(address), now).length >= MAX_WRONG
  }

  /** One more. */
  add(address: string, now: number): void {
    const sender = senderOf(address)
    const lately = [...this.#lately(sender, now), now]
    this.#at.delete(sender)
    this.#at.set(sender, lately)
    const [oldest] = this.#at.size > MAX_SENDERS ? this.#at.keys() : []
    if (oldest !== undefined) this.#at.delete(oldest)
  }

  #lately(sender: string, now: number): readonly number[] {
    return (this.#at.get(sender) ?? []).filter((at) => at > now - MINUTE_MS)
  }
}

/** `::ffff:192.0.2.7` is 192.0.2.7; of another IPv6 address the first half is what counts. */
function senderOf(address: string): string {
  const [bare = ''] = address.split('%')
  if (!isIPv6(bare)) return bare
  if (bare.includes('.')) return bare.slice(bare.lastIndexOf(':') + 1)
  const [before = '', after = ''] = bare.split('::')
  const first = before.split(':').filter((group) => group !== '')
  const last = after.split(':').filter((group) => group !== '')
  const zeros = bare.includes('::') ? Array.from({ length: 8 - first.length - last.length }, () => '0') : []
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
