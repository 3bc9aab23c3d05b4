// A crawl and its sinks between two runs: how far each sink is, what it cannot take, and which of them are files.
import { existsSync } from 'node:fs'
import { atRest, type CrawlAtRest } from '@avocet/at-rest'
import type { FrontierReader, SinkStanding } from '@avocet/core/store'
import type { SinkStatus } from '@avocet/core/tools'
import { healthFindings } from '@avocet/plugin-health/findings'
import { journal } from '@avocet/plugin-journal'
import { traps } from '@avocet/plugin-traps'
import { outputPath } from '@avocet/project/store'

/** A sink between two runs. */
export interface SinkAtRest extends Omit<SinkStatus, 'elsewhere'> {
  /** Of an output of this machine that is there: its absolute path. */
  readonly path?: string
}

/** All that the store at `storePath` knows, by name. */
export async function sinksAtRest(
  reader: Pick<FrontierReader, 'sinks' | 'problems'>,
  storePath: string,
): Promise<readonly SinkAtRest[]> {
  const setAside = new Map<string, number>()
  for (const { source, count } of (await reader.problems()).rejects) setAside.set(source, (setAside.get(source) ?? 0) + count)
  return (await reader.sinks()).map((sink) => sinkAtRest(sink, setAside.get(sink.name) ?? 0, storePath))
}

function sinkAtRest(sink: SinkStanding, setAside: number, storePath: string): SinkAtRest {
  const { name, changes, written, behind, trouble } = sink
  const path = isFile(sink) ? outputPath(name, storePath) : undefined
  // A file that a configuration names, such as jsonl('changes.jsonl'), is not named from the store.
  const isOutput = path !== undefined && existsSync(path)
  return {
    ...{ name, written, behind, setAside },
    ...(changes && { changes }),
    ...(isOutput && { path }),
    ...(trouble && { failingSince: trouble.since, error: trouble.error }),
  }
}

/** The mark of an output says where its part of the file begins (see `SinkMark` of core). For its name see `outputName`. */
function isFile({ mark }: SinkStanding): boolean {
  const { state } = mark ?? {}
  return typeof state === 'object' && state !== null && 'bytes' in state && 'start' in state
}

// A crawl at rest, with what the plugins that every crawl of the command has found of its hosts.

/** Reads it. Throws AVO_FRONTIER_…. */
export function crawlAtRest(reader: FrontierReader): Promise<CrawlAtRest> {
  return atRest(reader, [{ findings: healthFindings }, journal(), traps()])
}
