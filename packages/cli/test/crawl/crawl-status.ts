// A status of a crawl in the middle of its work.
import type { CrawlStatus } from '@avocet/core/tools'
import type { HostNow } from '../../src/view/pace.ts'

const NOW = 1_767_225_690_000

export function hostStatus(changes: Partial<HostNow>): HostNow {
  return {
    hostKey: 'a.example',
    inFlight: 0,
    waiting: 1,
    proven: true,
    consecutiveFailures: 0,
    lastStartAt: NOW - 1_000,
    lastDurationMs: 200,
    answered: 1,
    refused: 0,
    items: 0,
    failed: 0,
    ...changes,
  }
}

export function crawlStatus(changes: Partial<CrawlStatus> = {}): CrawlStatus {
  return {
    name: 'price-watch',
    phase: 'running',
    now: NOW,
    startedAt: NOW - 90_000,
    run: {
      pages: 1_204,
      requests: 1_230,
      failures: 0,
      items: 980,
      dropped: 0,
      spoiled: 0,
      handled: 0,
      lost: 0,
      missed: 0,
      rejects: 0,
      held: 0,
      changes: 0,
      failed: 3,
      retried: 12,
      moved: 4,
      links: 90_000,
      added: 2_000,
      refusedLinks: 10,
      wireBytes: 44_040_192,
      pluginErrors: 0,
    },
    known: 2_400,
    waiting: 1_180,
    settled: 1_211,
    done: 1_204,
    moved: 4,
    failed: 3,
    items: 1_960,
    inFlight: 9,
    slots: 100,
    handlersRunning: 1,
    liveHosts: 12,
    hosts: [
      hostStatus({
        hostKey: 'fast.example',
        waiting: 400,
        lastDurationMs: 90,
        hold: { by: 'politeness', why: 'delay', until: NOW + 640 },
      }),
      hostStatus({ hostKey: 'slow.example', waiting: 33, inFlight: 1, lastDurationMs: 15_200 }),
      hostStatus({
        hostKey: 'dead.example:8080',
        waiting: 100,
        proven: false,
        lastDurationMs: 30_000,
        consecutiveFailures: 2,
        failed: 2,
        hold: { by: 'core', why: 'probing', until: NOW + 60_000 },
      }),
      hostStatus({ hostKey: 'hangs.example', inFlight: 1, proven: false, lastDurationMs: 0, lastStartAt: NOW - 25_000 }),
      hostStatus({ hostKey: 'idle.example', waiting: 0, lastDurationMs: 99_000 }),
    ],
    ...changes,
  }
}
