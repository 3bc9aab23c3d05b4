// How the processes crawl: each says to the servers who it is, and any of them may write the items.
import { defineCrawl } from 'avocet'
import { systemClock } from '@avocet/core/store'
import { polite } from '@avocet/preset-polite'
import { jsonl } from '@avocet/sink-files'

const { FAULTS_AGENT = 'faults', FAULTS_ITEMS = 'items.jsonl', FAULTS_DELAY_MS = '4000', FAULTS_SCALE = '1' } = process.env

export default defineCrawl({
  userAgent: `${FAULTS_AGENT} (+https://example.org/bot)`,
  // The hosts are well: what is slow here is the machine, of which a host is not to be blamed.
  policies: polite({ rate: 'fixed', timeouts: false, breaker: false }),
  // The servers live as fast.
  clock: systemClock({ scale: Number(FAULTS_SCALE) }),
  delayMs: Number(FAULTS_DELAY_MS),
  timeLimits: { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 120_000 },
  sinks: [jsonl(FAULTS_ITEMS)],
})
