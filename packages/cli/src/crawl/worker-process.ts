// The program of a worker, which only the supervisor starts (crawl-in-processes.ts).
//
// Signals of the terminal reach it too, and are ignored: the supervisor handles them.
import { systemClock } from '@avocet/core/store'
import { placeIn } from '@avocet/project/place'
import { plain } from '@avocet/project/text'
import { sentError } from '../processes/process-messages.ts'
import { SupervisorLink } from '../processes/supervisor-link.ts'

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
process.on('SIGXFSZ', () => undefined)

const clock = systemClock()
const supervisor = new SupervisorLink(process, clock)
const part = await supervisor.part()
const { work } = await import('./work.ts')
const place = { ...placeIn(process, process.argv.slice(2)), clock, paint: plain }
const ended = await work({ part, supervisor, place }).catch((error: unknown) => {
  return { kind: 'failed', error: sentError(error) } as const
})
await supervisor.sent(ended)
if (process.connected) process.disconnect()
process.exit(0)
