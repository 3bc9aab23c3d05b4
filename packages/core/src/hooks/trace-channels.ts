// The trace as channels of `node:diagnostics_channel`, one for each kind of event: for tools that look on from outside, without a plugin.
//
// A channel that nobody subscribes to costs a look at it: no event is made. Node calls subscribers in the tick of the event; what one throws it reports
// as an uncaught exception, a tick later. Source: https://nodejs.org/api/diagnostics_channel.html
import { channel, type Channel } from 'node:diagnostics_channel'
import type { TraceEvent } from '../trace.ts'

/** Names of the channels. */
const NAMES = {
  booked: 'avocet:exchange:booked',
  begun: 'avocet:exchange:begun',
  sent: 'avocet:exchange:sent',
  head: 'avocet:exchange:head',
  answered: 'avocet:exchange:answered',
  failed: 'avocet:exchange:failed',
  unsent: 'avocet:exchange:unsent',
  handled: 'avocet:request:handled',
  'handler-failed': 'avocet:request:handler-failed',
  committed: 'avocet:request:committed',
  leased: 'avocet:host:leased',
  held: 'avocet:host:held',
  retired: 'avocet:host:retired',
  released: 'avocet:host:released',
  paused: 'avocet:crawl:paused',
  resumed: 'avocet:crawl:resumed',
} as const satisfies Readonly<Record<TraceEvent['kind'], string>>

/** The channel of each kind of event. Node keeps a channel only as long as somebody holds it. */
export const TRACE_CHANNELS = Object.fromEntries(Object.entries(NAMES).map(([kind, name]) => [kind, channel(name)])) as Readonly<
  Record<TraceEvent['kind'], Channel>
>
