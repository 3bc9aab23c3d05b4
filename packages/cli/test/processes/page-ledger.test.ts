// How the pages of `--max-pages` are shared by processes that take and handle them in any order.
import { describe, expect, it } from 'vitest'
import { GrantedPages } from '../../src/processes/granted-pages.ts'
import { PageLedger } from '../../src/processes/page-ledger.ts'

/** A process with so many slots. It begins what it may as soon as it may, as an engine does, while it has work. */
class Handling {
  inFlight = 0
  handled = 0
  readonly grant: GrantedPages
  readonly ledger: PageLedger
  readonly number: number
  #slots = 0

  constructor(ledger: PageLedger, number: number) {
    this.ledger = ledger
    this.number = number
    this.grant = new GrantedPages(ledger.begun(number), (message) => {
      if (message.kind === 'gave-back') ledger.gaveBack(number, message.pages)
      else ledger.short(number, message.handled)
    })
    this.grant.begin({ inUse: () => this.inFlight + this.handled, handled: () => this.handled, changed: () => this.#go() })
  }

  /** Has work for so many slots from now on. Returns what is in flight. */
  begin(slots: number): number {
    this.#slots = slots
    this.#go()
    return this.inFlight
  }

  end(): void {
    const pages = this.inFlight
    this.handled += pages
    this.inFlight = 0
    this.ledger.handled(this.number, this.handled)
    this.ledger.committing(this.number, pages)
    this.ledger.committed(this.number, pages)
  }

  #go(): void {
    while (this.inFlight < this.#slots && this.inFlight + this.handled < this.grant.pages) this.inFlight++
    if (this.inFlight < this.#slots && !this.grant.isSpent) this.grant.runShort()
  }
}

/** Processes of one ledger. */
function processes(maxPages: number, count: number): { all: Handling[]; ledger: PageLedger; isSpent: () => boolean } {
  let isSpent = false
  const all: Handling[] = []
  const of = (number: number): GrantedPages | undefined => all.find((one) => one.number === number)?.grant
  const ledger = new PageLedger(maxPages, {
    grant: (number, pages) => of(number)?.granted(pages),
    takeBack: (number) => of(number)?.giveBack(),
    spent: () => (isSpent = true),
  })
  for (let number = 1; number <= count; number++) all.push(new Handling(ledger, number))
  return { all, ledger, isSpent: () => isSpent }
}

describe('pages that processes share', () => {
  it.each([1, 2, 7, 100, 1_999])('are handled %i times in all, whoever is quicker', (maxPages) => {
    const { all, isSpent } = processes(maxPages, 3)

    for (let round = 0; !isSpent() && round < 2_000; round++)
      for (const one of all) {
        one.begin(one.number * 2)
        one.end()
      }

    expect(isSpent()).toBe(true)
    expect(all.reduce((sum, { handled }) => sum + handled, 0)).toBe(maxPages)
  })

  it('go to the one that can go on, where others do not use theirs', () => {
    const { all, isSpent } = processes(100, 4)
    const [, , third] = all

    for (let round = 0; !isSpent() && round < 200; round++) {
      third?.begin(5)
      third?.end()
    }

    expect(third?.handled).toBe(100)
  })

  it('are not taken from what is in flight', () => {
    const { all, isSpent } = processes(10, 2)
    const [first, second] = all
    const held = first?.begin(3) ?? 0

    for (let round = 0; round < 20; round++) {
      second?.begin(5)
      second?.end()
    }
    expect([held, second?.handled, isSpent()]).toEqual([3, 7, false])

    first?.end()
    expect(isSpent()).toBe(true)
  })

  it('come free where what was in flight has failed', () => {
    const { all, ledger } = processes(10, 2)
    const [first, second] = all
    first?.begin(3)
    for (let round = 0; round < 20; round++) {
      second?.begin(5)
      second?.end()
    }

    first?.begin(0)
    if (first) first.inFlight = 0
    ledger.serve()
    second?.end()

    expect(second?.handled).toBe(10)
  })

  it.each([
    ['none of those that it had in flight', [], 20],
    ['those that it had committed', [3], 17],
    ['also those that it was about to commit: nobody knows whether it has', [3, 2], 15],
  ])('are as many in all when a process dies, which has used %s', (_, [committed, committing], left) => {
    const { all, ledger, isSpent } = processes(20, 2)
    const [first, second] = all
    first?.begin(4)
    if (committed !== undefined) {
      ledger.committing(1, committed)
      ledger.committed(1, committed)
    }
    if (committing !== undefined) ledger.committing(1, committing)
    ledger.died(1)

    for (let round = 0; round < 20; round++) {
      second?.begin(5)
      second?.end()
    }

    expect(second?.handled).toBe(left)
    expect(isSpent()).toBe(true)
  })

  it('are left for one that is started again where the last of them were handled, and lost before they were committed', () => {
    const { all, ledger, isSpent } = processes(3, 1)
    const [only] = all
    only?.begin(2)
    only?.end()
    ledger.handled(1, 3)
    const wasSpent = isSpent()
    ledger.died(1)

    expect(wasSpent).toBe(true)
    expect(new Handling(ledger, 1).begin(3)).toBe(1)
  })

  it('are granted to that one until all are handled, though all were handled before that death', () => {
    const { all, ledger } = processes(4, 1)
    const [only] = all
    only?.begin(2)
    only?.end()
    ledger.handled(1, 4)
    ledger.died(1)

    const again = new Handling(ledger, 1)
    all.splice(0, 1, again)
    for (let round = 0; round < 5; round++) {
      again.begin(2)
      again.end()
    }

    expect(again.handled).toBe(2)
  })

  it('are said to be none to a process that runs short after all were told', () => {
    let told = 0
    const ledger = new PageLedger(2, { grant: () => {}, takeBack: () => {}, spent: () => void told++ })
    ledger.begun(1)
    ledger.handled(1, 2)
    ledger.begun(2)

    ledger.short(2, 0)

    expect(told).toBe(2)
  })

  it('are none for a process that is started again once all are handled', () => {
    const { all, ledger, isSpent } = processes(4, 1)
    const [only] = all
    for (let round = 0; round < 10 && !isSpent(); round++) {
      only?.begin(2)
      only?.end()
    }

    ledger.died(1)

    expect(new Handling(ledger, 1).begin(1)).toBe(0)
  })
})
