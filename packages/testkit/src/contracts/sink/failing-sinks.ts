// Sinks that fail: one whose process dies at a step of our choosing, from where nothing of it arrives and nothing returns, and others around one that works.
import { ItemsRefused, type Sink, type SinkBatch, type SinkLimits, type SinkSession, type Written } from '@avocet/core/sink'
import type { Clock } from '@avocet/core/store'

/** The steps of a delivery, in their order: before and behind each. */
export const STEPS = ['open', 'opened', 'write', 'written', 'mark', 'marked', 'finish', 'finished'] as const

/** One of them. */
export type Step = (typeof STEPS)[number]

/** What a process does until it dies. */
export interface Death {
  /** A step was reached. Never resolves once the process is dead. */
  at(step: Step): Promise<void>
  readonly isDead: boolean
  /** Resolves when it dies. */
  readonly died: Promise<void>
}

/** Dies when `step` is reached for the `nth` time, from 1. Without a step it lives. */
export function deathAt(step?: Step, nth = 1): Death {
  const { promise: died, resolve: die } = Promise.withResolvers<void>()
  const silence = new Promise<never>(() => {})
  let isDead = false
  let left = nth
  return {
    get isDead() {
      return isDead
    },
    died,
    async at(reached) {
      if (!isDead && reached === step && --left === 0) {
        isDead = true
        die()
      }
      if (isDead) await silence
    },
  }
}

/** How a process has a sink. */
export interface MortalOptions {
  /** Stands still while the sink works for real. */
  readonly clock: Pick<Clock, 'hold'>
  readonly death?: Death
  /** In place of its own, so that few items are many batches. */
  readonly limits?: Partial<SinkLimits>
}

/** `sink`, as a process has it that may die. */
export function mortalSink(sink: Sink, { clock, death = deathAt(), limits }: MortalOptions): Sink {
  const real = async <Answer>(work: () => Answer | Promise<Answer>): Promise<Answer> => {
    using _hold = clock.hold(`sink ${sink.name}`)
    return await work()
  }
  const stepped = async <Answer>(before: Step, work: () => Answer | Promise<Answer>, after: Step): Promise<Answer> => {
    await death.at(before)
    const answer = await real(work)
    await death.at(after)
    return answer
  }
  return {
    name: sink.name,
    ...(sink.filter && { filter: (item) => sink.filter?.(item) ?? true }),
    limits: { ...sink.limits, ...limits },
    open: (session: SinkSession) => stepped('open', () => sink.open?.(session), 'opened'),
    write: (batch: SinkBatch) => stepped('write', () => sink.write(batch), 'written'),
    finish: (end) => stepped('finish', () => sink.finish?.(end), 'finished'),
    async close() {
      if (!death.isDead) await real(() => sink.close?.())
    },
  }
}

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
