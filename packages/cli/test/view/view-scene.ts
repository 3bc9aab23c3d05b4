// A scene of a crawl in the middle of its work, with hosts of several judgements.
import type { Slice } from '../../src/view/answer-history.ts'
import type { HostRow, Scene } from '../../src/view/scene.ts'
import { crawlStatus } from '../crawl/crawl-status.ts'

/** Slices that end with these counts of answers; a negative one is of refusals. */
export function slices(...last: readonly number[]): readonly Slice[] {
  const all = [...Array.from({ length: 24 - last.length }, () => 0), ...last]
  return all.map((count) => (count < 0 ? { good: 0, bad: -count } : { good: count, bad: 0 }))
}

export function hostRow(changes: Partial<HostRow>): HostRow {
  return {
    hostKey: 'a.example',
    state: 'fine',
    why: '',
    answeredRps: 0,
    slices: slices(),
    inFlight: 0,
    waiting: 1,
    items: 0,
    refused: 0,
    tookMs: 200,
    ...changes,
  }
}

export function scene(changes: Partial<Scene> = {}): Scene {
  const status = crawlStatus()
  const { now } = status
  const held = { by: 'breaker', why: 'open after connect-refused', until: now + 48_000 }
  return {
    glance: { status, pagesPerSecond: 13.4, averagePagesPerSecond: 11.2, restMs: 88_000 },
    failures: [
      { kind: 'http-404', count: 2 },
      { kind: 'handler-threw', count: 1 },
    ],
    troubles: [
      { kind: 'refused (429)', count: 31 },
      { kind: 'connect-refused', count: 6 },
      { kind: 'connect-refused of robots.txt', count: 2 },
    ],
    refusals: 31,
    parkedHosts: 3,
    parkedHolds: [],
    heldHosts: 2,
    workingHosts: 4,
    firstHeld: { hostKey: 'dead.example:8080', hold: held },
    rows: [
      hostRow({
        hostKey: 'dead.example:8080',
        state: 'unreachable',
        why: 'connect-refused, 3 failures in a row',
        breaker: 'open',
        slices: slices(-1, -2),
        waiting: 100,
        tookMs: 0,
        hold: held,
      }),
      hostRow({
        hostKey: 'picky.example',
        state: 'refusing',
        why: '429 or 503, 6 times in a row',
        foundRps: 0.25,
        answeredRps: 0.23,
        breaker: 'closed',
        slices: slices(1, 0, 2, -3, 1, 1),
        waiting: 1_020,
        refused: 31,
        tookMs: 1_240,
        hold: { by: 'aimd', why: 'asked to wait', until: now + 3_400 },
      }),
      hostRow({
        hostKey: 'hangs.example',
        state: 'slow',
        why: 'its last answer took 65 s',
        breaker: 'closed',
        inFlight: 1,
        waiting: 0,
        tookMs: 65_000,
      }),
      hostRow({
        hostKey: 'fast.example',
        foundRps: 4.8,
        answeredRps: 4.7,
        breaker: 'closed',
        slices: slices(4, 12, 20, 28, 35, 36, 36, 36),
        inFlight: 2,
        waiting: 400,
        tookMs: 90,
        hold: { by: 'aimd', why: 'spacing', until: now + 140 },
      }),
    ],
    ...changes,
  }
}
