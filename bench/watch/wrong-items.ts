// Published items beside the truth: a sink that writes down each that says what was not so when its page was fetched.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { sink, type Sink } from '@avocet/core/sink'
import type { Shops } from '@avocet/stress/shops'
import { valueOf } from './changes-watched.ts'
import type { ShopItem } from './shops-spider.ts'
import { textOf } from './visit-log.ts'

/** The sink. */
export function wrongItemsSink(path: string, { shops }: Shops): Sink<ShopItem> {
  const isTrue = ({ host, sku, seenAt, ...item }: ShopItem): boolean => {
    const life = shops.get(host)?.lives.find((one) => one.sku === sku)
    const value = valueOf({ ...item })
    // A crawl rounds the moments of its pages.
    return [seenAt, seenAt - 1, seenAt + 1].some((at) => {
      const offer = life?.at(at)
      return offer !== undefined && textOf(offer) === value
    })
  }
  return sink<ShopItem>(
    (items) => {
      const wrong = items.filter(({ value }) => !isTrue(value))
      if (wrong.length > 0) appendFileSync(path, wrong.map(({ value: { host }, json }) => `${host}\t${json}\n`).join(''))
    },
    { name: 'wrong-items' },
  )
}

/** Wrong items by host. */
export function readWrongItems(path: string): ReadonlyMap<string, readonly string[]> {
  const byHost = new Map<string, string[]>()
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    const [host = '', json = ''] = line.split('\t')
    if (host !== '') byHost.set(host, [...(byHost.get(host) ?? []), json])
  }
  return byHost
}
