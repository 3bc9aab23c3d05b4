// `--max-pages` over several processes: messages reach the others at once, or late.
import type { CommitUnit, Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { SharedPages } from '../../src/processes/shared-pages.ts'

/** A process: what it may handle, and what it commits. */
class Process {
  readonly pages: SharedPages
  readonly #frontier: Frontier
  limit = Infinity
  committed = 0

  constructor(left: number, processes: number, told: (pages: number) => void) {
    this.pages = new SharedPages({ left, processes, send: (message) => message.kind === 'committed' && told(message.pages) })
    const commit: Frontier['commit'] = async (units) => units.map(() => ({ status: 'committed', added: 0 }) as never)
    this.#frontier = this.pages.told({ commit } as Frontier)
    this.pages.begin({ limitPages: (pages) => (this.limit = pages) })
  }

  /** Of what it may begin. */
  async commit(pages: number): Promise<void> {
    this.committed += pages
    await this.#frontier.commit(Array.from({ length: pages }, () => ({ outcome: { kind: 'done' } }) as CommitUnit))
  }

  get may(): number {
    return Math.max(0, this.limit - this.committed)
  }
}

describe('pages that several processes share', () => {
  it('are crawled by one alone, where the others have no hosts', async () => {
    let left = 100
    const first: Process = new Process(left, 4, (pages) => first.pages.left((left -= pages)))

    for (let steps = 0; first.may > 0 && steps < 1_000; steps++) await first.commit(first.may)

    expect([first.committed, first.limit]).toEqual([100, 0])
  })

  it('are exceeded by less than one for each process, where all have begun as many as they may', async () => {
    let left = 37
    const all: Process[] = Array.from({ length: 4 }, () => new Process(left, 4, (pages) => ((left -= pages), tell())))
    const tell = (): void => all.forEach(({ pages }) => pages.left(left))

    for (let steps = 0; steps < 100; steps++) {
      const begun = all.map(({ may }) => may)
      for (const [n, process] of all.entries()) if ((begun[n] ?? 0) > 0) await process.commit(begun[n] ?? 0)
    }

    const sum = all.reduce((pages, { committed }) => pages + committed, 0)
    expect(sum).toBeGreaterThanOrEqual(37)
    expect(sum).toBeLessThan(37 + 4)
  })

  it('are its share of what it knows to be left before it hears of the others, and one at least', async () => {
    const alone = new Process(10, 4, () => undefined)
    expect(alone.may).toBe(3)

    await alone.commit(3)
    expect(alone.may).toBe(2)
    alone.pages.left(1)
    expect(alone.may).toBe(1)
    alone.pages.left(0)
    expect(alone.limit).toBe(0)
  })
})
