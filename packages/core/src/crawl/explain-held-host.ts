// What holds a host that this process holds, and what each plugin knows of it, now.
import { explainLiveHost, type Explanation } from '../hooks/explain-host.ts'
import type { LiveHost } from '../hosts/live-host.ts'
import type { Run } from '../run/run.ts'

/** Asks the plugins of the run about `host`. */
export function explainHeldHost(host: LiveHost, { settings, memories }: Pick<Run, 'settings' | 'memories'>): Explanation {
  const { plugins, clock } = settings
  const now = clock.now()
  return explainLiveHost(host, { plugins, memories, nextUrl: host.queue.peek(now)?.url, now })
}
