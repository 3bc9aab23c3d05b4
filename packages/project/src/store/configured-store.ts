// The store that the configuration names (`store`), for commands that read one without planning a crawl.
import { messageOf } from '@avocet/core/store'
import { loadConfig, type ConfigPlace } from '../config/config-file.ts'

/** What the configuration says of stores. */
export interface ConfiguredStore {
  readonly store?: string
  /** Name of the configuration's spider. */
  readonly spider?: string
  /** Why it cannot be read: commands that need none work all the same. */
  readonly problem?: string
}

/** Runs the configuration. Never throws. */
export async function configuredStore(place: ConfigPlace, configPath?: string): Promise<ConfiguredStore> {
  try {
    const { store, spider } = (await loadConfig(place, configPath))?.config ?? {}
    return { ...(store !== undefined && { store }), ...(spider !== undefined && { spider: spider.name }) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
