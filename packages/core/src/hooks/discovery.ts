// What a plugin sees of a URL that was found, and how it refuses it.
import type { Discovery } from '../plugin.ts'
import type { Request } from '../request.ts'
import { Collector } from './collector.ts'

/** The collector behind `onDiscover`. */
export class DiscoveryCollector extends Collector implements Discovery {
  readonly reasons: string[] = []
  readonly url: string
  readonly hostKey: string
  readonly kind: Discovery['kind']
  readonly handler: string
  readonly depth: number
  readonly from?: Request

  constructor(found: Omit<Discovery, 'refuse'>) {
    super()
    this.url = found.url
    this.hostKey = found.hostKey
    this.kind = found.kind
    this.handler = found.handler
    this.depth = found.depth
    if (found.from) this.from = found.from
  }

  refuse(reason: string): void {
    this.reasons.push(reason)
  }

  threw(): void {
    this.refuse('plugin-threw')
  }
}
