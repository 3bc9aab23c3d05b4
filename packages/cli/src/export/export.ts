// `avocet export`: all items of a store, or the rows of its files, as they are now, into files or to standard output.
import { AvocetError } from '@avocet/core'
import type { Sink } from '@avocet/core/sink'
import { messageOf, nextTurn, type Clock, type FrontierReader, type SinkRecord } from '@avocet/core/store'
import { Delivery } from '@avocet/delivery'
import type { Output } from '@avocet/project/options'
import { say, type Place } from '@avocet/project/place'
import { type NamedStore, withReader } from '@avocet/project/store'
import { FILES_OF } from '../store/files-totals.ts'
import { closeAll, openOutputs } from './outputs.ts'

/** What was typed. */
export interface ExportOptions extends NamedStore {
  readonly outputs: readonly Output[]
  /** The rows of saved files in place of items. */
  readonly files: boolean
}

/**
 * Writes every item, or every row of a file, once to each output: `-O` in place of what the file holds, `-o` behind it. Without an output, to standard output.
 *
 * @throws AVO_FRONTIER_…, AVO_OUTPUT_UNWRITABLE, AVO_OUTPUT_CLOSED, AVO_USAGE.
 */
export function exportCommand({ outputs, files, ...named }: ExportOptions, place: Place): Promise<void> {
  const { folder, stdout, stderr, clock } = place
  return withReader(place, named, async (reader) => {
    const wanted: readonly Output[] = outputs.length > 0 ? outputs : [{ path: '-', mode: 'append' }]
    const sinks = await openOutputs(wanted, { folder, stdout, clock, say: (line) => say(stderr, line) })
    try {
      await deliverAll(sinks, { reader: files ? rowsAsItems(reader) : reader, clock })
    } finally {
      await closeAll(sinks)
    }
  })
}

/** Rows of files where outputs look for items. */
function rowsAsItems(reader: FrontierReader): FrontierReader {
  return { ...reader, items: (query) => reader.items({ ...query, recordsOf: FILES_OF }) }
}

// Hands every item of a store to sinks, once and without a crawl.

/** Where items come from. */
interface DeliverySource {
  readonly reader: FrontierReader
  readonly clock: Clock
  /** Keeps how far each sink is. Absent: the store may belong to another process, and learns nothing. */
  keep?(record: SinkRecord): Promise<boolean>
}

/**
 * Writes all items, from the first one on, whatever the sinks had. One that fails is not tried again.
 *
 * @throws what the sinks throw: AVO_OUTPUT_UNWRITABLE, AVO_OUTPUT_CLOSED.
 */
export async function deliverAll(sinks: readonly Sink[], source: DeliverySource): Promise<void> {
  const { name } = await source.reader.info()
  for (const sink of sinks) await deliver(sink, name, source)
}

async function deliver(sink: Sink, crawl: string, { reader, clock, keep }: DeliverySource): Promise<void> {
  let failure: unknown
  const whole = unlessFailed(sink, (error) => {
    failure ??= error
    delivery.letGo()
  })
  const delivery = new Delivery({
    sink: whole,
    store: {
      reader,
      sinks: {
        get: async () => undefined,
        keep: async (record) => (keep ? keep(record) : true),
        claim: async () => true,
        free: async () => undefined,
      },
    },
    rejects: {
      setAside: async () => 0,
      behind: async () => new Map(),
      forget: async () => 0,
      count: async () => 0,
    },
    clock,
    crawl: { name: crawl, id: '' },
    isShared: false,
    make: (_name, call) => call(),
    hold: () => ({ [Symbol.dispose]() {} }),
    room: () => nextTurn(),
    chance: () => 0,
    problem: () => {},
    notice: () => {},
    hidden: (message) => message,
    fail: (error) => {
      failure ??= error
    },
  })
  await delivery.open()
  delivery.begin()
  await delivery.finish({ until: Infinity, interrupted: false })
  if (failure !== undefined) throw asError(failure)
}

/** `sink`, of which the first failure ends it. */
function unlessFailed(sink: Sink, failed: (error: unknown) => void): Sink {
  const tried = async <Answer>(work: () => Answer | Promise<Answer>): Promise<Answer> => {
    try {
      return await work()
    } catch (error) {
      failed(error)
      throw error
    }
  }
  return {
    name: sink.name,
    ...(sink.limits && { limits: sink.limits }),
    open: (session) => sink.open?.(session),
    write: (batch) => tried(() => sink.write(batch)),
    finish: (end) => tried(() => sink.finish?.(end)),
    close: () => sink.close?.(),
  }
}

/** The error that says what to do: of an output, not of the delivery. */
function asError(failure: unknown): AvocetError {
  const { cause = failure } = failure instanceof Error ? failure : {}
  if (failure instanceof AvocetError) return failure
  if (cause instanceof AvocetError) return cause
  return new AvocetError('AVO_INTERNAL', messageOf(failure), { cause: failure })
}
