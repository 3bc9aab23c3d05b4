// Bodies share the turns of the event loop: however many servers send as fast as they can, one turn reads so much, and others have theirs.
import { systemClock } from '@avocet/core/store'
import { ByteBudget } from '../src/byte-budget.ts'
import { describe, expect, it } from 'vitest'
import { BodyIntake, type Flow } from '../src/body-intake.ts'
import { ReadTurns } from '../src/read-turns.ts'

const MIB = 2 ** 20
const CHUNK = Buffer.alloc(64 * 2 ** 10)

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

/** A server that has sent `bytes`, of which it hands over chunks until it is told to stop, as a socket does. */
function flood(
  world: ConstructorParameters<typeof BodyIntake>[0],
  bytes: number,
  chunk: Buffer = CHUNK,
): { readonly intake: BodyIntake; readBytes: number; start(): void } {
  const intake = new BodyIntake(world, { waited() {}, paused() {}, failed() {} })
  let isPaused = false
  const flow: Flow = {
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      made.start()
    },
  }
  const made = {
    intake,
    readBytes: 0,
    start() {
      while (!isPaused && made.readBytes < bytes) {
        made.readBytes += chunk.length
        intake.add(chunk)
        intake.hold(flow, chunk.length)
      }
    },
  }
  return made
}

const worldWith = (budgetBytes: number): ConstructorParameters<typeof BodyIntake>[0] => ({
  clock: systemClock(),
  limits: {} as never,
  bodyBudget: new ByteBudget(budgetBytes),
  readTurns: new ReadTurns(systemClock()),
})

describe('a turn of the event loop', () => {
  it('reads so much of all bodies, and no more, however many servers flood it', async () => {
    const world = worldWith(2_048 * MIB)
    const floods = Array.from({ length: 40 }, () => flood(world, 2 * MIB))
    const total = (): number => floods.reduce((sum, { readBytes }) => sum + readBytes, 0)

    for (const each of floods) each.start()
    const inTurns = [total()]
    while (total() < 80 * MIB) {
      const before = total()
      await turn()
      inTurns.push(total() - before)
    }

    // 4 MiB, and of each that then stops the chunk that was read already.
    expect(Math.max(...inTurns)).toBeLessThanOrEqual(4 * MIB + 40 * CHUNK.length)
    expect(inTurns.length).toBeLessThan(40)
  })

  it('reads fewer bytes where they come one by one: each chunk counts as a KiB beside them', async () => {
    const drip = flood(worldWith(2_048 * MIB), MIB, Buffer.alloc(1))

    drip.start()
    const first = drip.readBytes
    await turn()

    expect(first).toBe(Math.ceil((4 * MIB) / 1_025))
    expect(drip.readBytes).toBe(2 * first)
    drip.intake.end()
  })

  it('asks the clock once', async () => {
    let asked = 0
    const turns = new ReadTurns({ ...systemClock(), monotonic: () => (asked += 1) })
    const moments: number[] = []
    for (let chunk = 0; chunk < 3; chunk++) {
      turns.read(1)
      moments.push(turns.now)
    }
    await turn()
    turns.read(1)

    expect([...moments, turns.now]).toEqual([1, 1, 1, 2])
  })

  it('does not have a body go on that waits for room', async () => {
    const world = worldWith(8 * MIB)
    world.bodyBudget.acquire(5 * MIB)
    const one = flood(world, 8 * MIB)

    one.start()
    for (let n = 0; n < 20; n++) await turn()
    const before = one.readBytes
    expect(one.intake.isWaiting).toBe(true)
    expect(before).toBeLessThan(2 * MIB)

    world.bodyBudget.release(5 * MIB)
    await turn()
    expect(one.readBytes).toBeGreaterThan(before)
  })

  it('says how long a body stopped for others, so that no limit of its server runs meanwhile', async () => {
    let now = 0
    const world = { ...worldWith(2_048 * MIB), clock: { ...systemClock(), monotonic: () => now } }
    const paused: number[] = []
    const intake = new BodyIntake(world, { waited() {}, paused: (ms) => paused.push(ms), failed() {} })
    let resumed = 0

    intake.hold({ pause() {}, resume: () => resumed++ }, 8 * MIB)
    now = 250
    await turn()

    expect(paused).toEqual([250])
    expect(resumed).toBe(1)
    intake.end()
  })

  it('forgets a body that has ended', async () => {
    const world = worldWith(2_048 * MIB)
    const first = flood(world, 64 * MIB)

    first.start()
    const before = first.readBytes
    first.intake.end()
    for (let n = 0; n < 5; n++) await turn()

    expect(first.readBytes).toBe(before)
    expect(world.bodyBudget.heldBytes).toBe(0)
  })
})
