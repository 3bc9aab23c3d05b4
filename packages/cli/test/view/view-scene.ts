// A scene of a crawl in the middle of its work, with hosts of several judgements.
import type { HostRow, Scene } from '../../src/view/scene.ts'
import { crawlStatus } from '../crawl/crawl-status.ts'

export function hostRow(changes: Partial<HostRow>): HostRow {
  return {
    hostKey: 'a.example',
    state: 'fine',
    why: '',
    waiting: 1,
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
        waiting: 100,
        hold: held,
      }),
      hostRow({
        hostKey: 'picky.example',
        state: 'refusing',
        why: '429 or 503, 6 times in a row',
        foundRps: 0.25,
        waiting: 1_020,
        hold: { by: 'aimd', why: 'asked to wait', until: now + 3_400 },
      }),
      hostRow({
        hostKey: 'hangs.example',
        state: 'slow',
        why: 'its last answer took 65 s',
        waiting: 0,
      }),
      hostRow({
        hostKey: 'fast.example',
        foundRps: 4.8,
        waiting: 400,
        hold: { by: 'aimd', why: 'spacing', until: now + 140 },
      }),
    ],
    ...changes,
  }
}
