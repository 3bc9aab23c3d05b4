// What was refused can be had: a pattern that the user accepts is open from the next run on, and what is closed is tried again by each run.
import { Orders } from '@avocet/at-rest'
import { memoryFrontier, type CrawlConfig } from 'avocet'
import { type Frontier } from '@avocet/core/store'
import { traps } from '@avocet/plugin-traps'
import { describe, expect, it } from 'vitest'
import { crawlWritten, followAll, type Writer } from '../written-web.ts'

const HOST = 'trap.test'
const PATTERN = `${HOST}/cal?n=*`

/** Days without an end that all say the same; each page links to two more. */
const calendar: Writer = (url) => {
  const n = Number(url.searchParams.get('n')) || 0
  return `<h1>No events today</h1><a href="/cal?n=${2 * n + 1}">a</a><a href="/cal?n=${2 * n + 2}">b</a>`
}

const crawlIt = (
  frontier: Frontier,
  rest: Pick<Partial<CrawlConfig>, 'maxPages' | 'plugins'> = {},
): ReturnType<typeof crawlWritten> =>
  crawlWritten(calendar, {
    frontier,
    spider: followAll([`http://${HOST}/`]),
    maxPages: 2_000,
    ...rest,
  })

async function accept(frontier: Frontier, pattern: string): Promise<void> {
  await frontier.open({ name: '', hostKeying: 'host' }, 0)
  await Orders.give(frontier, { kind: 'accept', patterns: [pattern] }, 0)
  await frontier.close()
}

describe('a closed pattern', () => {
  it('is tried again in the next run, and closed again after half as many pages', async () => {
    const frontier = memoryFrontier()
    const first = await crawlIt(frontier)
    await frontier.close()
    const second = await crawlIt(frontier)

    expect(first.report.closedPatterns).toMatchObject([{ pattern: PATTERN, reason: 'same-content' }])
    expect(first.report.counts.waiting).toBe(0)
    expect(first.report.failures).toMatchObject([{ reason: 'trap' }])
    expect(second.pagesOf(HOST)).toBeLessThanOrEqual(52)
    expect(second.report.closedPatterns).toMatchObject([{ pattern: PATTERN }])
    expect(second.report.counts.waiting).toBe(0)
  })

  it('is open again in the run after it was accepted: what it refused is requested, and it is not closed again', async () => {
    const frontier = memoryFrontier()
    const first = await crawlIt(frontier)
    await frontier.close()
    await accept(frontier, PATTERN)
    const second = await crawlIt(frontier, { maxPages: 1_500 })

    expect(second.report.ended).toBe('limit')
    expect(second.pagesOf(HOST)).toBeGreaterThanOrEqual(1_500)
    expect(second.report.closedPatterns).toEqual([])
    expect(second.report.counts.known).toBeGreaterThan(first.report.counts.known)
  })

  it('is open in a run that closes none: what it refused is requested', async () => {
    const frontier = memoryFrontier()
    await crawlIt(frontier)
    await frontier.close()
    const second = await crawlIt(frontier, { maxPages: 500, plugins: [traps({ closePatterns: false })] })

    expect(second.report.ended).toBe('limit')
    expect(second.pagesOf(HOST)).toBeGreaterThanOrEqual(500)
  })

  it('is closed again when another one is accepted', async () => {
    const frontier = memoryFrontier()
    await crawlIt(frontier)
    await frontier.close()
    await accept(frontier, `${HOST}/other/**`)
    const second = await crawlIt(frontier)

    expect(second.pagesOf(HOST)).toBeLessThanOrEqual(52)
    expect(second.report.closedPatterns).toMatchObject([{ pattern: PATTERN }])
  })

  it('refuses to accept what is no pattern', async () => {
    const frontier = memoryFrontier()

    await expect(accept(frontier, 'cal')).rejects.toMatchObject({ code: 'AVO_USAGE' })
  })
})
