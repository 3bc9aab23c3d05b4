// An item as a sink gets it: parsed at its first use, for most sinks write text.

/** A committed item. As JSON it is its key, URL and value. */
import type { Json } from '@avocet/core'
import type { SinkItem } from '@avocet/core/sink'
import { type ItemRecord, storedJson } from '@avocet/core/store'
export class CommittedItem implements SinkItem {
  readonly record: ItemRecord
  readonly key: string
  /** Of its JSON text, as UTF-8. */
  readonly bytes: number
  #value: { readonly json: Json } | undefined

  constructor(record: ItemRecord) {
    this.record = record
    this.bytes = Buffer.byteLength(record.json)
    this.key = `${record.requestId}.${record.visit ?? 0}.${record.ordinal}`
  }

  get seq(): number {
    return this.record.seq
  }

  get url(): string {
    return this.record.url
  }

  get json(): string {
    return this.record.json
  }

  get value(): Json {
    const value = (this.#value ??= { json: storedJson(this.json, 'an item') as Json })
    return value.json
  }

  toJSON(): Json {
    return { key: this.key, url: this.url, value: this.value }
  }
}
