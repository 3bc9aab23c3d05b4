// A sink in trouble: what is said of it, and that a process which was asleep opens it only where it still has it.
import { AvocetError, memoryFrontier } from 'avocet'
import { sink, SinkDown, type Sink } from '@avocet/core/sink'
import type { Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'

const SEEDS = [1, 2, 3, 4].map((n) => `http://shop.test/${n}`)
const SCRIPT = Object.fromEntries(SEEDS.map((url) => [url, {}]))

const runOf = (settings: { readonly sinks: readonly Sink[]; readonly frontier?: Frontier }): ReturnType<typeof run> =>
  run(SCRIPT, { spider: pathSpider(SEEDS), delayMs: 0, ...settings })

it('is behind, and ends no crawl, when it throws an error whose message is no text', async () => {
  const wrong = sink(
    () => {
      throw Object.assign(new Error(), { message: { code: 7 } })
    },
    { name: 'wrong' },
  )
  const { report } = await runOf({ sinks: [wrong] })

  expect(report.sinks).toMatchObject([{ behind: 4, setAside: 0, error: '{"code":7}' }])
  expect(report.error).toBeUndefined()
})

it('is behind with what it gathered and lost when it fails', async () => {
  const gathering: Sink = {
    name: 'gathering',
    write: () => ({ mark: { itemSeq: 0 } }),
    finish() {
      throw new Error('the disk is full')
    },
  }
  const { report } = await runOf({ sinks: [gathering] })

  expect(report.sinks).toMatchObject([{ written: 0, behind: 4, error: 'the disk is full' }])
})

it('is known to the store from the beginning, also when it has never worked', async () => {
  const frontier = memoryFrontier()
  let known: unknown
  const silent: Sink = {
    name: 'silent',
    async write() {
      known ??= await frontier.reader.sinks()
      throw new SinkDown('no answer')
    },
  }
  await runOf({ sinks: [silent], frontier })

  expect(known).toMatchObject([{ name: 'silent', written: 0, behind: expect.any(Number) }])
})

it('is not opened anew by a process that was asleep, while another one has it', async () => {
  const frontier = memoryFrontier()
  let [claims, opened] = [0, 0]
  const failing: Sink = {
    name: 'failing',
    open: () => void opened++,
    write() {
      throw new SinkDown('restarting')
    },
  }
  const { report } = await runOf({
    sinks: [failing],
    frontier: { ...frontier, sinks: { ...frontier.sinks, claim: async () => claims++ === 0 } },
  })

  expect(opened).toBe(1)
  expect(report.sinks).toMatchObject([{ name: 'failing', elsewhere: true }])
})

it('is opened at the mark that another process has left, by one that was asleep meanwhile', async () => {
  const frontier = memoryFrontier()
  const marks: unknown[] = []
  const failing: Sink = {
    name: 'failing',
    open: ({ mark }) => void marks.push(mark),
    write() {
      if (marks.length === 1) throw new SinkDown('restarting')
    },
  }
  const keep: Frontier['sinks']['keep'] = async (record) => {
    const isKept = await frontier.sinks.keep(record)
    if (record.trouble !== undefined) await frontier.sinks.keep({ name: 'failing', written: 1, mark: { itemSeq: 1 } })
    return isKept
  }
  await runOf({ sinks: [failing], frontier: { ...frontier, sinks: { ...frontier.sinks, keep } } })

  expect(marks).toEqual([undefined, { itemSeq: 1 }])
})

describe('that delivered in an earlier run and cannot be opened as a run begins', () => {
  /** A run that delivers one page, then one whose sink throws this as often as said. */
  async function restarted(error: Error, times: number) {
    const frontier = memoryFrontier()
    const keys: string[] = []
    let failures = 0
    const receiver: Sink = {
      name: 'receiver',
      open() {
        if (failures-- > 0) throw error
      },
      write: ({ items }) => void keys.push(...items.map(({ key }) => key)),
    }
    await run(SCRIPT, { spider: pathSpider(SEEDS.slice(0, 1)), sinks: [receiver], frontier })
    failures = times
    const { report } = await runOf({ sinks: [receiver], frontier })
    return { report, keys }
  }

  it('gets everything once it is back', async () => {
    const { report, keys } = await restarted(new SinkDown('connect ECONNREFUSED'), 3)

    expect(report.sinks).toMatchObject([{ name: 'receiver', written: 4, behind: 0 }])
    expect([keys.length, new Set(keys).size]).toEqual([4, 4])
    expect(report.problems[0]?.message).toContain('sink receiver cannot be written to: connect ECONNREFUSED; the crawl goes on')
  })

  it('ends the run where a user has to mend it', async () => {
    const error = new AvocetError('AVO_OUTPUT_UNWRITABLE', 'another program wrote this file')

    await expect(restarted(error, 1)).rejects.toMatchObject({ code: 'AVO_OUTPUT_UNWRITABLE' })
  })
})

it('that is ahead of a store, as of one from a backup, is a problem', async () => {
  const ahead: Sink = { name: 'ahead', open: () => ({ itemSeq: 9 }), write: () => {} }
  const { report } = await runOf({ sinks: [ahead] })

  expect(report.problems.map(({ message }) => message)).toEqual([
    'sink ahead is at item 9, which this store does not have, as if the store came from a backup: items up to that number do not go to the sink; ' +
      'to have all items written again, give it another name',
  ])
})

it('that is ahead of what the store kept of it, as after a kill, is none', async () => {
  const frontier = memoryFrontier()
  const own: Sink = { name: 'own', write: () => {} }
  await runOf({ sinks: [own], frontier })
  const { report } = await runOf({
    sinks: [{ ...own, open: () => ({ itemSeq: 4 }) }],
    frontier: { ...frontier, sinks: { ...frontier.sinks, get: async () => undefined } },
  })

  expect([report.problems, report.sinks]).toMatchObject([[], [{ written: 4, behind: 0 }]])
})
