// The body of a request: JSON text of some items. It has no time in it, so the same items give the same text.
import type { SinkItem, SinkSession } from '@avocet/core/sink'
import type { Receiver } from './options.ts'

/** Throws what the user's `body` throws, and a TypeError if it returns what JSON does not have. */
export function bodyText<Item>(
  shape: Receiver<Item>['body'],
  crawl: SinkSession['crawl'],
  items: readonly SinkItem<Item>[],
): string {
  if (shape === 'array') return `[${items.map(({ json }) => json).join(',')}]`
  if (shape !== undefined) {
    const text = JSON.stringify(shape(items)) as string | undefined
    if (text === undefined) throw new TypeError('expected the option body to return JSON, got undefined')
    return text
  }
  const each = items.map(
    ({ key, seq, url, json }) => `{"key":${JSON.stringify(key)},"seq":${seq},"url":${JSON.stringify(url)},"item":${json}}`,
  )
  return `{"type":"items","crawl":${JSON.stringify({ name: crawl.name, id: crawl.id })},"items":[${each.join(',')}]}`
}
