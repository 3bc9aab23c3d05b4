// The sinks of a store between two runs: how far each is, what it cannot take, and which of them are files.
import { dirname, resolve } from 'node:path'
import type { FrontierReader, SinkStanding } from '@avocet/core/store'
import type { SinkStatus } from '@avocet/core/tools'

/** A sink between two runs. */
export interface SinkAtRest extends Omit<SinkStatus, 'elsewhere'> {
  /** Of an output: its absolute path. */
  readonly path?: string
}

/** All that the store at `storePath` knows, by name. */
export async function sinksAtRest(
  reader: Pick<FrontierReader, 'sinks' | 'rejectGroups'>,
  storePath: string,
): Promise<readonly SinkAtRest[]> {
  const setAside = new Map<string, number>()
  for (const { source, count } of await reader.rejectGroups()) setAside.set(source, (setAside.get(source) ?? 0) + count)
  return (await reader.sinks()).map((sink) => atRest(sink, setAside.get(sink.name) ?? 0, storePath))
}

function atRest(sink: SinkStanding, setAside: number, storePath: string): SinkAtRest {
  const { name, written, behind, trouble } = sink
  return {
    ...{ name, written, behind, setAside },
    ...(isFile(sink) && { path: resolve(dirname(storePath), name) }),
    ...(trouble && { failingSince: trouble.since, error: trouble.error }),
  }
}

/** The mark of an output says where its part of the file begins (see `SinkMark` of core). Its name is its path from the folder of the store. */
function isFile({ mark }: SinkStanding): boolean {
  const { state } = mark ?? {}
  return typeof state === 'object' && state !== null && 'bytes' in state && 'start' in state
}
