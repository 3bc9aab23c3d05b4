// A time in which failures of one kind are ours: from the verdict until something works, or until it was probed for long enough in vain.
//
// The end matters: a crawl of dead hosts looks like a dead network, and would be kept alive for ever. After an hour in which the last twenty
// hosts that were asked (or all, if there are fewer) failed alike, failures count as the hosts' again, until something works.
import { formatDuration } from '../values/duration-text.ts'

const HOUR_MS = 3_600_000
const ENOUGH_HOSTS = 20

/** Trouble of one kind. */
export class Trouble {
  /** Epoch ms; undefined = there is none. */
  #since: number | undefined
  /** Hosts that failed since, at most twenty. */
  readonly #failed = new Set<string>()
  /** It lasted for too long to be an excuse. */
  isSpent = false

  get isOn(): boolean {
    return this.#since !== undefined && !this.isSpent
  }

  begin(hostKey: string, now: number): void {
    this.#since = now
    this.#failed.add(hostKey)
  }

  /** Whether the failure of one more host is still excused; `hosts`: how many the crawl holds. */
  excuses(hostKey: string, { now, hosts }: { readonly now: number; readonly hosts: number }): boolean {
    if (this.#failed.size < ENOUGH_HOSTS) this.#failed.add(hostKey)
    if (now - (this.#since ?? now) >= HOUR_MS && this.#failed.size >= Math.min(ENOUGH_HOSTS, hosts)) this.isSpent = true
    return !this.isSpent
  }

  /** Something worked. */
  end(): void {
    if (this.#since === undefined) return
    this.#since = undefined
    this.#failed.clear()
    this.isSpent = false
  }
}

const FIRST_REST_MS = 1_000
const LONGEST_REST_MS = 60_000
/** The oldest are forgotten beyond this. */
const MAX_HOSTS = 1_000

/** A row of excuses of one host. */
interface Row {
  times: number
  /** Epoch ms of the first. */
  readonly since: number
}

/**
 * How often in a row each host was excused: its failure not counted, because it may be ours. Bounded, so that no excuse lasts for ever. An answer of the
 * host ends the row. While it lasts the host rests after each excuse, 1 s doubling to 60 s, and everybody else goes on.
 */
export class Excuses {
  readonly #rows = new Map<string, Row>()

  /** Excuses of this host in a row, and since when; `now` when there is none. */
  of(hostKey: string, now: number): { readonly times: number; readonly since: number } {
    return this.#rows.get(hostKey) ?? { times: 0, since: now }
  }

  /** Excuses the host once more; returns until when (epoch ms) it rests. */
  give(hostKey: string, now: number): number {
    const row = this.#rows.get(hostKey) ?? { times: 0, since: now }
    row.times++
    this.#rows.set(hostKey, row)
    const oldest = this.#rows.size > MAX_HOSTS ? this.#rows.keys().next().value : undefined
    if (oldest !== undefined) this.#rows.delete(oldest)
    return now + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (row.times - 1))
  }

  /** The host answered. */
  end(hostKey: string): void {
    if (this.#rows.size > 0) this.#rows.delete(hostKey)
  }
}

type WaitedFor = 'credentials' | 'proxies' | 'browser'

/** What a crawl waits for that a person may have to mend: how long at least, beside its patience, and in what words. */
const WAITED_FOR: Readonly<Record<WaitedFor, { readonly leastMs: number; words(lasted: string): string }>> = {
  credentials: {
    leastMs: 0,
    words: (lasted) =>
      `proxies, which have done nothing but refuse our credentials for ${lasted}; correct the user name and password in their URLs`,
  },
  // Without credentials to correct, they may come back by themselves.
  proxies: { leastMs: HOUR_MS, words: (lasted) => `proxies, which have not worked for ${lasted}` },
  browser: {
    leastMs: 0,
    words: (lasted) => `a browser, and none has started for ${lasted}; install one, or correct executablePath`,
  },
}

/** Since when all exchanges that end are lost to proxies, or to a browser that does not start. */
export class Lost {
  /** Epoch ms. */
  readonly #since = new Map<string, number>()

  /** One more is lost to it. */
  to(what: WaitedFor, now: number): void {
    if (!this.#since.has(what)) this.#since.set(what, now)
  }

  /** One ended that was not lost; `to` this, where that is all that it says. */
  not(to?: WaitedFor): void {
    if (to !== undefined) this.#since.delete(to)
    else if (this.#since.size > 0) this.#since.clear()
  }

  /** Why it is in vain to go on waiting; undefined: it is not. */
  hopelessAt(now: number, patienceMs: number): string | undefined {
    for (const [what, { leastMs, words }] of Object.entries(WAITED_FOR)) {
      const lostMs = now - (this.#since.get(what) ?? Infinity)
      if (lostMs >= Math.max(leastMs, patienceMs)) return `all that is left waits for ${words(formatDuration(lostMs))}`
    }
    return undefined
  }
}

// The last word of each host within a span of time: a sliding window over hosts.
//
// A word is noted with every answer and looked at with few failures, so noting writes two fields and counting goes over all hosts. Hosts that
// said nothing within the span are forgotten whenever twice as many are kept as were left the last time.

/** Hosts kept before the first look at who can be forgotten. */
const FEW = 64

/** What hosts said in the last `spanMs`. */
export class RecentHosts<Word> {
  readonly #spanMs: number
  readonly #last = new Map<string, { at: number; word: Word }>()
  #most = FEW

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  /** The words of the hosts within the span that ends `now`. */
  words(now: number): readonly Word[] {
    const words: Word[] = []
    for (const { at, word } of this.#last.values()) if (this.#isRecent(at, now)) words.push(word)
    return words
  }

  /** A host's word replaces the one before. */
  note(hostKey: string, word: Word, now: number): void {
    const known = this.#last.get(hostKey)
    if (known === undefined) this.#add(hostKey, word, now)
    else {
      known.at = now
      known.word = word
    }
  }

  #add(hostKey: string, word: Word, at: number): void {
    this.#last.set(hostKey, { at, word })
    if (this.#last.size <= this.#most) return
    for (const [key, known] of this.#last) if (!this.#isRecent(known.at, at)) this.#last.delete(key)
    this.#most = Math.max(FEW, 2 * this.#last.size)
  }

  #isRecent(at: number, now: number): boolean {
    return at > now - this.#spanMs
  }
}
