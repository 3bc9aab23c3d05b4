// What the store of a crawl remembers of its spider: the file that declares it, and the arguments that its last run made it of.
import type { MemoryParts } from '@avocet/core/store'
import { ARGUMENTS_PLUGIN, type ArgumentFacts } from './last-arguments.ts'
import { storeKind } from '../store-kinds/store-kinds.ts'
import { SOURCE_PLUGIN } from './spider-source.ts'
import { IN_MEMORY, storePathOf } from './store-path.ts'

/** A spider as its crawl last had it. */
interface RememberedSource {
  /** From the folder of the command on, if it is inside. */
  readonly file: string
  /** Without those whose values may be secret. */
  readonly args: Readonly<Record<string, string>>
  /** Names of these. */
  readonly omitted: readonly string[]
}

/** That of the crawl called `name`; undefined where it has no store, or one that cannot be read: a name may be anybody's. */
export async function rememberedSource(folder: string, name: string): Promise<RememberedSource | undefined> {
  const path = storePathOf(name, folder)
  if (path === IN_MEMORY) return undefined
  const memories = await memoriesOf(path).catch((): readonly MemoryParts[] => [])
  const source = latest<{ readonly file: string }>(memories, SOURCE_PLUGIN)
  const { values = {}, hashes = {} } = latest<ArgumentFacts>(memories, ARGUMENTS_PLUGIN) ?? {}
  return (
    source && { file: source.file, args: values, omitted: Object.keys(hashes).filter((each) => !Object.hasOwn(values, each)) }
  )
}

async function memoriesOf(path: string): Promise<readonly MemoryParts[]> {
  const kind = await storeKind(path)
  if (!(await kind.exists(path))) return []
  const reader = await kind.reader(path)
  try {
    return await reader.crawlMemories()
  } finally {
    await reader.close()
  }
}

/** A part at rest: its version, then the memory of `lastRun`. */
type AtRest<Facts> = readonly [number, { readonly facts: Facts | null; readonly at: number }]

/** What the last of the processes that ever wrote to the store remembers. */
function latest<Facts>(memories: readonly MemoryParts[], plugin: string): Facts | undefined {
  const parts = memories.flatMap((each) => (each[plugin] === undefined ? [] : [JSON.parse(each[plugin]) as AtRest<Facts>]))
  return parts.map(([, memory]) => memory).toSorted((a, b) => b.at - a.at)[0]?.facts ?? undefined
}
