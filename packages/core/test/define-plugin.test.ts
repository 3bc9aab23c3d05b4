// What definePlugin infers and refuses. The assertions are types: the type-check of the tests is what runs them.
import { definePlugin, type Plugin } from '@avocet/core'
import { describe, expect, it } from 'vitest'

describe('definePlugin', () => {
  it('infers memory as what it may become, not as what it begins with', () => {
    const plugin = definePlugin({
      name: 'counts',
      hostMemory: () => ({ bytes: 0, state: 'closed' as 'closed' | 'open', last: [0] }),
      crawlMemory: () => ({ hosts: 0 }),
      onAdmit(_exchange, host, crawl) {
        host.bytes += 1
        host.state = 'open'
        host.last.push(2)
        crawl.hosts++
      },
    })

    expect(plugin.name).toBe('counts')
  })

  it('takes memory with optional fields, and none at all', () => {
    interface Memory {
      readonly seen: number
      readonly etag?: string
    }

    expect([definePlugin<Memory>({ name: 'a', hostMemory: () => ({ seen: 0 }) }), definePlugin({ name: 'b' })]).toHaveLength(2)
  })

  it('refuses memory that is not plain JSON', () => {
    const refused: Plugin[] = [
      // @ts-expect-error a map is lost in JSON
      definePlugin({ name: 'map', hostMemory: () => ({ seen: new Map<string, number>() }) }),
      // @ts-expect-error a date comes back as a string
      definePlugin({ name: 'date', hostMemory: () => ({ since: new Date(0) }) }),
      // @ts-expect-error a function is left out
      definePlugin({ name: 'function', crawlMemory: () => ({ law: () => 1 }) }),
    ]

    expect(refused).toHaveLength(3)
  })

  it('takes the items for what is declared, and for JSON where nothing is', () => {
    interface Offer {
      readonly title: string
      readonly price?: number
    }
    const plugins = [
      definePlugin({ name: 'typed', onItem: (item: Offer) => ({ ...item, title: item.title.trim() }) }),
      definePlugin({ name: 'waits', onItem: async (item: Offer) => (item.price === undefined ? null : item) }),
      definePlugin({ name: 'json', onItem: (item) => (typeof item === 'string' ? null : item) }),
      // @ts-expect-error an offer has no prize
      definePlugin({ name: 'misspelled', onItem: (item: Offer) => ({ title: item.prize }) }),
    ]

    expect(plugins).toHaveLength(4)
  })
})
