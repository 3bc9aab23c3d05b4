// The life of the processes of a crawl, on virtual time: processes are played by what they would say.
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { Crew } from '../../src/processes/crew.ts'
import type { FromWorker, ToWorker } from '../../src/processes/process-messages.ts'

/** One life of a process. */
interface Life {
  readonly told: string[]
  readonly isKilled: boolean
  says(message: FromWorker): void
  dies(how?: string): void
}

const OPENED: FromWorker = { kind: 'opened', resumed: false }
const ALIVE = { kind: 'alive', run: {} } as FromWorker
const FAILED: FromWorker = { kind: 'failed', error: { code: 'AVO_PLUGIN_OPEN', message: 'no database' } }
const ENDED = { kind: 'ended', report: {} } as unknown as FromWorker

function crewOf(count: number) {
  const clock = new VirtualClock()
  const lives: Life[] = []
  const lines: string[] = []
  const crew = new Crew({
    count,
    clock,
    startProcess: ({ heard, gone }) => {
      const told: string[] = []
      let isKilled = false
      lives.push({
        told,
        get isKilled() {
          return isKilled
        },
        says: heard,
        dies: (how = 'SIGKILL') => gone(how),
      })
      return {
        send: ({ kind }: ToWorker) => void told.push(kind),
        kill: () => (isKilled = true),
      }
    },
    partFor: () => ({ kind: 'abort' }),
    opened: () => undefined,
    heard: () => undefined,
    wrote: () => undefined,
    died: () => undefined,
    tell: (line) => void lines.push(line),
  })
  const run = crew.run()
  return { crew, clock, lives, lines, run }
}

describe('the processes of a crawl', () => {
  it('open the store after the first has', () => {
    const { lives } = crewOf(3)
    expect(lives.map(({ told }) => told.includes('open'))).toEqual([true, false, false])

    lives[0]?.says(OPENED)

    expect(lives.map(({ told }) => told.includes('open'))).toEqual([true, true, true])
  })

  it('are well while each that crawls is heard', async () => {
    const { crew, clock, lives } = crewOf(3)
    lives[0]?.says(OPENED)
    for (const life of lives.slice(1)) life.says(OPENED)
    lives[2]?.dies()
    await clock.advance(10_000)
    lives[0]?.says(ALIVE)

    expect([20_000, 5_000].map((ms) => crew.isWell(ms))).toEqual([true, false])
    lives[1]?.says(ALIVE)
    expect(crew.isWell(5_000)).toBe(true)
  })

  it('are waited for until all have ended', async () => {
    const { lives, run } = crewOf(2)
    lives[0]?.says(OPENED)

    for (const life of lives) {
      life.says(ENDED)
      life.dies('exit code 0')
    }

    expect(await run).toBeUndefined()
  })

  it('are started again at once, then after growing pauses, and not for ever', async () => {
    const { clock, lives, lines, run } = crewOf(2)
    lives[0]?.says(OPENED)
    const startedAt: number[] = []
    for (let death = 0; death < 10; death++) {
      lives.at(death === 0 ? 0 : -1)?.dies()
      startedAt.push(Math.round((await clock.run(soonest(clock, lives, 3 + death))) / 1_000))
    }

    expect(startedAt.slice(0, 5)).toEqual([0, 1, 2, 4, 8])
    expect(lines[0]).toBe('process 1 died (SIGKILL); starting it again')
    expect(lines[1]).toBe('process 1 died (SIGKILL); starting it again in 1.0 s')
    expect(lives[1]?.told).toContain('stop')
    lives[1]?.says(ENDED)
    lives[1]?.dies('exit code 0')
    expect((await run)?.code).toBe('AVO_PROCESS_LOST')
  })

  it('that cannot begin keep the crawl from beginning, in the words of the first', async () => {
    const { lives, lines, run } = crewOf(2)

    for (const life of lives) {
      life.says(FAILED)
      life.dies('exit code 0')
    }

    const error = await run
    expect([error?.code, error?.message]).toEqual(['AVO_PLUGIN_OPEN', 'no database'])
    expect([lines, lives.length]).toEqual([[], 2])
  })

  it('end together where one of them cannot begin, as with a port that is taken, and not where it began before', async () => {
    const { clock, lives, lines, run } = crewOf(2)
    lives[0]?.says(OPENED)
    lives[0]?.dies()
    await clock.advance(10)
    lives[2]?.says(FAILED)
    lives[2]?.dies('exit code 0')
    expect(lines.at(-1)).toContain('process 1 could not begin: no database; starting it again')
    lives[1]?.says(FAILED)
    lives[1]?.dies('exit code 0')

    expect((await run)?.code).toBe('AVO_PLUGIN_OPEN')
  })

  it('are killed where they say nothing for half a minute after a stop', async () => {
    const { crew, clock, lives, lines, run } = crewOf(2)
    lives[0]?.says(OPENED)
    crew.stop({ kind: 'stop' })
    await clock.advance(29_000)
    lives[0]?.says(ALIVE)
    await clock.advance(2_000)

    expect(lives.map(({ isKilled }) => isKilled)).toEqual([false, true])
    expect(lines).toEqual(['process 2 does not react, as in a handler or seeds that never return; killing it'])
    lives[1]?.dies()
    lives[0]?.says(ENDED)
    lives[0]?.dies('exit code 0')
    expect(await run).toBeUndefined()
  })

  it('are not started again after a stop', async () => {
    const { crew, lives, run } = crewOf(2)
    lives[0]?.says(OPENED)
    crew.stop({ kind: 'stop' })

    for (const life of lives) life.dies()

    await run
    expect(lives).toHaveLength(2)
  })
})

/** Ms until there are so many lives, a minute at most. */
async function soonest(clock: VirtualClock, lives: readonly Life[], count: number): Promise<number> {
  const from = clock.now()
  while (lives.length < count && clock.now() < from + 60_000)
    await new Promise<void>((done) => void clock.at(clock.now() + 100, () => done()))
  return clock.now() - from
}
