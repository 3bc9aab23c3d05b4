// Hands items of a store to one output, step by step, as a crawl does beside itself.
import type { SinkBatch, SinkMark } from '@avocet/core/sink'
import { storedJson, type Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import type { OutputSink } from '../src/export/outputs.ts'

const ITEMS_A_BATCH = 256

/** An output that is open, and a store. */
export class DrivenSink {
  readonly #sink: OutputSink
  readonly #frontier: Pick<Frontier, 'reader' | 'sinks'>
  #itemSeq = 0

  constructor(sink: OutputSink, frontier: Pick<Frontier, 'reader' | 'sinks'>) {
    this.#sink = sink
    this.#frontier = frontier
  }

  async begin(): Promise<void> {
    const mark = (await this.#frontier.sinks.get(this.#sink.name))?.mark
    const session = {
      crawl: { name: 'test', id: '' },
      ...(mark && { mark }),
      clock: new VirtualClock({ startAt: 0 }),
      signal: new AbortController().signal,
      keep: (kept: SinkMark) => this.#keep(kept),
      problem: () => {},
      notice: () => {},
    }
    const at = await this.#sink.open?.(session)
    if (at !== undefined) await this.#keep(at)
  }

  /** Writes every item that is there, and looks after the output. */
  async catchUp(): Promise<void> {
    for (;;) {
      const items = await this.#frontier.reader.items({ afterSeq: this.#itemSeq, limit: ITEMS_A_BATCH })
      const last = items.at(-1)
      if (last === undefined) {
        const { mark, rewind } = (await this.#sink.finish?.({ interrupted: false })) ?? {}
        if (rewind === undefined) return mark && this.#keep(mark)
        await this.#keep(rewind)
        continue
      }
      const batch: SinkBatch = {
        items: items.map(({ seq, url, json, requestId, ordinal }) => {
          return { seq, url, json, key: `${requestId}.0.${ordinal}`, value: storedJson(json, 'an item') as never }
        }),
        mark: { itemSeq: last.seq },
        signal: new AbortController().signal,
      }
      const { mark, rewind } = (await this.#sink.write(batch)) ?? {}
      await this.#keep(rewind ?? mark ?? batch.mark)
    }
  }

  async close(): Promise<void> {
    await this.#sink.close()
  }

  async #keep(mark: SinkMark): Promise<void> {
    this.#itemSeq = mark.itemSeq
    await this.#frontier.sinks.keep({ name: this.#sink.name, written: 0, mark })
  }
}
