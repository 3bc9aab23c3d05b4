// Sinks that fail in ways of their own, around one that works.
import { ItemsRefused, type Sink, type SinkBatch, type Written } from '@avocet/core/sink'

/** What goes wrong with a batch: a throw, a wait, or nothing. */
export type Fault = (batch: SinkBatch, write: () => ReturnType<Sink['write']>) => ReturnType<Sink['write']>

/** `sink`, whose writes go through `fault`. */
export function faultySink(sink: Sink, fault: Fault): Sink {
  return {
    name: sink.name,
    ...(sink.filter && { filter: (item) => sink.filter?.(item) ?? true }),
    ...(sink.limits && { limits: sink.limits }),
    open: (session) => sink.open?.(session),
    write: (batch) => fault(batch, () => sink.write(batch)),
    finish: (end) => sink.finish?.(end),
    close: () => sink.close?.(),
  }
}

/** Throws for the first `times` batches, before or after they are written. */
export function failing(times: number, when: 'before' | 'after'): Fault {
  let left = times
  return async (_batch, write): Promise<Written | undefined> => {
    const fails = left-- > 0
    if (fails && when === 'before') throw new Error('the place is full')
    const answer = await write()
    if (fails) throw new Error('the answer was lost')
    return answer ?? undefined
  }
}

/** Never answers the first batch, which is written or not. */
export function hanging(when: 'before' | 'after'): Fault {
  let isFirst = true
  return async (_batch, write): Promise<Written | undefined> => {
    const hangs = isFirst
    isFirst = false
    if (hangs && when === 'before') return new Promise(() => {})
    const answer = await write()
    return hangs ? new Promise(() => {}) : (answer ?? undefined)
  }
}

/** Has something against one item for ever, and says so, or merely throws. */
export function against(n: number, how: 'refuses' | 'throws'): Fault {
  return (batch, write) => {
    const culprit = batch.items.find(({ json }) => (JSON.parse(json) as { n: number }).n === n)
    if (culprit === undefined) return write()
    if (how === 'throws') throw new Error('no room for such a thing')
    throw new ItemsRefused(new Map([[culprit.key, 'no such thing here']]))
  }
}
