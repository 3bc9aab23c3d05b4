// Makes the store of a crawl that has not been run yet, so that something can be decided for it.
import { basename, extname } from 'node:path'
import { CANONICALISATION } from '@avocet/core'
import { sqlite } from '@avocet/plugin-sqlite'
import { loadConfig } from '../load/config-file.ts'
import type { Place } from '../place.ts'
import type { OpenedStore } from './opened-as-it-is.ts'

/** The store at `path`, named after its file, with hosts as the configuration names them. Throws AVO_FRONTIER_…, AVO_CONFIG_…. */
export async function openedAhead(path: string, place: Place): Promise<OpenedStore> {
  const hostKeying = (await loadConfig(place))?.config.hostKeying ?? 'host'
  const frontier = sqlite(path)
  const spec = { name: basename(path, extname(path)), canonicalisation: CANONICALISATION, hostKeying }
  return { frontier, hostKeying, info: await frontier.open(spec, place.clock.now()) }
}
