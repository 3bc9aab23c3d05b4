// A browser over a fetcher of one's own, which may be a class: all that it has is still there. Without a browser process.
import { systemClock, type Dialled, type Fetcher } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { browserBy } from '../src/browser.ts'
import type { Launch } from '../src/launch.ts'

type BodyBudget = NonNullable<Fetcher['bodyBudget']>

class OwnFetcher implements Fetcher {
  readonly #dialled = {} as Dialled
  #heldBytes = 0
  fetch(): () => void {
    return () => {}
  }
  async dial(): Promise<Dialled> {
    return this.#dialled
  }
  connections(): { readonly open: number; readonly busy: number } {
    return { open: this.#heldBytes, busy: 0 }
  }
  get bodyBudget(): BodyBudget {
    return { totalBytes: 1_000, acquire: (bytes: number) => (this.#heldBytes += bytes) } as unknown as BodyBudget
  }
  async close(): Promise<void> {}
}

describe('a fetcher with a browser', () => {
  it('has the connections, the budget and the way to dial of the one below, also where that is a class', async () => {
    const http = new OwnFetcher()
    const limits = { maxDecodedBytes: 1_000 } as Parameters<ReturnType<typeof browserBy>>[0]['limits']
    const fetcher = browserBy({}, { launch: () => ({}) as Launch })({ http, clock: systemClock(), limits })

    fetcher.bodyBudget?.acquire(7)

    expect(fetcher.bodyBudget?.totalBytes).toBe(1_000)
    expect(fetcher.connections?.()).toEqual({ open: 7, busy: 0 })
    expect(await fetcher.dial?.({} as Parameters<NonNullable<Fetcher['dial']>>[0])).toBe(await http.dial())
  })
})
