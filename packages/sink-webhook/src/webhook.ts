// The sink: what `webhook()` returns. A batch is one request, unless the receiver says that it is too large.
import type { Json } from '@avocet/core'
import type { Sink, SinkBatch, SinkItem, SinkSession } from '@avocet/core/sink'
import { idOf, type Receiver, signed, type WebhookOptions, webhookReceiver } from './options.ts'
import { Poster, WebhookError } from './poster.ts'

/**
 * Posts items to a URL as JSON, each at least once: in batches, signed by the convention of Standard Webhooks, with an idempotency key.
 * Every item has a key and a number, the same whenever it comes.
 * A receiver that fails, or is not there, gets the items later.
 *
 * Throws AVO_CONFIG_INVALID for options that are wrong. The sink throws when it opens if nobody answers at the URL: that ends a crawl only if the sink has
 * delivered nothing yet.
 *
 * @param options the URL, or more.
 * @example
 * ```ts
 * import { defineCrawl, spider } from 'avocet'
 * import { webhook } from '@avocet/sink-webhook'
 *
 * const { HOOK_URL = 'https://intranet.example/offers', HOOK_TOKEN = '' } = process.env
 * export const offers = webhook<{ sku: string; price: number }>({
 *   url: HOOK_URL,
 *   headers: { authorization: `Bearer ${HOOK_TOKEN}` },
 *   filter: ({ value }) => value.price < 5,
 * })
 * ```
 */
export function webhook<Item = Json>(options: WebhookOptions<Item> | string): Sink<Item> {
  const given = typeof options === 'string' ? { url: options } : options
  const receiver = webhookReceiver(given)
  const { filter, changes = false } = given
  const name = given.name ?? `webhook:${receiver.url.origin}`
  const poster = new Poster(receiver)
  let session: SinkSession | undefined
  let hasAnswered = false
  return {
    name,
    changes,
    options: { origin: receiver.url.origin, signed: receiver.keys.length > 0 },
    limits: receiver.limits,
    ...(filter !== undefined && { filter }),
    async open(opened) {
      session = opened
      // Once a run: a receiver that is in trouble gets one request a try, and not two.
      if (!hasAnswered) await poster.knock(opened.signal)
      hasAnswered = true
      return undefined
    },
    async write(batch) {
      if (session === undefined) throw new Error('expected the sink to be opened before it writes')
      await deliver(batch, { receiver, poster, changes, clock: session.clock, crawl: session.crawl, sink: name })
    },
    close: () => poster.close(),
  }
}

interface Sender<Item> extends Pick<SinkSession, 'clock' | 'crawl'> {
  readonly receiver: Receiver<Item>
  readonly poster: Poster<Item>
  readonly changes: boolean
  /** Name of the sink. */
  readonly sink: string
}

/** A batch that is too large goes in halves. If one of them fails, the whole batch comes again: the receiver knows it by the keys. */
async function deliver<Item>({ items, mark, signal }: SinkBatch<Item>, sender: Sender<Item>): Promise<void> {
  const { receiver, poster, clock, crawl, sink } = sender
  const body = bodyText(items, sender)
  const keys = items.map(({ key, seq }) => `${key} ${seq}`)
  const id = idOf({ crawl: crawl.id, sink }, keys)
  // A string of structured fields, as the draft for this header has it: draft-ietf-httpapi-idempotency-key-header-07 §2.1.
  const headers = { ...signed(receiver.keys, { id, now: clock.now(), body }), 'idempotency-key': `"${id}"` }
  try {
    await poster.post({ body, headers }, { signal, clock })
  } catch (error) {
    if (!(error instanceof WebhookError) || error.status !== 413 || items.length === 1) throw error
    const middle = Math.ceil(items.length / 2)
    for (const half of [items.slice(0, middle), items.slice(middle)]) await deliver({ items: half, mark, signal }, sender)
  }
}

/** Throws what the user's `body` throws, and a TypeError if it returns what JSON does not have. */
function bodyText<Item>(items: readonly SinkItem<Item>[], { receiver: { body: shape }, crawl, changes }: Sender<Item>): string {
  const list = `[${items.map(({ json }) => json).join(',')}]`
  if (shape === 'array') return list
  if (shape !== undefined) {
    const text = JSON.stringify(shape(items)) as string | undefined
    if (text === undefined) throw new TypeError('expected the option body to return JSON, got undefined')
    return text
  }
  const sender = JSON.stringify({ name: crawl.name, id: crawl.id })
  if (changes) return `{"type":"changes","crawl":${sender},"changes":${list}}`
  const each = items.map(
    ({ key, seq, url, json }) => `{"key":${JSON.stringify(key)},"seq":${seq},"url":${JSON.stringify(url)},"item":${json}}`,
  )
  return `{"type":"items","crawl":${sender},"items":[${each.join(',')}]}`
}
