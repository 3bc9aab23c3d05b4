// What people are told of sinks: in the live view, by status, report and why, and at the end of a run.
import { memoryFrontier, type CrawlReport } from 'avocet'
import type { FrontierReader } from '@avocet/core/store'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { storeLines } from '../../src/treatment/store-lines.ts'
import { storeReport } from '../../src/treatment/store-report.ts'
import { sinksAtRest } from '../../src/store/at-rest.ts'
import { lateSinksLine, sinkLine } from '../../src/text/sink-line.ts'
import { frame, progressLine } from '../../src/view/frame.ts'
import { crawlStatus } from './crawl-status.ts'
import { scene } from '../view/view-scene.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
const FOLDER = mkdtempSync(join(tmpdir(), 'avocet-sinks-'))
const STORE = join(FOLDER, '.avocet', 'shops.db')
writeFileSync(join(FOLDER, 'offers.jsonl'), '')
afterAll(() => rmSync(FOLDER, { recursive: true }))

type SinkStatus = NonNullable<CrawlReport['sinks']>[number]

const FINE: SinkStatus = { name: 'pg', written: 900, behind: 12, setAside: 0 }
const DOWN: SinkStatus = {
  name: 'hook',
  written: 10,
  behind: 1_204,
  setAside: 2,
  failingSince: NOON - 180_000,
  error: 'connection\nrefused',
}

/** A store with an output and a sink that fails and has set two items aside. */
function reader(): FrontierReader {
  const mark = { itemSeq: 30, state: { bytes: 900, start: { itemSeq: 0, bytes: 0 } } }
  const trouble = { since: NOON - 180_000, error: 'connection refused' }
  const group = { reason: 'too long', count: 1, url: 'http://a.test/' }
  return {
    ...memoryFrontier().reader,
    info: async () => ({ name: 'shops', createdAt: 0, liveProcesses: 0, memories: [] }),
    sinks: async () => [
      { name: '../offers.jsonl', written: 30, behind: 0, mark },
      { name: 'changes.jsonl', changes: true, written: 30, behind: 0, mark },
      { name: 'hook', written: 10, behind: 1_204, trouble },
    ],
    problems: async () => ({
      rejects: [
        { ...group, source: 'hook' },
        { ...group, source: 'hook', reason: 'other' },
        { ...group, source: 'schema', count: 70 },
      ],
      ...{ handlerErrors: [], probation: { pages: 0, requests: [] } },
    }),
  }
}

describe('a store at rest', () => {
  it('has what each sink lacks and has set aside, and the path of each output, but none of a file that a configuration names', async () => {
    expect(await sinksAtRest(reader(), STORE)).toEqual([
      { name: '../offers.jsonl', written: 30, behind: 0, setAside: 0, path: join(FOLDER, 'offers.jsonl') },
      { name: 'changes.jsonl', changes: true, written: 30, behind: 0, setAside: 0 },
      { name: 'hook', written: 10, behind: 1_204, setAside: 2, failingSince: NOON - 180_000, error: 'connection refused' },
    ])
  })

  it('is reported with a line for each sink', async () => {
    const report = await storeReport(reader(), STORE, { explainersFor: () => ({ plugins: [] }), now: NOON })
    const lines = storeLines(report, { folder: FOLDER })
    const from = lines.indexOf('sinks:')

    expect(lines.slice(from, from + 5)).toEqual([
      'sinks:',
      '  offers.jsonl: 30 items',
      '  changes.jsonl: 30 changes',
      '  hook: 10 items, 1,204 behind, 2 set aside; failing since 2026-01-01 11:57:00 UTC: connection',
      '    refused',
    ])
  })
})

describe('an output', () => {
  it('is named by its path from the folder of the project, or by its whole path outside of it', () => {
    const output = { name: '../x.csv', written: 1, behind: 0, setAside: 0 }
    expect(sinkLine({ ...output, path: join(FOLDER, 'out', 'x.csv') }, FOLDER)).toBe('out/x.csv: 1 item')
    expect(sinkLine({ ...output, path: '/else/x.csv' }, FOLDER)).toBe('/else/x.csv: 1 item')
    expect(sinkLine(output, FOLDER)).toBe('../x.csv: 1 item')
  })
})

describe('the live view', () => {
  it('has one line for sinks that fail or lag far behind, and none for a batch that fills up', () => {
    expect(lateSinksLine([FINE], NOON)).toBeUndefined()
    expect(lateSinksLine([FINE, DOWN, { ...FINE, behind: 5_000 }], NOON)).toBe(
      String.raw`sinks: hook 1,204 items behind, failing for 3 min: connection\u{a}refused; pg 5,000 items behind`,
    )
  })

  it('names a sink that has not answered for five seconds, and since when', () => {
    expect(lateSinksLine([{ ...FINE, waitedSince: NOON - 4_999 }], NOON)).toBeUndefined()
    expect(lateSinksLine([{ ...FINE, waitedSince: NOON - 12_000 }], NOON)).toBe('sinks: pg 12 items behind, no answer for 12 s')
  })

  it('shows it above the hosts, and in the line for logs', () => {
    const status = crawlStatus({ now: NOON, sinks: [FINE, DOWN] })
    const seen = scene({ glance: { ...scene().glance, status } })

    expect(frame(seen, { columns: 120, rows: 40 }).filter((line) => line.startsWith('sinks: hook 1,204'))).toHaveLength(1)
    expect(progressLine(seen)).toContain('sinks: hook 1,204 items behind, failing for 3 min')
    expect(frame(scene(), { columns: 120, rows: 40 }).join('\n')).not.toContain('sinks')
  })
})
