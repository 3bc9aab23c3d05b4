// What one host was asked over time: as finely as it is known, in a text of bounded length, whatever the clock does.
import type { HostView } from '@avocet/core/plugin'
import { describe, expect, it } from 'vitest'
import { freshJournal, type JournalMemory, timelineText } from '../src/host-memory.ts'
import { hostHistory } from '../src/index.ts'
import { noteInRings, openRings, paceRps, paceWord, ringBins, RINGS, withRingBin } from '../src/laws/rate-ring.ts'

const START = Date.UTC(2026, 0, 5)
const DAY = 86_400_000

/** A host that is found at `rps`, and the texts that are kept of it. */
class Host {
  readonly texts = new Map<string, string>()
  readonly open = openRings()
  writes = 0
  pacedRps = Infinity

  note(now: number, refused = false): void {
    const view: Partial<HostView> = {
      pacedRps: this.pacedRps,
      blob: (name) => this.texts.get(name),
      keepBlob: (name, text = '') => {
        if (typeof text === 'function') return
        this.writes += text.length
        this.texts.set(name, text)
      },
    }
    noteInRings(view as HostView, this.open, { now, refused })
  }

  /** Its memory in the store. */
  memory(more: Partial<JournalMemory> = {}): Record<string, string> {
    const buckets = [[Math.floor(START / 43_200_000), 1, 0, 0, 0]]
    const own = { ...freshJournal(), firstAt: START, lastAt: START + 28 * DAY, widthMs: 43_200_000, ...more, rings: this.open }
    const blobs = [...this.texts].map(([name, text]) => [`#${name}`, text])
    return {
      journal: JSON.stringify([1, own]),
      '#journal timeline': timelineText({ runs: [], widthMs: own.widthMs, buckets }),
      ...Object.fromEntries(blobs),
    }
  }
}

describe('the rate of a host over time', () => {
  it('is known of the last hour by 20 s, of a day by 10 min, of four weeks by 3 h, with the rate that was found', () => {
    const host = new Host()
    for (let at = START; at < START + 28 * DAY; at += 10_000) {
      host.pacedRps = at < START + 7 * DAY ? 0.5 : 2
      host.note(at, at % 3_600_000 === 0)
    }
    const to = START + 28 * DAY

    const [hour, day, month] = [3_600_000, DAY, 28 * DAY].map((lengthMs) =>
      hostHistory(host.memory(), { from: to - lengthMs, to }),
    )

    expect([hour?.widthMs, hour?.steps.length]).toEqual([20_000, 180])
    expect([day?.widthMs, day?.steps.length]).toEqual([600_000, 144])
    expect([month?.widthMs, month?.steps.length]).toEqual([10_800_000, 224])
    expect(hour?.steps.filter(({ refusals }) => refusals > 0)).toHaveLength(1)
    expect(day?.steps[1]).toMatchObject({ requests: 60, rps: 0.1, pacedRps: 2 })
    expect(month?.steps[0]).toMatchObject({ at: START, requests: 1_080, refusals: 3, pacedRps: 0.503 })
    expect(hostHistory(host.memory(), { points: 10 }).steps.length).toBeLessThanOrEqual(10)
  })

  it('takes 4 KiB at most, and is written when a bin is over, not with each unit', () => {
    const host = new Host()
    for (let at = START; at < START + 31 * DAY; at += 1_000) host.note(at, at % 300_000 === 0)

    const sizes = RINGS.map(({ name }) => host.texts.get(name)?.length ?? 0)

    expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThan(4_096)
    // At one request a second.
    expect(host.writes / (31 * 86_400)).toBeLessThan(100)
    expect(JSON.stringify(host.open).length).toBeLessThan(60)
  })

  it('loses nothing to a clock that is put back, and keeps places in order', () => {
    const host = new Host()
    for (const at of [0, 60_000, 120_000, 30_000, 40_000, 180_000]) host.note(START + at)
    const before = host.open
    for (const at of [100_000, 190_000]) host.note(START + at)

    expect(before).toHaveLength(12)
    const steps = ringBins(host.texts.get('journal hour') ?? '')
    expect(steps.reduce((sum, { requests }) => sum + requests, 0) + (host.open[1] ?? 0)).toBe(8)
  })

  it('is none of a host without the journal, and what an older version wrote is there as coarsely as it was', () => {
    expect(hostHistory({})).toEqual({ widthMs: 0, steps: [] })
    expect(hostHistory({ core: '[1,{}]' })).toEqual({ widthMs: 0, steps: [] })
    const [at, to] = [Math.floor(START / 43_200_000) * 43_200_000, START + DAY]

    expect(hostHistory(new Host().memory(), { to })).toEqual({
      widthMs: 43_200_000,
      steps: [{ at, requests: 1, refusals: 0, rps: 1_000 / 43_200_000 }],
    })
  })
})

describe('the text of a ring', () => {
  it('drops the oldest bins, and none of the others', () => {
    let text = ''
    for (let place = 1; place <= 30; place++)
      text = withRingBin(text, { place: place * 3, requests: place, refusals: place % 2, pace: 0 }, 10)

    expect(ringBins(text).map(({ place }) => place)).toEqual([63, 66, 69, 72, 75, 78, 81, 84, 87, 90])
    expect(ringBins(text)[0]).toEqual({ place: 63, requests: 21, refusals: 1, pace: 0 })
    expect(ringBins('')).toEqual([])
  })

  it('keeps a rate within one percent', () => {
    for (let rps = 0.002; rps < 5_000; rps *= 1.7) expect(Math.abs((paceRps(paceWord(rps)) ?? 0) / rps - 1)).toBeLessThan(0.012)
    for (const none of [0, -1, Number.NaN, Infinity]) expect(paceRps(paceWord(none))).toBeUndefined()
  })
})
