// How to try a handler again on a page that it failed on.
import type { HandlerErrorGroup } from '@avocet/core/store'
import { cachePathOf, failedPathOf, localPlace, storeWord, keptIn } from '@avocet/project/store'
import { commandLine } from '@avocet/project/place'

/** Whose pages they are, and how a command is told of the spider. */
interface ParsePlace {
  /** Of the store. */
  readonly path: string
  readonly folder: string
  readonly spider: readonly string[]
}

/** For the first of these pages that is kept, the command on a line of its own; nothing where none is. */
export async function howToParse(groups: readonly HandlerErrorGroup[], { path, folder, spider }: ParsePlace): Promise<string[]> {
  const local = localPlace(folder, path)
  const kept = groups.length === 0 ? [] : await keptIn([cachePathOf(local), failedPathOf(local)]).catch(() => [])
  try {
    const group = groups.find(({ url }) => kept.some((each) => each.find({ method: 'GET', url }) !== undefined))
    if (group === undefined) return []
    const words = [group.url, ...spider, '--handler', group.handler, '--store', storeWord(folder, path)]
    return ['to run a handler again on a page that it failed on, without fetching it:', `  ${commandLine(['parse', ...words])}`]
  } catch {
    // What is damaged can be fetched again.
    return []
  } finally {
    for (const each of kept) each.close()
  }
}
