// The budget of bytes by its protocol: who waits, who goes on, who is refused. No body, no socket.
import { describe, expect, it } from 'vitest'
import { ByteBudget, type Waiter } from '../src/byte-budget.ts'

/** A body that is told what to do. */
class Body implements Waiter {
  heldBytes = 0
  readonly told: string[] = []
  readonly #budget: ByteBudget

  constructor(budget: ByteBudget, bytes: number) {
    this.#budget = budget
    this.grow(bytes)
  }

  grow(bytes: number): void {
    this.#budget.acquire(bytes)
    this.heldBytes += bytes
  }

  end(): void {
    this.#budget.release(this.heldBytes)
    this.heldBytes = 0
  }

  goOn(): void {
    this.told.push('go on')
  }

  refuse(): void {
    this.told.push('refused')
    this.end()
  }
}

/** What was to be told in a microtask has been told. */
const told = (): Promise<void> => new Promise((next) => setImmediate(next))

// Of 934 bytes three quarters are used: 700.
describe('the byte budget', () => {
  it('lets a body go on while there is room for it twice more, so the larger waits before the smaller', () => {
    const budget = new ByteBudget(934)
    budget.acquire(400)
    const [small, large] = [new Body(budget, 50), new Body(budget, 101)]

    expect(budget.hasRoom(small.heldBytes)).toBe(true)
    expect(budget.hasRoom(large.heldBytes)).toBe(false)
    expect(budget.heldBytes).toBe(551)
  })

  it('keeps an eighth for bodies of usual size, however many endless ones fill the rest chunk by chunk', () => {
    const chunk = 64 * 2 ** 10
    for (const first of [0, 17]) {
      const budget = new ByteBudget(256 * 2 ** 20)
      // Some came first, when there was room for all that they sent, and are silent now.
      const silent = Array.from({ length: first }, () => new Body(budget, 9 * 2 ** 20))
      let growing = Array.from({ length: 100 }, () => new Body(budget, 0))
      while (growing.length > 0) {
        for (const body of growing) body.grow(chunk)
        growing = growing.filter(({ heldBytes }) => budget.hasRoom(heldBytes))
      }

      const healthy = Array.from({ length: 40 }, () => new Body(budget, chunk))
      expect(healthy.map(({ heldBytes }) => budget.hasRoom(heldBytes))).not.toContain(false)
      expect(silent.length).toBe(first)
      expect(budget.heldBytes).toBeLessThan(192 * 2 ** 20)
    }
  })

  it('takes pages of 16 KiB for small in a small budget, too', () => {
    const budget = new ByteBudget(2 ** 20)
    budget.acquire(0.75 * 2 ** 20 - 3 * 16 * 2 ** 10)
    const page = new Body(budget, 16 * 2 ** 10)

    expect(budget.hasRoom(page.heldBytes)).toBe(true)
  })

  it('lets a large body that is alone use what is kept for small ones', () => {
    const budget = new ByteBudget(256 * 2 ** 20)
    const body = new Body(budget, 64 * 2 ** 20)

    expect(budget.hasRoom(body.heldBytes)).toBe(true)
    expect(budget.couldHold(body.heldBytes)).toBe(true)
  })

  it('tells those that wait when room was made, never in the call that makes it', async () => {
    const budget = new ByteBudget(934)
    budget.acquire(500)
    const body = new Body(budget, 150)
    budget.wait(body)
    await told()
    expect(body.told).toEqual([])

    budget.release(400)
    expect(body.told).toEqual([])
    await told()
    expect(body.told).toEqual(['go on'])
    expect(budget.waiting).toBe(0)
  })

  it('refuses the largest, and then the next, when bodies that wait hold all that would let one of them go on', async () => {
    const budget = new ByteBudget(934)
    const bodies = [100, 130, 160, 190].map((bytes) => new Body(budget, bytes))
    for (const body of bodies) budget.wait(body)
    await told()

    // 120 are free: 190 are refused, then 310 let go on the one of 100, and with it the next two.
    expect(bodies.map(({ told: words }) => words.at(-1))).toEqual(['go on', 'go on', undefined, 'refused'])
    expect(budget.waiting).toBe(1)
    bodies[0]?.end()
    await told()
    expect(bodies[2]?.told).toEqual(['go on'])
  })

  it('refuses nobody while something that does not wait holds what they need', async () => {
    const budget = new ByteBudget(934)
    budget.acquire(400)
    const bodies = [new Body(budget, 120), new Body(budget, 120)]
    for (const body of bodies) budget.wait(body)
    await told()
    expect(bodies.map((body) => body.told)).toEqual([[], []])

    budget.release(400)
    await told()
    expect(bodies.map((body) => body.told)).toEqual([['go on'], ['go on']])
  })

  it('always ends the wait of a thousand bodies that each want more, and counts nothing afterwards', async () => {
    const budget = new ByteBudget(2 ** 20)
    const ends: string[] = []
    class Hungry extends Body {
      override goOn(): void {
        this.more()
      }

      override refuse(): void {
        super.refuse()
        ends.push('refused')
      }

      more(): void {
        this.grow(1_000)
        if (this.heldBytes >= 50_000) {
          this.end()
          ends.push('whole')
        } else if (budget.hasRoom(this.heldBytes)) this.more()
        else budget.wait(this)
      }
    }
    let most = 0
    const all = Array.from({ length: 1_000 }, () => new Hungry(budget, 0))
    for (const body of all) {
      body.more()
      most = Math.max(most, budget.heldBytes)
    }
    while (budget.waiting > 0) await told()

    expect(ends).toHaveLength(1_000)
    expect(ends.filter((end) => end === 'whole').length).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(2 ** 20)
    expect(budget.heldBytes).toBe(0)
  })

  it('forgets a body that ended by itself while it waited', async () => {
    const budget = new ByteBudget(934)
    const body = new Body(budget, 400)
    budget.wait(body)
    budget.leave(body)
    await told()
    expect(body.told).toEqual([])
    expect(budget.waiting).toBe(0)
  })

  it('lets a body go on that fits exactly, and takes one for too large only when it would not fit alone', () => {
    const budget = new ByteBudget(934)
    budget.acquire(500)

    expect([100, 101].map((bytes) => budget.hasRoom(bytes))).toEqual([true, false])
    expect([233, 234].map((bytes) => budget.couldHold(bytes))).toEqual([true, false])
  })

  it('refuses the last that waits once a smaller one has ended by itself, for nothing else would let it go on', async () => {
    const budget = new ByteBudget(934)
    budget.acquire(250)
    const [small, large] = [new Body(budget, 100), new Body(budget, 300)]
    budget.wait(small)
    budget.wait(large)
    await told()
    expect(large.told).toEqual([])

    small.end()
    await told()
    budget.leave(small)
    await told()

    expect(large.told).toEqual(['refused'])
  })
})
